"""Intervals for shares, medians and differences of shares, in plain Python."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from sessions.shares import wilson

FEWEST = 5
"""Values below which a median gets no interval: at five, smallest to largest covers 94 %."""


@dataclass(frozen=True, slots=True)
class Share:
    """`hits` of `total`, with Wilson's 95 % interval."""

    hits: int
    total: int

    @property
    def value(self) -> float | None:
        """None where there is nothing to have a share of."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Within 0 and 1; None for a share of nothing."""
        if not self.total:
            return None
        return wilson(self.hits, self.total)


def share_difference(one: Share, other: Share) -> tuple[float, float, float] | None:
    """`one` less `other`, and the 95 % interval of it: Newcombe's method 10 (1998), built of Wilson's.

    The two are taken as independent. None where either is a share of nothing.
    """
    if not one.total or not other.total:
        return None
    p, q = one.hits / one.total, other.hits / other.total
    (low, high), (other_low, other_high) = one.interval or (p, p), other.interval or (q, q)
    down = math.sqrt((p - low) ** 2 + (other_high - q) ** 2)
    up = math.sqrt((high - p) ** 2 + (q - other_low) ** 2)
    return p - q, max(-1.0, p - q - down), min(1.0, p - q + up)


@dataclass(frozen=True, slots=True)
class Middle:
    """Values with their median and its exact interval; `coverage` is the chance it holds the true median."""

    values: tuple[float, ...]
    median: float | None
    low: float | None = None
    high: float | None = None
    coverage: float | None = None


def middle(values: Sequence[float]) -> Middle:
    """The median, from five values on with an interval between two of them (the sign test's).

    The narrowest symmetric one that covers 95 %; where none does, from the smallest to the largest, with the
    coverage that has. It holds for any distribution, of independent values.
    """
    ordered = tuple(sorted(values))
    n = len(ordered)
    if n == 0:
        return Middle((), None)
    if n < FEWEST:
        return Middle(ordered, median(ordered))
    below, place, coverage = 0.0, 0, 1 - 2 * 0.5**n
    for rank in range(n // 2):
        below += math.comb(n, rank) * 0.5**n
        if 1 - 2 * below < 0.95:
            break
        place, coverage = rank, 1 - 2 * below
    return Middle(ordered, median(ordered), ordered[place], ordered[n - 1 - place], coverage)
