"""What somebody who knows nothing would get, exactly: random orders of groups, and of entries."""

from collections import Counter
from collections.abc import Collection, Sequence
from math import comb
from typing import TypeVar

from bank.evaluation.outcome import Outcome

T = TypeVar("T", bound=str)


def by_classes(offered: Collection[T], wanted: Collection[T]) -> Outcome:
    """The outcome of a random order of the classes (groups or layers) that are offered.

    Hits are hypergeometric; the first wanted one of n, a of them wanted, stands at place r with the chance
    C(n - r, a - 1) / C(n, a).
    """
    total, good = len(set(offered)), len(set(offered) & set(wanted))
    if not good:
        return Outcome(0.0, 0.0, 0.0)
    ways = comb(total, good)
    places = range(1, total - good + 2)
    reciprocal = sum(comb(total - place, good - 1) / place for place in places) / ways
    return Outcome(among(total, good, 1), among(total, good, 3), reciprocal)


def by_entries(classes: Sequence[T], wanted: Collection[T]) -> Outcome:
    """The outcome of a random order of entries, given the class of each.

    The reciprocal is of the place among distinct classes. Give each entry a uniform time and let s be one
    minus that of the first wanted one, of which A are there: its density is A s^(A-1), and a class of m
    other entries was seen before with the chance 1 - s^m. The mean of 1 / (1 + classes seen) is then an
    integral of a polynomial in s.
    """
    sizes = Counter(classes)
    good = sum(count for name, count in sizes.items() if name in wanted)
    if not good:
        return Outcome(0.0, 0.0, 0.0)
    # seen[x][d]: the coefficient of s^d in the chance that x other classes stand before
    seen: list[Counter[int]] = [Counter({0: 1})]
    for name, size in sizes.items():
        if name in wanted:
            continue
        grown = [Counter[int]() for _ in range(len(seen) + 1)]
        for count, powers in enumerate(seen):
            for degree, factor in powers.items():
                grown[count][degree + size] += factor
                grown[count + 1][degree] += factor
                grown[count + 1][degree + size] -= factor
        seen = grown
    reciprocal = sum(
        factor * good / (good + degree) / (1 + count)
        for count, powers in enumerate(seen)
        for degree, factor in powers.items()
    )
    total = len(classes)
    return Outcome(among(total, good, 1), among(total, good, 3), reciprocal)


def among(total: int, good: int, drawn: int) -> float:
    """The chance that one of `good` things at least is among `drawn` of `total`."""
    drawn = min(drawn, total)
    return 1 - comb(total - good, drawn) / comb(total, drawn) if drawn else 0.0
