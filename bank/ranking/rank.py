"""The ranker: rules with visible reasons, then a spread over groups and layers."""

from collections.abc import Mapping
from dataclasses import dataclass

from bank.bank import Bank
from bank.moment import RankingFacts
from bank.params import fill
from bank.question import Question
from bank.reasons import RULES, shared_words
from sessions.events import Suggestion
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind

SAME_GROUP_ABOVE = -6.0
SAME_LAYER_ABOVE = -0.75
"""What an entry loses for each entry above it from its group, or leading to its layer: a short list should
open several doors. The first outweighs all good reasons together, so a group comes twice only after every
other group that serves the moment and was not put aside."""


@dataclass(frozen=True, slots=True)
class _Scored:
    entry: Question
    score: float
    reasons: tuple[str, ...]
    facts: bool  # some reason speaks of what happened in the session
    shared: int  # words of the question that the agent used lately


def _score(entry: Question, moment: RankingFacts) -> _Scored:
    score = 0.0
    facts = False
    found: list[tuple[float, str]] = []
    for rule in RULES:
        reason = rule.applies(entry, moment)
        if reason is not None:
            score += rule.weight
            facts = facts or rule.fact
            found.append((rule.weight, reason))
    # the heaviest reason first, whichever way it points; the table's order among equals
    found.sort(key=lambda item: -abs(item[0]))
    reasons = tuple(reason for _, reason in found)
    return _Scored(entry, score, reasons, facts, len(shared_words(entry, moment)))


def rank(
    bank: Bank,
    state: SessionState,
    decision_kind: DecisionKind,
    *,
    facts: Mapping[str, str] | None = None,
    limit: int = 5,
) -> list[Suggestion]:
    """The best questions for a moment, best first, at most `limit`, with the reasons for their places.

    Only entries that serve `decision_kind` are looked at; deprecated ones never. `facts` fills parameters
    (`arch`: the device's name). The first has a reason that speaks of what happened in this session, while
    any entry has one. Deterministic: the same bank, state and kind give the same list; ties go to the entry
    that shares more words with what the agent said last, then in the order of ids. But for the first, scores
    fall from place to place, and they are comparable within one list only.
    """
    moment = RankingFacts(bank, state, decision_kind)
    left = [_score(entry, moment) for entry in bank.select(kind=decision_kind)]
    chosen: list[Suggestion] = []
    groups: dict[str, int] = {}
    layers: dict[str, int] = {}

    def standing(item: _Scored) -> float:
        same_group = SAME_GROUP_ABOVE * groups.get(item.entry.group, 0)
        return item.score + same_group + SAME_LAYER_ABOVE * layers.get(item.entry.moves.to, 0)

    while left and len(chosen) < limit:
        # The first is what an automatic questioner asks: it must have something of this session for it.
        able = [item for item in left if item.facts and item.score > 0] if not chosen else []
        best = min(able or left, key=lambda item: (-standing(item), -item.shared, item.entry.id))
        left.remove(best)
        entry = best.entry
        reasons = list(best.reasons)
        if groups.get(entry.group):
            reasons.append("a question of its group stands above")
        elif layers.get(entry.moves.to):
            reasons.append("a question above leads to the same layer")
        chosen.append(
            Suggestion(
                entry=entry.id,
                group=entry.group.value,
                question=fill(entry.question, facts or {}),
                score=round(standing(best), 2),
                reasons=tuple(reasons),
            )
        )
        groups[entry.group] = groups.get(entry.group, 0) + 1
        layers[entry.moves.to] = layers.get(entry.moves.to, 0) + 1
    return chosen
