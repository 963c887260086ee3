"""The labelled places: what docs/ranking.md says of the two readers is so."""

from collections import Counter

import pytest

from bank.question import Group
from bank.ranking.learn import states_of
from sessions.vocabulary import DecisionKind, Layer
from tests.bank.builders import HERE

FIRST = {state["id"]: state for state in states_of(HERE / "ranking" / "states.json")}
SECOND = {state["id"]: state for state in states_of(HERE / "ranking" / "second.json")}


def test_both_readers_labelled_the_same_places_with_known_words() -> None:
    assert len(FIRST) == 91
    assert list(FIRST) == list(SECOND)
    assert Counter(state["source"] for state in FIRST.values()) == {"traces": 78, "rehearsal": 13}
    for state in (*FIRST.values(), *SECOND.values()):
        assert DecisionKind(state["kind"])
        assert 1 <= len({Group(group) for group in state["groups"]}) == len(state["groups"]) <= 3
        assert 1 <= len({Layer(layer) for layer in state["layers"]}) == len(state["layers"]) <= 3
        assert state["why"]


def test_how_far_the_readers_agree() -> None:
    pairs = [(FIRST[name]["groups"], SECOND[name]["groups"]) for name in FIRST]
    same = sum(one[0] == other[0] for one, other in pairs) / len(pairs)
    ones, others = Counter(one[0] for one, _ in pairs), Counter(other[0] for _, other in pairs)
    by_chance = sum(ones[group] * others[group] for group in ones) / len(pairs) ** 2
    assert same == pytest.approx(0.59, abs=0.005)
    assert (same - by_chance) / (1 - by_chance) == pytest.approx(0.54, abs=0.005)
    assert sum(other[0] in one for one, other in pairs) / len(pairs) == pytest.approx(0.84, abs=0.005)
    assert sum(one[0] in other for one, other in pairs) / len(pairs) == pytest.approx(0.93, abs=0.005)
