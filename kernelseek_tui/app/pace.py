"""How fast a replay plays: events come as they came, waits cut short, times a speed."""

from datetime import datetime

SPEEDS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
DEFAULT = 16.0
LONGEST = 60.0
"""Seconds: nobody wants to watch a longer wait, whatever the speed."""
UNKNOWN = 2.0
"""Seconds between events without a time."""


def faster(speed: float, step: int) -> float:
    """The next speed up or down from `speed`."""
    if step > 0:
        return next((item for item in SPEEDS if item > speed), SPEEDS[-1])
    return next((item for item in reversed(SPEEDS) if item < speed), SPEEDS[0])


def wait(before: datetime | None, after: datetime | None, speed: float) -> float:
    """Seconds to wait between two events at `speed`."""
    gap = UNKNOWN if before is None or after is None else (after - before).total_seconds()
    return min(LONGEST, max(0.0, gap)) / max(speed, 0.01)
