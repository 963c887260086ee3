"""The control: moments are recorded, nothing is asked."""

from collections.abc import Sequence

from kernelseek_tui.questioners.protocol import Move, Silent
from sessions.events import DecisionPoint, Suggestion
from sessions.state import SessionState


class Nobody:
    """Never asks."""

    name = "none"

    def decide(self, state: SessionState, decision: DecisionPoint, suggestions: Sequence[Suggestion]) -> Move:
        """Stay silent."""
        return Silent("questioner none asks nothing")
