"""The score of a session over its events: the comparable series, point by point.

Evaluations where there are any (`SessionState.series`: same judge, set, baseline and scenario count), else
the scores that the session's own commands printed. Higher is better.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from kernelseek_tui.decisions.scores import NOISE_FLOOR, Score, score_of
from sessions import events as ev
from sessions.state import SessionState, all_correct


class Mark(StrEnum):
    """What a point may be used for. A wrong one has no score, whatever it ran at."""

    RIGHT = "right"
    WRONG = "wrong"
    AMBIGUOUS = "ambiguous"


class Origin(StrEnum):
    """Who measured."""

    JUDGE = "judge"
    PARSED = "parsed"
    PRINTED = "printed"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement of the whole set. `value` is absent where none was printed or it is no number.

    `low` and `high` are the interval where there is one; `floor` is the relative gain below which two such
    values are called equal.
    """

    index: int
    event: str
    value: float | None
    low: float | None
    high: float | None
    floor: float
    mark: Mark
    status: str

    @property
    def scores(self) -> bool:
        """It may stand as a best: a positive value, not wrong."""
        return self.value is not None and self.value > 0 and self.mark is not Mark.WRONG

    def beats(self, other: "Point") -> bool:
        """Faster for sure: the intervals lie apart; without intervals, by more than the floor."""
        if self.value is None or other.value is None or other.value <= 0:
            return False
        if self.low is not None and other.high is not None:
            return self.low > other.high
        return self.value > other.value * (1 + max(self.floor, other.floor))


@dataclass(frozen=True, slots=True)
class Series:
    """The comparable series, oldest first. `left_out`: evaluations that cannot be compared with it."""

    points: Sequence[Point] = ()
    origin: Origin = Origin.NONE
    baseline: str = ""
    scenario_set: str = ""
    total: int = 0
    left_out: int = 0

    @property
    def best(self) -> Point | None:
        """The highest point that is not wrong."""
        right = [point for point in self.points if point.scores]
        return max(right, key=lambda point: point.value or 0.0, default=None)

    @property
    def ratio(self) -> bool:
        """The values are ratios over a baseline, to be drawn on a logarithmic axis."""
        return self.origin in (Origin.JUDGE, Origin.PARSED)

    def bests(self) -> list[Point]:
        """The points that were a new best when they came; one that only noise puts higher is none."""
        found: list[Point] = []
        for point in self.points:
            if point.scores and (not found or point.beats(found[-1])):
                found.append(point)
        return found


class Scores:
    """Follows a session: `take` every event right after the state took it in, `series` at any time."""

    def __init__(self) -> None:
        self._printed: list[Score] = []

    def take(self, state: SessionState, event: ev.AnyEvent) -> None:
        """Take in the newest event."""
        if isinstance(event, ev.ToolResult):
            score = score_of(state, event)
            if score is not None:
                self._printed.append(score)

    def series(self, state: SessionState) -> Series:
        """The comparable series as the state stands: of a past one, with nothing that came later."""
        if state.evaluations:
            return _evaluated(state)
        printed = [score for score in self._printed if score.index < state.count]
        counts = Counter(score.series for score in printed)
        name = max(counts, key=counts.__getitem__, default=())
        own = [score for score in printed if score.series == name]
        points = tuple(
            Point(
                score.index,
                score.event_id,
                finite(score.value),
                None,
                None,
                score.floor,
                Mark.RIGHT,
                "as printed",
            )
            for score in own
        )
        origin = Origin.PRINTED if points else Origin.NONE
        return Series(points, origin, scenario_set=" ".join(name[1:]), left_out=len(printed) - len(own))


def _evaluated(state: SessionState) -> Series:
    series = state.series
    first = series[0].event
    return Series(
        tuple(_point(seen.index, seen.event) for seen in series),
        Origin.JUDGE if first.source_kind == "judge" else Origin.PARSED,
        first.baseline,
        first.scenario_set,
        first.total,
        len(state.evaluations) - len(series),
    )


def _point(index: int, event: ev.Evaluation) -> Point:
    floor = finite(event.noise_floor)
    return Point(
        index,
        event.id,
        finite(event.geomean),
        finite(event.low),
        finite(event.high),
        NOISE_FLOOR if floor is None else max(0.0, floor),
        _mark(event),
        event.status,
    )


def _mark(event: ev.Evaluation) -> Mark:
    """Wrong where a scenario was; ambiguous where the interval is neither clear of 1 nor inside the floor."""
    if not all_correct(event):
        return Mark.WRONG
    if event.exit_code == 11 or event.status == "AMBIGUOUS":
        return Mark.AMBIGUOUS
    low, high, floor = finite(event.low), finite(event.high), finite(event.noise_floor)
    if low is None or high is None or floor is None:
        return Mark.RIGHT
    clear = low > 1 + floor or high < 1 - floor
    same = low >= 1 - floor and high <= 1 + floor
    return Mark.RIGHT if clear or same else Mark.AMBIGUOUS


def finite(value: float | None) -> float | None:
    """The number, or None where it is no finite one."""
    return value if value is not None and math.isfinite(value) else None
