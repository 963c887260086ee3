"""The person at the screen decides."""

from collections.abc import Sequence

from kernelseek_tui.questioners.protocol import Move, Offer
from sessions.events import DecisionPoint, Suggestion
from sessions.state import SessionState


class Human:
    """Every moment is offered, none is asked without a key press."""

    name = "human"

    def decide(self, state: SessionState, decision: DecisionPoint, suggestions: Sequence[Suggestion]) -> Move:
        """Offer."""
        return Offer()
