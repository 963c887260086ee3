"""Past effect, pooled and shrunk; and the exploring slot."""

from collections import Counter
from dataclasses import dataclass, field

import pytest

from bank.bank import Bank
from bank.question import Group
from bank.ranking import Ranker
from bank.ranking.exploring import Exploring
from bank.ranking.utility import PRIOR, WEIGHT, utility
from sessions.vocabulary import DecisionKind
from tests.bank.builders import Story, entry

KIND = DecisionKind.PLATEAU


@dataclass
class Past:
    """(group, kind) to successes and trials."""

    counts: dict[tuple[Group, DecisionKind], tuple[int, int]] = field(default_factory=dict)

    def successes(self, group: Group, kind: DecisionKind) -> int:
        return self.counts.get((group, kind), (0, 0))[0]

    def trials(self, group: Group, kind: DecisionKind) -> int:
        return self.counts.get((group, kind), (0, 0))[1]

    @property
    def overall(self) -> tuple[int, int]:
        return sum(s for s, _ in self.counts.values()), sum(t for _, t in self.counts.values())


def test_without_askings_nothing_is_said() -> None:
    assert utility(None, Group.HOST, KIND) is None
    assert utility(Past(), Group.HOST, KIND) is None
    assert utility(Past({(Group.DATA, KIND): (3, 9)}), Group.HOST, KIND) is None
    assert utility(Past({(Group.HOST, DecisionKind.SCOPE): (9, 9)}), Group.HOST, KIND) is None


def test_the_rate_is_shrunk_towards_that_of_all() -> None:
    past = Past({(Group.HOST, KIND): (20, 20), (Group.DATA, KIND): (0, 20)})
    good, bad = utility(past, Group.HOST, KIND), utility(past, Group.DATA, KIND)
    assert good is not None
    assert bad is not None
    # halfway between all and what was seen, with as many askings as the prior counts
    assert PRIOR == 20
    assert good.score == pytest.approx(WEIGHT * 0.25)
    assert bad.score == pytest.approx(-WEIGHT * 0.25)
    assert (good.successes, good.trials, good.overall) == (20, 20, 0.5)


def test_a_handful_of_askings_moves_nothing() -> None:
    past = Past({(Group.HOST, KIND): (1, 1), (Group.DATA, KIND): (10, 20)})
    assert utility(past, Group.HOST, KIND) is None


def _bank(groups: int = 10) -> Bank:
    return Bank(
        tuple(
            entry(id=f"kq-x-{place:03d}", group=group, question=f"How many {group} are there?")
            for place, group in enumerate(list(Group)[:groups])
        )
    )


def test_past_effect_turns_the_order_and_says_why() -> None:
    bank = _bank(2)
    assert Ranker(bank).rank(Story().state(), KIND)[0].group == Group.BOUNDS
    past = Past({(Group.BOUNDS, KIND): (1, 30), (Group.SCOPE, KIND): (25, 30)})
    first, second = Ranker(bank, past=past).rank(Story().state(), KIND)
    assert first.group == Group.SCOPE
    assert (
        "25 of 30 questions of its group led to a new measurement at such moments, 43% of all did"
        in first.reasons
    )
    assert any(reason.startswith("1 of 30") for reason in second.reasons)


def test_the_last_place_is_drawn_with_a_known_chance() -> None:
    bank = _bank()
    plain = Ranker(bank).rank(Story().state(), KIND, 4)
    drawn: Counter[str] = Counter()
    for seed in range(700):
        listed = Ranker(bank, exploring=Exploring(0.5, seed)).rank(Story().state(), KIND, 4)
        assert listed[:3] == plain[:3]
        last = listed[3]
        assert last.propensity == pytest.approx(1 / 7)
        assert last.reasons[0] == "drawn from the other 7, to learn what is never ranked high"
        drawn[last.entry] += 1
    assert {one.propensity for one in plain} == {1.0}
    assert set(drawn) == {one.id for one in bank.entries} - {one.entry for one in plain[:3]}
    assert min(drawn.values()) > 60  # of 100 expected each


def test_the_draw_is_the_same_each_time_and_differs_from_moment_to_moment() -> None:
    ranker = Ranker(_bank(), exploring=Exploring(0.5, 1))
    story = Story()
    lasts = []
    for _ in range(12):
        state = story.say("so").state()
        lasts.append(ranker.rank(state, KIND, 3)[-1].entry)
        assert ranker.rank(state, KIND, 3)[-1].entry == lasts[-1]
    assert len(set(lasts)) > 3


@pytest.mark.parametrize("limit", [0, 1, 10, 20])
def test_nothing_is_drawn_where_there_is_no_choice(limit: int) -> None:
    listed = Ranker(_bank(), exploring=Exploring(0.5)).rank(Story().state(), KIND, limit)
    assert len(listed) == min(limit, 10)
    assert {one.propensity for one in listed} <= {1.0}
