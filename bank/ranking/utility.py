"""Past effect, pooled over a group and a kind of moment, shrunk towards the rate of all askings.

Pooled because single entries are asked too seldom to say anything: in a simulation with 124 questions, ten
groups and five kinds, learning by entry gained nothing in 300 askings, learning by group and kind raised the
success rate from 0.10 to 0.17.
"""

from dataclasses import dataclass
from typing import Protocol

from bank.question import Group
from sessions.vocabulary import DecisionKind

PRIOR = 20.0
"""The overall rate counts like so many askings of the pair: below that, what was seen moves little."""
WEIGHT = 4.0
"""Score for a pair whose questions always succeed, over the overall rate; a tenth better is worth 0.4."""
LEAST = 0.05
"""Smaller differences are left unsaid."""


class PastEffect(Protocol):
    """Counts of askings and of successes: a number came back from a layer that had not been measured."""

    def trials(self, group: Group, kind: DecisionKind) -> int:
        """Askings of the group's entries at such moments."""

    def successes(self, group: Group, kind: DecisionKind) -> int:
        """Those that succeeded."""

    @property
    def overall(self) -> tuple[int, int]:
        """Successes and trials of all groups and kinds."""


@dataclass(frozen=True, slots=True)
class Utility:
    """The score that past effect adds, and the counts behind it."""

    score: float
    successes: int
    trials: int
    overall: float


def utility(past: PastEffect | None, group: Group, kind: DecisionKind) -> Utility | None:
    """What past effect says for a group at a kind of moment; None where it says nothing."""
    if past is None or not (trials := past.trials(group, kind)):
        return None
    succeeded, asked = past.overall
    base = succeeded / asked if asked else 0.0
    seen = past.successes(group, kind)
    rate = (seen + PRIOR * base) / (trials + PRIOR)
    if abs(rate - base) < LEAST:
        return None
    return Utility(round(WEIGHT * (rate - base), 2), seen, trials, base)
