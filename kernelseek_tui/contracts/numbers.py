"""Numbers in prose and output: what counts as a measured number, and whether one text quotes another's."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

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
    # Line by line, which no reading crosses: outputs are long, and mostly have one near their start.
    return any(next(numbers(line), None) is not None for line in text.split("\n"))


def quotes_number(text: str, output: str) -> bool:
    """Whether `text` gives a number of `output`, rounded or not.

    Whole numbers of one digit are left out: they stand everywhere and show nothing.
    """
    return gives_one_of(text, telling(output))


def telling(output: str) -> list[float]:
    """The numbers of an output that show something when they are told, in order of size."""
    return sorted(number for number in numbers(output) if number >= 10 or number != int(number))


def gives_one_of(text: str, readings: Sequence[float]) -> bool:
    """Whether `text` gives one of `readings`, which are in order of size, rounded or not."""
    for one in _numbers(text):
        for other in readings[bisect_left(readings, one / (1 + 2 * CLOSE)) :]:
            if abs(one - other) <= CLOSE * other:
                return True
            if other > one * (1 + 2 * CLOSE):
                break
    return False


@lru_cache(maxsize=4096)
def _numbers(text: str) -> tuple[float, ...]:
    # The same messages are looked through for every measurement and every claim.
    return tuple(numbers(text))
