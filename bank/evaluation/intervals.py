"""The 95 % interval of a mean over states: a bootstrap over whole sessions."""

import random
from collections.abc import Mapping, Sequence

DRAWS = 2_000
SEED = 20261129
"""Of the bootstrap: the same states give the same interval."""


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
