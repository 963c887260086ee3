"""What a questioner is: given a moment and its ranked suggestions, ask, offer or be silent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sessions.events import DecisionPoint, Suggestion
from sessions.state import SessionState


@dataclass(frozen=True, slots=True)
class Ask:
    """Send this now. `text` is exactly what is sent; `entry` the bank entry it came from.

    `propensity` is the chance with which just this was chosen at this moment.
    """

    text: str
    entry: str | None
    propensity: float = 1.0


@dataclass(frozen=True, slots=True)
class Offer:
    """Show the suggestions and leave the choice to a person."""


@dataclass(frozen=True, slots=True)
class Silent:
    """Ask nothing, for this reason (budget spent, cooling down, control arm)."""

    reason: str


Move = Ask | Offer | Silent


class Questioner(Protocol):
    """Decides what is asked at a decision point. Pure: its randomness comes from a seed."""

    name: str

    def decide(self, state: SessionState, decision: DecisionPoint, suggestions: Sequence[Suggestion]) -> Move:
        """What to do at `decision`. `suggestions` are ranked, best first, and may be empty."""
