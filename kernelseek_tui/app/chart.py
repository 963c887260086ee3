"""A small curve of a few rows, in braille dots or, in ASCII, in stars."""

import math
from collections.abc import Sequence

# Dot bits of a braille cell, by column (0, 1) and row (0 is the top). Unicode 15, U+2800 block.
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))


def bounds(values: Sequence[float]) -> tuple[float, float]:
    """A range that holds all values with a little air, never empty."""
    low, high = min(values), max(values)
    if high - low < 1e-9:
        air = abs(high) * 0.1 or 0.1
        return low - air, high + air
    return low, high


def curve(values: Sequence[float], width: int, rows: int, braille: bool = True) -> list[str]:
    """`values` over their index as `rows` strings of `width` cells; steps are drawn, not slopes.

    More values than columns are thinned: each column then shows the last of its values.
    """
    if not values or width < 1 or rows < 1:
        return [" " * max(0, width)] * max(0, rows)
    across, down = (2, 4) if braille else (1, 1)
    columns, levels = width * across, rows * down
    low, high = bounds(values)

    def level(value: float) -> int:
        share = (value - low) / (high - low)
        return round((1 - share) * (levels - 1)) if math.isfinite(share) else levels - 1

    cells = [[0] * width for _ in range(rows)]
    previous: int | None = None
    for column in range(columns):
        value = values[min(len(values) - 1, column * len(values) // columns)]
        here = level(value)
        start, stop = (here, here) if previous is None else sorted((previous, here))
        for y in range(start, stop + 1):
            bit = _DOTS[column % 2][y % 4] if braille else 1
            cells[y // down][column // across] |= bit
        previous = here
    if braille:
        return ["".join(chr(0x2800 + bits) if bits else " " for bits in row) for row in cells]
    return ["".join("*" if bits else " " for bits in row) for row in cells]
