"""The ranker: rules with visible reasons, past effects, then a spread over groups and layers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from bank.bank import Bank
from bank.params import fill
from bank.question import Question
from bank.ranking.exploring import Exploring
from bank.ranking.moment import RankingFacts
from bank.ranking.offered import offered
from bank.ranking.rules import RULES, Reason
from bank.ranking.rules.words import shared_words
from bank.ranking.utility import PastEffect, utility
from sessions.events import Suggestion
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind

SAME_GROUP_ABOVE = -6.0
SAME_LAYER_ABOVE = -0.75
"""What an entry loses for each entry above it from its group, or leading to its layer: a short list should
open several doors. The first outweighs all good reasons together, so a group comes twice only after every
other group that serves the moment and was not put aside."""


SUNK = -2.0
"""What was asked before or put aside stands below, whatever speaks for it."""


@dataclass(frozen=True, slots=True)
class _Scored:
    entry: Question
    score: float
    reasons: tuple[str, ...]
    facts: bool  # some reason speaks of what happened in the session
    shared: int  # words of the question that the agent used lately


@dataclass(frozen=True)
class Ranker:
    """Ranks a bank's questions for moments.

    `given`: facts from outside of the session that fill parameters (`arch`: the device's name). `past`:
    effects measured earlier; without them the rules alone decide. `exploring`: the last place of every list
    is drawn; without it nothing is left to chance.
    """

    bank: Bank
    given: Mapping[str, str] = field(default_factory=dict)
    past: PastEffect | None = None
    exploring: Exploring | None = None

    def rank(self, state: SessionState, kind: DecisionKind, limit: int = 5) -> list[Suggestion]:
        """The best questions for a moment, best first, at most `limit`, with the reasons for their places.

        Only what may be offered is looked at (`bank.ranking.offered`). The first has a reason that speaks of
        what happened in this session, while any entry has one. The same bank, state, kind and seed give the
        same list; ties go to the entry that shares more words with what the agent said last, then in the
        order of ids. But for the first, scores fall from place to place, and they are comparable within one
        list only.
        """
        if limit < 1:
            return []
        moment = RankingFacts(self.bank, state, kind, self.given)
        left = [_score(entry, moment, self.past) for entry in offered(moment)]
        drawing = self.exploring if 1 < limit < len(left) else None
        listed = [
            _suggestion(item, moment, score, reasons, 1.0)
            for item, score, reasons in _spread_out(left, limit - 1 if drawing else limit)
        ]
        if drawing:
            entry = drawing.draw([item.entry for item in left], state, kind)
            item = next(item for item in left if item.entry is entry)
            reasons = (f"drawn from the other {len(left)}, to learn what is never ranked high", *item.reasons)
            listed.append(_suggestion(item, moment, item.score, reasons, 1 / len(left)))
        return listed


def rank(
    bank: Bank,
    state: SessionState,
    decision_kind: DecisionKind,
    *,
    facts: Mapping[str, str] | None = None,
    limit: int = 5,
) -> list[Suggestion]:
    """`Ranker.rank` with the rules alone."""
    return Ranker(bank, facts or {}).rank(state, decision_kind, limit)


def _score(entry: Question, moment: RankingFacts, past: PastEffect | None) -> _Scored:
    facts = False
    found: list[tuple[float, str]] = []
    for rule in RULES:
        said = rule.applies(entry, moment)
        if said is not None:
            reason = said if isinstance(said, Reason) else Reason(said)
            facts = facts or rule.fact
            found.append((rule.weight * reason.strength, reason.text))
    effect = utility(past, entry.group, moment.kind)
    if effect is not None:
        counted = f"{effect.successes} of {effect.trials} questions of its group led to a new measurement"
        found.append((effect.score, f"{counted} at such moments, {effect.overall:.0%} of all did"))
    score = sum(weight for weight, _ in found)
    # the heaviest reason first, whichever way it points; the table's order among equals
    found.sort(key=lambda item: -abs(item[0]))
    reasons = tuple(reason for _, reason in found)
    return _Scored(entry, score, reasons, facts, len(shared_words(entry, moment)))


def _spread_out(left: list[_Scored], limit: int) -> list[tuple[_Scored, float, tuple[str, ...]]]:
    """Takes the best out of `left`, one after the other: each with its score there and its reasons."""
    chosen: list[tuple[_Scored, float, tuple[str, ...]]] = []
    groups: Counter[str] = Counter()
    layers: Counter[str] = Counter()

    def standing(item: _Scored) -> float:
        same_group = SAME_GROUP_ABOVE * groups[item.entry.group]
        return item.score + same_group + SAME_LAYER_ABOVE * layers[item.entry.moves.to]

    while left and len(chosen) < limit:
        # The first is what an automatic questioner asks: it must have something of this session for it.
        able = [item for item in left if item.facts and item.score > SUNK] if not chosen else []
        best = min(able or left, key=lambda item: (-standing(item), -item.shared, item.entry.id))
        left.remove(best)
        more: tuple[str, ...] = ()
        if not chosen and any(standing(item) > standing(best) for item in left):
            more = ("stands first because something that happened in this session speaks for it",)
        elif groups[best.entry.group]:
            more = ("a question of its group stands above",)
        elif layers[best.entry.moves.to]:
            more = ("a question above leads to the same layer",)
        chosen.append((best, standing(best), best.reasons + more))
        groups[best.entry.group] += 1
        layers[best.entry.moves.to] += 1
    return chosen


def _suggestion(
    item: _Scored, moment: RankingFacts, score: float, reasons: tuple[str, ...], propensity: float
) -> Suggestion:
    return Suggestion(
        entry=item.entry.id,
        group=item.entry.group.value,
        question=fill(item.entry.question, moment.parameters),
        score=round(score, 2),
        reasons=reasons,
        propensity=propensity,
    )
