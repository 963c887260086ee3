"""95 % intervals: Wilson's for shares, a bootstrap over whole sessions for means."""

import random
from collections.abc import Mapping, Sequence
from math import sqrt

Z = 1.96
DRAWS = 2_000
SEED = 20261129
"""Of the bootstrap: the same states give the same interval."""


def wilson(hits: int, total: int) -> tuple[float, float]:
    """Wilson's score interval of a share; 0 to 1 where nothing was counted.

    >>> tuple(round(edge, 2) for edge in wilson(6, 10))
    (0.31, 0.83)
    """
    if not total:
        return 0.0, 1.0
    share = hits / total
    scale = 1 + Z * Z / total
    middle = (share + Z * Z / (2 * total)) / scale
    half = Z * sqrt(share * (1 - share) / total + Z * Z / (4 * total * total)) / scale
    return max(0.0, middle - half), min(1.0, middle + half)


def clustered(groups: Mapping[str, Sequence[float]]) -> tuple[float, float] | None:
    """The percentile interval of the mean of all values when whole groups are drawn with replacement.

    Values of one group (states of one session) are alike and are kept together. None for fewer than two
    groups: from one, nothing is known of the spread between them.
    """
    sums = [(sum(values), len(values)) for values in groups.values() if values]
    if len(sums) < 2:
        return None
    draw = random.Random(SEED)
    means = []
    for _ in range(DRAWS):
        drawn = draw.choices(sums, k=len(sums))
        means.append(sum(value for value, _ in drawn) / sum(count for _, count in drawn))
    means.sort()
    return means[round(0.025 * (DRAWS - 1))], means[round(0.975 * (DRAWS - 1))]
