"""Whether the first three questions name the layer that the next real gain came from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bank.bank import Bank
from bank.evaluation.chance import among
from bank.evaluation.evaluate import serving
from bank.evaluation.folding import FoldedState
from bank.evaluation.labels import Gain
from bank.evaluation.scores import Scores
from sessions.shares import wilson
from sessions.vocabulary import Layer

SHOWN = 3
"""Suggestions that are looked at."""


@dataclass(frozen=True, slots=True)
class Named:
    """One state. `offered` distinct layers stand in the first three, of `reachable` that the kind leads to.

    `of_eight`: the chance that as many random layers of all name the gain's; `of_kind`: of the reachable
    ones, 0 where its layer is none of them; `of_entries`: that three random entries for the kind do.
    `frequent`: the layers that most gains of other sessions came from would have, as many as are offered.
    """

    id: str
    session: str
    gain: Gain
    named: bool
    offered: int
    reachable: int
    of_eight: float
    of_kind: float
    of_entries: float
    frequent: bool


@dataclass(frozen=True, slots=True)
class Hindsight:
    """The states of a known kind whose next gain is known."""

    states: Sequence[Named]

    @property
    def hits(self) -> int:
        """States where the layer was named."""
        return sum(state.named for state in self.states)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of their share."""
        return wilson(self.hits, len(self.states))

    def part(self, *, derived: bool) -> "Hindsight":
        """Only gains that were derived, or only those an annotator gave."""
        return Hindsight([state for state in self.states if state.gain.derived is derived])

    def away(self) -> "Hindsight":
        """Only gains that came from outside the kernel: questions are meant to lead away from it."""
        return Hindsight([state for state in self.states if state.gain.layer is not Layer.KERNEL])

    def by_layer(self) -> dict[Layer, "Hindsight"]:
        """By the layer of the gain, in the order of the layers."""
        found = {layer: [one for one in self.states if one.gain.layer is layer] for layer in Layer}
        return {layer: Hindsight(states) for layer, states in found.items() if states}


def hindsight(states: Iterable[FoldedState], scores: Scores, bank: Bank) -> Hindsight:
    """Score the lists of `scores`, made of the same states and bank. Gains of other sessions are all that
    the frequent layers are counted from."""
    tops = {case.label.id: [place.layer for place in case.top[:SHOWN]] for case in scores.cases}
    known = [
        (one, one.next_gain) for one in states if one.next_gain is not None and one.label.kind is not None
    ]
    found = []
    for one, gain in known:
        shown = set(tops.get(one.label.id, ()))
        leads = [entry.moves.to for entry in serving(bank, one)]
        reachable = len(set(leads))
        others = [other.layer for state, other in known if state.label.file != one.label.file]
        # of equals the earlier in the order of the layers; a layer no gain came from is no guess
        often = sorted(set(others), key=lambda layer: (-others.count(layer), list(Layer).index(layer)))
        found.append(
            Named(
                one.label.id,
                one.label.file,
                gain,
                gain.layer in shown,
                len(shown),
                reachable,
                len(shown) / len(Layer),
                len(shown) / reachable if gain.layer in leads else 0.0,
                among(len(leads), leads.count(gain.layer), SHOWN),
                gain.layer in often[: len(shown)],
            )
        )
    return Hindsight(found)
