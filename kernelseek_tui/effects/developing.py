"""The outcomes of a session's questions as they develop, for screens: from a state, and nothing later."""

from collections.abc import Iterable

from bank.effects.record import Outcome
from kernelseek_tui.effects.arrivals import Arrival, arrivals
from kernelseek_tui.effects.outcome import Views, outcome
from kernelseek_tui.effects.window import Window, window
from kernelseek_tui.review.curve import Scores
from sessions import events as ev
from sessions.state import SessionState

_Key = tuple[str, Window, str, str, int]


class Developing:
    """Works outcomes out when they are asked for; those whose window is over are kept.

    `scores` and `views` follow the same session: without them what commands only printed is no score, and
    claims are not looked at.
    """

    def __init__(self, scores: Scores | None = None, views: Views | None = None) -> None:
        self._scores = scores or Scores()
        self._views = views
        self._over: dict[_Key, Outcome] = {}

    def at(self, state: SessionState, only: Iterable[str] | None = None) -> dict[int, Outcome]:
        """What is known in `state` of every question that reached the agent, by the index of its event.

        `only`: the questions (event ids) that are looked at.
        """
        if not state.asked:
            return {}
        series = self._scores.series(state)
        wanted = None if only is None else frozenset(only)
        came = arrivals(state)
        decisions = {seen.event.id: seen.event for seen in state.decisions}
        found = {}
        for place, one in enumerate(came):
            event = one.event
            if not isinstance(event, ev.QuestionAsked) or (wanted is not None and event.id not in wanted):
                continue
            span = window(state, series, one.start, _following(came, place))
            key = (event.id, span, series.baseline, series.scenario_set, series.total)
            if key not in self._over:
                known = outcome(state, series, span, decisions.get(event.parent or ""), self._views)
                if span.ended == "end":
                    found[one.asked] = known
                    continue
                self._over[key] = known
            found[one.asked] = self._over[key]
        return found


def _following(came: list[Arrival], place: int) -> int | None:
    start = came[place].start
    return next((one.start for one in came[place + 1 :] if one.start > start), None)


def outcome_of(state: SessionState, question: str) -> Outcome | None:
    """What is known in `state` of one question (an event's id); None where it has not reached the agent."""
    return next(iter(Developing().at(state, (question,)).values()), None)
