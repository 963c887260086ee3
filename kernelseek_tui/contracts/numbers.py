"""Numbers in prose and output: what counts as a measured number, and whether one text quotes another's."""

import re
from collections.abc import Iterator

_UNITS = (
    r"x|×|%|percent|ns|us|µs|μs|ms|s|sec|seconds|cycles|[kmgt]i?b(?:/s|ps)?|[gt]?flop/?s|[gt]flops|[kmg]?hz|w|"
    r"registers|bytes|instructions|calls|bits|ulp"
)
# A list's own numbering, a place in a file, a date, a version, the number inside a name (fp32, d64, sm_90).
_NOT_MEASURED = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?\d+[.)][ \t]|[\w./-]+\.\w+:\d+(?::\d+)?|\blines? \d+(?:[-–]\d+)?|#\d+|"
    r"\b\d{4}-\d\d-\d\d\b|\b\d+\.\d+\.\d+\b|\b[A-Za-z_]+[-_]?\d\w*",
    re.MULTILINE | re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"(?<![\w.])[-+−]?(\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)(?:[ \t]?(?:{_UNITS}))?(?![\w])", re.IGNORECASE
)
CLOSE = 0.02
"""Two readings within this share of one another are the same number, one of them rounded."""


def numbers(text: str) -> Iterator[float]:
    """The numbers of a text that can be readings, with or without a unit, in order."""
    for match in _NUMBER.finditer(_NOT_MEASURED.sub(lambda found: " " * len(found.group()), text)):
        yield float(match.group(1).replace(",", ""))


def has_number(text: str) -> bool:
    """Whether there is any."""
    return next(numbers(text), None) is not None


def quotes_number(text: str, output: str) -> bool:
    """Whether `text` gives a number of `output`, rounded or not.

    Whole numbers of one digit are left out: they stand everywhere and show nothing.
    """
    telling = [number for number in numbers(output) if number >= 10 or number != int(number)]
    return any(abs(one - other) <= CLOSE * abs(other) for one in numbers(text) for other in telling)
