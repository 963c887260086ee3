"""The bank asks: the best suggestion that was not asked yet, as it stands."""

from collections.abc import Sequence

from kernelseek_tui.questioners.limits import Limits
from kernelseek_tui.questioners.protocol import Ask, Move, Silent
from sessions.events import DecisionPoint, Suggestion
from sessions.state import SessionState


class FromBank:
    """Sends the top suggestion of a moment, within its limits."""

    name = "bank"

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()

    def decide(self, state: SessionState, decision: DecisionPoint, suggestions: Sequence[Suggestion]) -> Move:
        """Ask the first suggestion whose entry was never asked in this session."""
        if refusal := self.limits.refusal(state, decision):
            return Silent(refusal)
        asked = {seen.event.entry for seen in state.asked}
        for suggestion in suggestions:
            if suggestion.entry not in asked:
                return Ask(suggestion.question, suggestion.entry)
        return Silent("every suggestion for this moment was asked before")
