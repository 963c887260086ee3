"""`claimed_completion`: the agent says that it is done, or stops, and no measurement says so."""

from dataclasses import replace

from kernelseek_tui.decisions.claims import claims_of
from kernelseek_tui.decisions.protocol import Finding
from kernelseek_tui.decisions.standing import SOON, Backing, goal_met, unmet_clauses
from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind

OFF_TOPIC = 0.4


class ClaimedCompletion:
    """Joins the claim with the goal's truth.

    A goal measured as met, by a counting evaluation of the candidate as it is now, makes the claim true and
    raises nothing. Known unmet clauses make it certain (0.95). Where no goal is known, as in transcripts of
    others, every closing claim is a moment: 0.85 when the kernel changed after the last measurement or
    no measurement is recognised, else 0.6. The weights are a guess, to be calibrated on labelled sessions.

    In a session that is not about speed, as far as its words tell, much gets done that nobody will measure:
    its claims are moments too, at 0.4 and saying so. A check that failed within five events before the claim,
    or after it, contradicts it: that is one moment, raised once, at 0.9. A number in the claim that was
    measured before the last edit of the kernel is named.

    A turn that ends with unmet clauses and without any claim is a stop attempt and raises the same kind.
    """

    kind = DecisionKind.CLAIMED_COMPLETION
    version = "4"

    def __init__(self, backing: Backing | None = None) -> None:
        self._backing = backing or Backing()
        self._claimed = False
        self._last: tuple[int, ev.Evidence] | None = None

    def look(self, state: SessionState, event: ev.AnyEvent) -> Finding | None:
        """A finding when the newest event is a claim of completion or a stop with unmet clauses."""
        self._backing.take(state, event)
        if isinstance(event, ev.HumanMessage | ev.QuestionAsked | ev.Evaluation):
            self._claimed = False  # what was claimed before that has been answered
        if isinstance(event, ev.TurnEnded) and event.agent is None:
            return self._stop(state, event)
        if isinstance(event, ev.ToolResult | ev.Evaluation):
            return self._after(state)
        if not isinstance(event, ev.AgentText) or event.agent is not None:
            return None
        claims = claims_of(event.text)
        self._claimed = self._claimed or bool(claims)
        claim = next((claim for claim in claims if claim.kind == "completion"), None)
        if claim is None or goal_met(state):
            return None
        said = ev.Evidence(event=event.id, quote=claim.quote)
        self._last = (state.count - 1, said)
        if failed := self._backing.contradicted(state.count - 1):
            reason = f"The agent {claim.family}, and a check had failed just before."
            return Finding(self.kind, (said, failed), 0.9, reason)
        found = self._judge(state, said, f"The agent {claim.family}")
        if self._backing.about_speed:
            return found
        reason = f"{found.reason} The session does not seem to be about speed."
        return replace(found, confidence=OFF_TOPIC, reason=reason)

    def stands(self, state: SessionState, finding: Finding) -> bool:
        """Still worth raising once the session is quiet."""
        return not goal_met(state)

    def _after(self, state: SessionState) -> Finding | None:
        """A check that fails soon after the claim. Raised already, the claim is in its cool-down."""
        failed = self._backing.failed
        if self._last is None or failed is None or failed[0].index != state.count - 1:
            return None
        index, said = self._last
        self._last = None
        if state.count - 1 - index > SOON:
            return None
        reason = "The agent said that it is over, and a check failed just after."
        return Finding(self.kind, (said, ev.Evidence(event=failed[0].event_id, quote=failed[1])), 0.9, reason)

    def _stop(self, state: SessionState, event: ev.TurnEnded) -> Finding | None:
        claimed, self._claimed = self._claimed, False
        unmet = unmet_clauses(state)
        if event.reason != "completed" or claimed or unmet is None:
            return None
        said = ev.Evidence(event=event.id, quote="the agent ended its turn")
        count = len(unmet[1])
        clauses = "1 clause of the goal is" if count == 1 else f"{count} clauses of the goal are"
        reason = f"The agent ended its turn while {clauses} unmet."
        return Finding(self.kind, (said, unmet[0]), 0.9, reason)

    def _judge(self, state: SessionState, said: ev.Evidence, says: str) -> Finding:
        unmet, behind = unmet_clauses(state), self._backing
        if unmet:
            count = len(unmet[1])
            clauses = "1 clause of the goal is" if count == 1 else f"{count} clauses of the goal are"
            reason = f"{says}, but {clauses} unmet."
            return Finding(self.kind, (said, unmet[0]), 0.95, reason)
        if behind.measured is None:
            return Finding(self.kind, (said,), 0.85, f"{says}, but no measurement is recognised before it.")
        measured = ev.Evidence(event=behind.measured.event_id, quote="the last measurement")
        if behind.stale and behind.edited is not None:
            edited = ev.Evidence(
                event=behind.edited.event_id, quote="edit after the last measurement recognised"
            )
            reason = f"{says}, but the kernel changed after the last measurement recognised."
            return Finding(self.kind, (said, edited, measured), 0.85, reason)
        if old := behind.outdated(said.quote):
            edited = ev.Evidence(event=old[1].event_id, quote="edit of the kernel after that measurement")
            source = ev.Evidence(event=old[0].event_id, quote="the measurement that the number comes from")
            reason = f"{says}, with a number that was measured before the kernel was last edited."
            return Finding(self.kind, (said, source, edited), 0.85, reason)
        return Finding(self.kind, (said, measured), 0.6, f"{says}, and no goal verdict stands behind it.")
