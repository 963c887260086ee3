"""Shares and their intervals: what everything that counts labels, hits or askings reports."""

from math import sqrt

Z = 1.959963984540054
"""Two-sided 95 % of the normal distribution."""


def wilson(hits: int, total: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a share (E. B. Wilson, 1927, doi:10.2307/2276774).

    0 to 1 where nothing was counted.

    >>> tuple(round(edge, 2) for edge in wilson(6, 10))
    (0.31, 0.83)
    """
    if not total:
        return 0.0, 1.0
    share = hits / total
    scale = 1 + Z * Z / total
    middle = (share + Z * Z / (2 * total)) / scale
    half = Z * sqrt(share * (1 - share) / total + Z * Z / (4 * total * total)) / scale
    # exactly at the ends, which rounding would miss
    low = 0.0 if hits == 0 else max(0.0, middle - half)
    high = 1.0 if hits == total else min(1.0, middle + half)
    return low, high
