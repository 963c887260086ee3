"""What the newest scoreboard says about where the loss lies: spread out, shared by all, or unknown."""

from dataclasses import dataclass
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


# Right, declined by the candidate, or not to be told by the judge.
_NOT_WRONG = frozenset(
    {"CORRECT", "OK", "PASS", "UNSUPPORTED", "INVALID_REFERENCE", "NOT_ADMITTED", "NOT_RUN"}
)
