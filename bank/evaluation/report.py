"""The ranker beside the methods that know nothing, on one set of states."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bank.bank import Bank
from bank.evaluation.evaluate import (
    Ranker,
    chance,
    counted_elsewhere,
    evaluate,
    last_asked,
    most_frequent,
    out_of_reach,
    random_entries,
    whole_list,
)
from bank.evaluation.folding import FoldedState
from bank.evaluation.hindsight import Hindsight, hindsight
from bank.evaluation.labels import LabelledState
from bank.evaluation.scores import Scores

RANKER, CHANCE = "ranker", "chance"


@dataclass(frozen=True, slots=True)
class Report:
    """`methods` by name, the ranker first and chance second. `unreachable` are ids of states of a known kind
    that no entry for it can hit; `unknown` those of kind none, which most figures leave out."""

    bank: str
    methods: Mapping[str, Scores]
    hindsight: Hindsight
    unreachable: Sequence[str]
    unknown: Sequence[str]

    @property
    def ranker(self) -> Scores:
        """The ranker's."""
        return self.methods[RANKER]

    @property
    def chance(self) -> Scores:
        """Those of a random order."""
        return self.methods[CHANCE]


def report_of(
    states: Sequence[FoldedState],
    bank: Bank,
    ranker: Ranker = whole_list,
    *,
    baselines: bool = True,
    elsewhere: Sequence[LabelledState] = (),
) -> Report:
    """Score everything. Chance always stands beside the ranker; `baselines` are the other methods.

    `elsewhere`: labels of other places, to ask by what they name most.
    """
    methods: dict[str, Scores] = {RANKER: evaluate(states, bank, ranker), CHANCE: chance(states, bank)}
    if baselines:
        methods["random entries"] = random_entries(states, bank)
        for name, of_kind in (("most frequent of kind", True), ("most frequent", False)):
            fitted = most_frequent(states, of_kind=of_kind)
            if fitted is not None:
                methods[name] = fitted
        if elsewhere:
            methods["most frequent elsewhere"] = counted_elsewhere(states, elsewhere)
        again = last_asked(states, bank)
        if again.cases:
            methods["last asked"] = again
    known = [one for one in states if one.label.kind is not None]
    return Report(
        bank.version,
        methods,
        hindsight(states, methods[RANKER], bank),
        out_of_reach(known, bank),
        [one.label.id for one in states if one.label.kind is None],
    )
