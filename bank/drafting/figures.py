"""What kind of number a text gives: its unit, by the first figure in it that has one."""

import re
from typing import NamedTuple


class FigureKind(NamedTuple):
    """The name of a number and its unit, as an entry's measurement has them."""

    number: str
    unit: str


_KINDS: tuple[tuple[str, FigureKind | None, str], ...] = (
    # The unit is the one that was written where the second column is empty.
    ("time", None, r"ns|us|µs|μs|ms"),
    ("ratio", FigureKind("ratio", "ratio"), r"x|×"),
    ("share", FigureKind("share", "percent"), r"%|percent|per cent"),
    ("rate", None, r"[KMGT]i?B/s|[GTP]FLOP/?s|[MG]Hz"),
    ("bytes", FigureKind("bytes", "bytes"), r"bytes|[KMG]i?B"),
    ("instructions", FigureKind("instructions", "instructions"), r"instructions"),
    ("registers", FigureKind("registers", "registers"), r"registers"),
    ("cycles", FigureKind("cycles", "cycles"), r"cycles"),
    ("ulp", FigureKind("error", "ulp"), r"ulps?"),
)
_FIGURE = re.compile(
    r"(?<![\w.])\d+(?:[.,]\d+)*\s?(?:"
    + "|".join(f"(?P<{name}>{units})" for name, _, units in _KINDS)
    + r"|(?P<count>(?:of|out of|/)\s?\d+))(?!\w)",
    re.IGNORECASE,
)


def figure_kind(text: str) -> FigureKind | None:
    """The kind of the first figure with a unit, or of a count out of so many; None without one."""
    found = _FIGURE.search(text)
    if found is None:
        return None
    parts = found.groupdict()
    for name, fixed, _ in _KINDS:
        if parts[name]:
            return fixed or FigureKind(name, "us" if parts[name] in ("µs", "μs") else parts[name])
    return FigureKind("count", "count")
