"""`scope`: the session opens, and nobody has said what is to be measured or measured it."""

from kernelseek_tui.decisions.claims import claims_of
from kernelseek_tui.decisions.protocol import Finding
from kernelseek_tui.decisions.scores import measures
from kernelseek_tui.decisions.topic import READ_AT_MOST, Topic
from sessions import events as ev
from sessions.figures import prints_figure
from sessions.state import SessionState
from sessions.vocabulary import Activity, DecisionKind

# Later than this a session has a scope, said or not: main agent's texts and people's messages, and events.
_OPENING_TEXTS, _OPENING_EVENTS = 16, 200


class Scope:
    """Fires once, at the main agent's first words after the session is known to be about kernel speed.

    Only before the kernel was edited and before anything was evaluated or benchmarked: later the moment is
    over.
    """

    kind = DecisionKind.SCOPE
    version = "2"

    def __init__(self) -> None:
        self._over = False
        self._topic = Topic()
        self._tools = 0
        self._measured = False

    def look(self, state: SessionState, event: ev.AnyEvent) -> Finding | None:
        """A finding at the opening moment, once."""
        if self._over:
            return None
        late = self._topic.heard >= _OPENING_TEXTS or state.count > _OPENING_EVENTS
        if late or self._begun(state, event):
            self._over = True
            return None
        self._topic.hear(event)
        self._measured = self._measured or measures(state, event)
        if not isinstance(event, ev.AgentText) or event.agent is not None or not self._topic.about_speed:
            return None
        self._over = True
        if claims_of(event.text):
            return None  # what opens by closing is another kind of moment
        words = " ".join(event.text.split())
        here = ev.Evidence(event=event.id, quote=words[:200] + ("…" if len(words) > 200 else ""))
        said = self._topic.said
        asked = (said,) if said and said.event != event.id else ()
        # A number that is quoted was measured somewhere, if only before this record.
        quoted = any(map(prints_figure, (words[:READ_AT_MOST], said.quote if said else "")))
        what = "no kernel edit" if quoted or self._measured else "no measurement and no kernel edit"
        reason = f"The session opens: {what} is recognised yet."
        return Finding(self.kind, (here, *asked), 0.5, reason)

    def stands(self, state: SessionState, finding: Finding) -> bool:
        """Still the opening, once the session is quiet: nothing measured, no kernel edited."""
        return not state.evaluations and not any(_opens(run.activity) for run in state.tools[-20:])

    def _begun(self, state: SessionState, event: ev.AnyEvent) -> bool:
        runs, self._tools = state.tools[self._tools :], len(state.tools)
        edited = isinstance(event, ev.Edit) and event.candidate
        return edited or bool(state.evaluations) or any(_opens(run.activity) for run in runs)


def _opens(activity: Activity) -> bool:
    return activity in (Activity.KERNEL_EDIT, Activity.BENCHMARK_RUN)
