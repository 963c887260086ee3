"""Rows of a file that repeat, in order, what a part of it began with: a forked session's copied history."""

from array import array
from typing import Any

_AHEAD = 8  # rows that may be missing from the copy: damaged lines
_MISSES = 3  # rows that may be missing from the original, one after another, until the copy is over
_PARTS = 16  # parts of a file that a new one is compared with


class Replays:
    """Compares each part of a file, from its head line on, with the parts before. A row costs 8 bytes."""

    def __init__(self) -> None:
        self._prints = array("q")
        self._starts: list[int] = []
        self._places: list[int] = []
        self._misses = 0
        self._end = 0

    def part(self) -> None:
        """A head line: what follows may repeat an earlier part."""
        end = self._end = len(self._prints)
        self._places = list(dict.fromkeys(start for start in self._starts[-_PARTS:] if start < end))
        self._starts.append(end)
        self._misses = 0

    def repeats(self, row: Any) -> bool:
        """Whether this row stands in the earlier part that is being repeated."""
        seen = _print(row)
        if self._places:
            further = [place for place in (self._after(at, seen) for at in self._places) if place]
            if further:
                self._places, self._misses = further, 0
                return True
            self._misses += 1
            if self._misses > _MISSES:
                self._places = []
        self._prints.append(seen)
        return False

    def _after(self, place: int, seen: int) -> int:
        for at in range(place, min(place + _AHEAD, self._end)):
            if self._prints[at] == seen:
                return at + 1
        return 0


def _print(value: Any) -> int:
    if isinstance(value, dict):
        return hash(tuple((key, _print(item)) for key, item in value.items()))
    if isinstance(value, list):
        return hash(tuple(map(_print, value)))
    return hash(value)
