"""An axis: where a value lies between 0 and 1, and which round numbers stand beside it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Axis:
    """From `low` to `high`, logarithmic or not. Make one with `axis_of`."""

    low: float
    high: float
    log: bool

    def place(self, value: float) -> float:
        """Where a value lies: 0 at `low`, 1 at `high`; outside values at the nearer end."""
        if self.log:
            value, low, high = (math.log(max(one, 1e-300)) for one in (value, self.low, self.high))
        else:
            low, high = self.low, self.high
        return min(1.0, max(0.0, (value - low) / (high - low)))

    def ticks(self, most: int = 6) -> list[float]:
        """At most about `most` round numbers on the axis, low to high."""
        if self.log and self.high / self.low > 10:
            decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            for parts in ((1, 2, 5), (1, 3), (1,)):
                found = [part * 10.0**decade for decade in decades for part in parts]
                found = [tick for tick in found if self.low <= tick <= self.high]
                if len(found) <= most + 1:
                    return found
            step = -(-len(found) // most)
            return found[::step]
        return _round_numbers(self.low, self.high, most)


def axis_of(values: Sequence[float], log: bool) -> Axis:
    """An axis that holds all values with a little air. Not logarithmic where a value is not positive."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    log = log and low > 0
    if log:
        air = max((high / low) ** 0.06, 1.02)
        return Axis(low / air, high * air, True)
    air = (high - low) * 0.06 or abs(high) * 0.06 or 0.1
    return Axis(max(0.0, low - air) if low >= 0 else low - air, high + air, False)


def _round_numbers(low: float, high: float, most: int) -> list[float]:
    rough = (high - low) / max(1, most)
    if rough <= 0 or not math.isfinite(rough):
        return [low]
    size = 10.0 ** math.floor(math.log10(rough))
    step = next((one * size for one in _STEPS if one * size >= rough), 10 * size)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [number * step for number in range(first, min(last, first + 4 * most) + 1)]
