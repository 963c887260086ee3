"""What a rule is: one look at an entry and a moment, a weight, and the sentence it gives.

Weights are on one scale: the logarithm of how much likelier a rule makes a group to be the one that helps.
One that speaks to every entry alike would change nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from bank.question import Question
from bank.ranking.moment import RankingFacts
from sessions.vocabulary import DecisionKind, Layer


class Reason(NamedTuple):
    """A sentence for the reader, and how strongly the rule applies: its weight is multiplied by that."""

    text: str
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Rule:
    """One reason: `applies` gives the sentence, or None where the rule says nothing.

    `fact`: it speaks of something that happened or stands in this session. What merely has not happened is
    none by itself.
    """

    name: str
    weight: float
    why: str
    applies: Callable[[Question, RankingFacts], Reason | str | None]
    fact: bool = False


LAYER_NAMES = {
    Layer.KERNEL: "the kernel",
    Layer.MEMORY: "memory traffic",
    Layer.BUILD: "the build",
    Layer.HOST: "the host path",
    Layer.ROUTING: "routing",
    Layer.NUMERICS: "the numerics",
    Layer.BENCHMARK: "the benchmark",
    Layer.PROCESS: "the process",
}

KIND_NAMES = {
    DecisionKind.SCOPE: "an opening",
    DecisionKind.PLATEAU: "a plateau",
    DecisionKind.CLAIMED_LIMIT: "a claimed limit",
    DecisionKind.CLAIMED_COMPLETION: "a claimed completion",
    DecisionKind.SUSPICIOUS_WIN: "a suspicious win",
    DecisionKind.EXPLAINED_ANOMALY: "an explained anomaly",
    DecisionKind.REPEATED_EDIT: "a repeated edit",
    DecisionKind.AGENT_LOOP: "a loop",
}
