"""What the newest scoreboard says about where the loss lies: spread out, shared by all, or unknown."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Literal

from sessions.events import ScenarioResult
from sessions.state import SessionState

UNEQUAL = 1.5
"""Best over worst ratio from which a scoreboard counts as unequal; a scenario lags below best / 1.5."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The newest evaluation with at least two ratios. `lagging` are ids, worst first."""

    shape: Literal["unequal", "even", "unknown"] = "unknown"
    best: float = 0.0
    worst: float = 0.0
    count: int = 0
    lagging: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


def spread_of(state: SessionState) -> Spread:
    """Read the newest scoreboard of a session; `unknown` while there is none to speak of."""
    for seen in reversed(state.evaluations):
        rated = [(result.ratio, result.id) for result in seen.event.scenarios if result.ratio]
        if len(rated) >= 2:
            return _spread(rated, _wrong(state))
    return Spread(wrong=_wrong(state))


def _spread(rated: list[tuple[float, str]], wrong: tuple[str, ...]) -> Spread:
    rated.sort()
    worst, best = rated[0][0], rated[-1][0]
    lagging = tuple(name for ratio, name in rated if ratio * UNEQUAL <= best)
    return Spread("unequal" if lagging else "even", best, worst, len(rated), lagging, wrong)


def _wrong(state: SessionState) -> tuple[str, ...]:
    newest = state.latest
    return tuple(result.id for result in newest.event.scenarios if _is_wrong(result)) if newest else ()


def _is_wrong(result: ScenarioResult) -> bool:
    return result.status.upper() not in _NOT_WRONG


# Right, declined by the candidate, not to be told by the judge, or a figure that nobody checked.
_NOT_WRONG = frozenset(
    {"", "CORRECT", "OK", "PASS", "PARSED", "UNSUPPORTED", "INVALID_REFERENCE", "NOT_ADMITTED", "NOT_RUN"}
)


UNMOVED = 1.07
"""Largest over smallest ratio of a scenario that did not move: what a busy machine does by itself."""
STILL, EDITS = 3, 2
"""Evaluations that such a scenario stands still in, and edits between them."""


def unmoved(state: SessionState, names: Sequence[str]) -> tuple[str, ...]:
    """Those of `names` whose ratios stood still in the newest comparable evaluations through edits."""
    newest = state.series[-STILL:]
    if len(newest) < STILL or sum(seen.index > newest[0].index for seen in state.edits) < EDITS:
        return ()
    rows = [{one.id: one.ratio for one in seen.event.scenarios if one.ratio} for seen in newest]
    still = []
    for name in names:
        ratios = [ratio for row in rows if (ratio := row.get(name))]
        if len(ratios) == STILL and max(ratios) < UNMOVED * min(ratios):
            still.append(name)
    return tuple(still)


MOVED = 1.15
"""A ratio that changed by more than this factor, and a time that did not change by half as much: the other
side of the ratio moved. Noise of a quiet machine is a few percent."""


def moved_baseline(state: SessionState) -> str | None:
    """That the newest ratio rose or fell while the candidate's own time stood still, in words; else None.

    Compared are the scenarios that the two newest evaluations with times share.
    """
    timed = [
        times
        for seen in state.evaluations[-_LOOK_BACK:]
        if (times := {one.id: (one.ratio, one.candidate_ns) for one in seen.event.scenarios if one.ratio})
        and any(time for _, time in times.values())
    ]
    if len(timed) < 2:
        return None
    earlier, newest = timed[-2:]
    for name, (ratio, time) in newest.items():
        was, before = earlier.get(name, (None, None))
        if not (ratio and time and was and before):
            continue
        moved, changed = abs(log(ratio / was)), abs(log(before / time))
        if moved > log(MOVED) and changed < moved / 2:
            own = f"its own time changed by {abs(before / time - 1):.0%}"
            return f"{name[:40]} went from {was:.2f}x to {ratio:.2f}x while {own}"
    return None


_LOOK_BACK = 6
