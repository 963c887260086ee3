"""The bank asks: the best suggestion that was not asked yet, as it stands."""

from collections.abc import Sequence

from bank.ranking.exploring import Exploring
from kernelseek_tui.questioners.limits import Limits
from kernelseek_tui.questioners.protocol import Ask, Move, Silent
from sessions.events import DecisionPoint, Suggestion
from sessions.state import SessionState


class FromBank:
    """Sends the top suggestion of a moment, within its limits.

    With `exploring`, whose ranker draws the last place of each list, that one is sent instead now and then.
    """

    name = "bank"

    def __init__(self, limits: Limits | None = None, exploring: Exploring | None = None) -> None:
        self.limits = limits or Limits()
        self.exploring = exploring

    def decide(self, state: SessionState, decision: DecisionPoint, suggestions: Sequence[Suggestion]) -> Move:
        """Ask the first suggestion whose entry was never asked in this session, or the drawn one."""
        if refusal := self.limits.refusal(state, decision):
            return Silent(refusal)
        asked = {seen.event.entry for seen in state.asked}
        left = [suggestion for suggestion in suggestions if suggestion.entry not in asked]
        if not left:
            return Silent("every suggestion for this moment was asked before")
        ranked, drawn = left[0], left[-1]
        chance = 1.0 if drawn.propensity is None else drawn.propensity
        if self.exploring is None or chance == 1.0 or ranked is drawn:
            return Ask(ranked.question, ranked.entry)
        if self.exploring.tries(state, decision.decision):
            return Ask(drawn.question, drawn.entry, self.exploring.rate * chance)
        return Ask(ranked.question, ranked.entry, 1 - self.exploring.rate)
