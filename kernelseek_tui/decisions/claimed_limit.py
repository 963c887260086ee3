"""`claimed_limit`: the agent says that no more is to be had, whether or not a bound says so too."""

from kernelseek_tui.decisions.claims import claims_of
from kernelseek_tui.decisions.protocol import Finding
from kernelseek_tui.decisions.standing import Backing, goal_met, unmet_clauses
from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind


class ClaimedLimit:
    """Joins the claim with what was measured before it.

    Confidence starts at 0.5 and each gap in the evidence adds to it (weights are a guess, to be calibrated
    on labelled sessions): no bound measured 0.2, fewer than two layers looked at 0.15, the kernel edited
    after the last measurement, or after that of the number that is claimed, 0.15, unmet clauses 0.1. When the
    goal is measured as met, a limit is no news.
    """

    kind = DecisionKind.CLAIMED_LIMIT
    version = "4"

    def __init__(self, backing: Backing | None = None) -> None:
        self._backing = backing or Backing()

    def look(self, state: SessionState, event: ev.AnyEvent) -> Finding | None:
        """A finding when the newest event is the main agent's claim of a limit."""
        self._backing.take(state, event)
        if not isinstance(event, ev.AgentText) or event.agent is not None:
            return None
        claim = next((claim for claim in claims_of(event.text) if claim.kind == "limit"), None)
        if claim is None or goal_met(state):
            return None
        evidence = [ev.Evidence(event=event.id, quote=claim.quote)]
        confidence, gaps = 0.5, []
        behind = self._backing
        if behind.bound is None:
            gaps.append("no bound is recognised before it")
            confidence += 0.2
        if len(behind.layers) < 2:
            where = ", ".join(sorted(behind.layers)) or "none"
            gaps.append(f"fewer than two layers looked at are recognised ({where})")
            confidence += 0.15
        if behind.stale and behind.edited is not None:
            gaps.append("the kernel changed after the last measurement recognised")
            evidence.append(
                ev.Evidence(event=behind.edited.event_id, quote="edit after the last measurement recognised")
            )
            confidence += 0.15
        elif old := behind.outdated(claim.quote):
            gaps.append("its number was measured before the kernel was last edited")
            evidence.append(
                ev.Evidence(event=old[0].event_id, quote="the measurement that the number comes from")
            )
            evidence.append(
                ev.Evidence(event=old[1].event_id, quote="edit of the kernel after that measurement")
            )
            confidence += 0.15
        if unmet := unmet_clauses(state):
            gaps.append("clauses of the goal are unmet")
            evidence.append(unmet[0])
            confidence += 0.1
        reason = f"The agent {claim.family}"
        reason += (
            f", but {'; '.join(gaps)}." if gaps else "; it measured a bound: does that bound say so too?"
        )
        return Finding(self.kind, tuple(evidence), min(confidence, 0.95), reason)

    def stands(self, state: SessionState, finding: Finding) -> bool:
        """Still worth raising once the session is quiet."""
        return not goal_met(state)
