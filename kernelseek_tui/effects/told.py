"""Whether a message gives a number of what a measurement printed."""

import re

from kernelseek_tui.contracts.numbers import gives_one_of, telling

_WITH_UNIT = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?) ?"
    r"(ns|us|µs|μs|ms|s|%|x|×|[GT]B/s|[GT]FLOP/?s|[MG]Hz|[KMG]i?B|cycles|bytes)(?!\w)",
    re.IGNORECASE,
)
_SAME = str.maketrans("µμ×", "uux")


def gives_number(text: str, output: str) -> bool:
    """Whether `text` gives a number of `output`, rounded or not.

    A whole number of one digit stands everywhere and shows nothing by itself: it counts with the same unit.
    """
    return gives_one_of(text, telling(output)) or bool(_with_unit(text) & _with_unit(output))


def _with_unit(text: str) -> set[tuple[float, str]]:
    found = (match.groups() for match in _WITH_UNIT.finditer(text))
    return {(float(number), unit.translate(_SAME).lower()) for number, unit in found}
