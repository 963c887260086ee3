"""The exploring slot: the last place of a list is drawn, so that what is never ranked high is tried, too.

Off unless it is asked for. Draws depend on the seed and the moment alone, and their chances are kept with the
suggestion and the question: later estimates can weigh by them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from bank.question import Question
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind


@dataclass(frozen=True, slots=True)
class Exploring:
    """`rate`: how often an automatic questioner asks the drawn entry instead of the first, from 0 to 1."""

    rate: float
    seed: int = 0

    def draw(self, left: Sequence[Question], state: SessionState, kind: DecisionKind) -> Question:
        """One of `left`, of which there must be one, each with the same chance."""
        return self._random("draw", state, kind).choice(sorted(left, key=lambda entry: entry.id))

    def tries(self, state: SessionState, kind: DecisionKind) -> bool:
        """Whether the drawn entry is asked at this moment."""
        return self._random("try", state, kind).random() < self.rate

    def _random(self, what: str, state: SessionState, kind: DecisionKind) -> Random:
        # seeded with a text, so that the draw is the same in every process
        return Random(f"{what} {self.seed} {state.count} {kind}")
