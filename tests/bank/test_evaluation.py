"""Scores of lists on labels: made states, made banks, rankers that are known to be good or bad."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bank.bank import Bank
from bank.evaluation.chance import by_classes
from bank.evaluation.evaluate import (
    chance,
    evaluate,
    last_asked,
    most_frequent,
    out_of_reach,
    random_entries,
    ranked,
)
from bank.evaluation.folding import FoldedState
from bank.evaluation.hindsight import hindsight
from bank.evaluation.labels import Gain, LabelledState
from bank.evaluation.outcome import Outcome, Reading
from bank.evaluation.report import report_of
from bank.question import Group
from bank.ranking import rank
from sessions.events import Suggestion
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind, Layer
from tests.bank.builders import Story, entry

PLATEAU, LIMIT = DecisionKind.PLATEAU, DecisionKind.CLAIMED_LIMIT
SHIPPED = Bank.load()
BANK = Bank(
    tuple(
        entry(id=id_, group=group, moves={"from": "kernel", "to": to}, decision_kinds=list(kinds))
        for id_, group, to, kinds in (
            ("kq-host-901", "host-and-launch-path", "host", ("plateau",)),
            ("kq-host-902", "host-and-launch-path", "routing", ("plateau", "claimed_limit")),
            ("kq-scope-901", "scope-and-triage", "process", ("plateau",)),
            ("kq-data-901", "data-movement-and-overlap", "memory", ("plateau",)),
            ("kq-limits-901", "limits-hypotheses-and-process", "process", ("claimed_limit",)),
        )
    )
)


def _label(**changes: object) -> LabelledState:
    label = LabelledState("a", "one.jsonl", 0, PLATEAU, (Group.DATA,), (Layer.MEMORY,), "one")
    return replace(label, **changes)  # type: ignore[arg-type]


def _state(label: LabelledState, state: SessionState | None = None) -> FoldedState:
    return FoldedState(label, state if state is not None else SessionState(), label.next_gain)


def _listing(*ids: str) -> Sequence[Suggestion]:
    return [
        Suggestion(entry=id_, group=BANK.get(id_).group.value, question="?", score=0.0, reasons=())
        for id_ in ids
    ]


def _fixed(*ids: str):  # type: ignore[no-untyped-def]
    return lambda bank, state, kind: _listing(*ids)


PLATEAU_ORDER = _fixed("kq-host-901", "kq-host-902", "kq-scope-901", "kq-data-901")


def test_hits_count_suggestions_and_ranks_count_classes() -> None:
    scores = evaluate([_state(_label())], BANK, PLATEAU_ORDER)
    (case,) = scores.cases
    # the fourth suggestion, of the third group and the fourth layer
    assert case.outcomes[Reading.GROUP] == Outcome(0.0, 0.0, 1 / 3)
    assert case.outcomes[Reading.LAYER] == Outcome(0.0, 0.0, 1 / 4)
    assert case.ranks is not None
    assert (case.ranks[Reading.GROUP], case.ranks[Reading.LAYER]) == (3, 4)
    assert [place.entry for place in case.top][:2] == ["kq-host-901", "kq-host-902"]


def test_any_acceptable_value_or_the_first_only() -> None:
    label = _label(groups=(Group.DATA, Group.HOST), layers=(Layer.ROUTING, Layer.HOST))
    (case,) = evaluate([_state(label)], BANK, PLATEAU_ORDER).cases
    assert case.outcomes[Reading.GROUP] == Outcome(1.0, 1.0, 1.0)
    assert case.outcomes[Reading.FIRST_GROUP] == Outcome(0.0, 0.0, 1 / 3)
    assert case.outcomes[Reading.LAYER] == Outcome(1.0, 1.0, 1.0)
    assert case.outcomes[Reading.FIRST_LAYER] == Outcome(0.0, 1.0, 0.5)


def test_a_group_that_is_not_listed_has_no_rank() -> None:
    label = _label(groups=(Group.NUMERICS,))
    (case,) = evaluate([_state(label)], BANK, PLATEAU_ORDER).cases
    assert case.outcomes[Reading.GROUP] == Outcome(0.0, 0.0, 0.0)
    assert case.ranks is not None
    assert case.ranks[Reading.GROUP] is None
    assert out_of_reach([_state(label), _state(_label(id="b"))], BANK) == ["a"]


def test_a_label_without_layers_is_scored_on_groups_only() -> None:
    scores = evaluate([_state(_label(layers=())), _state(_label(id="b"))], BANK, PLATEAU_ORDER)
    assert scores.figures(Reading.GROUP).total == 2
    assert scores.figures(Reading.LAYER).total == 1


def test_figures() -> None:
    states = [
        _state(_label(id="a", groups=(Group.HOST,))),
        _state(_label(id="b", groups=(Group.HOST,))),
        _state(_label(id="c", groups=(Group.SCOPE,))),
        _state(_label(id="d", file="two.jsonl", groups=(Group.NUMERICS,))),
    ]
    found = evaluate(states, BANK, PLATEAU_ORDER).figures()
    assert (found.total, found.hits1, found.hits3) == (4, 2, 3)
    assert found.reciprocal == pytest.approx((1 + 1 + 1 / 2 + 0) / 4)
    assert found.macro3 == pytest.approx((1 + 0) / 2)
    assert [round(edge, 2) for edge in found.interval3] == [0.30, 0.95]
    assert found.reciprocal_interval == (0.0, pytest.approx(2.5 / 3))


def test_splits() -> None:
    states = [
        _state(_label(id="a")),
        _state(_label(id="b", kind=LIMIT, task="two")),
        _state(_label(id="c", kind=None)),
    ]
    scores = evaluate(states, BANK)
    parts = scores.split(lambda label: label.task)
    assert {name: found.total for name, found in parts.items()} == {"one": 1, "two": 1}


def test_kind_none_is_left_out_unless_asked_for() -> None:
    states = [_state(_label(id="a")), _state(_label(id="b", kind=None))]
    report = report_of(states, BANK)
    assert report.unknown == ["b"]
    assert report.ranker.figures().total == 1
    assert report.ranker.figures(unknown=True).total == 2
    assert report.chance.cases[1].outcomes[Reading.GROUP] == by_classes(
        [one.group for one in BANK.entries], [Group.DATA]
    )


def test_the_lists_of_all_kinds_are_made_one() -> None:
    def ranker(bank: Bank, state: SessionState, kind: DecisionKind) -> Sequence[Suggestion]:
        if kind is PLATEAU:
            return _listing("kq-host-901", "kq-host-902", "kq-scope-901")
        return _listing("kq-limits-901", "kq-host-902") if kind is LIMIT else []

    found = ranked(_state(_label(kind=None)), BANK, ranker)
    # 1/2 + 1/2 is as much as a first place: ids decide
    assert [place.entry for place in found] == [
        "kq-host-901",
        "kq-host-902",
        "kq-limits-901",
        "kq-scope-901",
    ]


def test_chance_is_of_what_serves_the_kind() -> None:
    states = [_state(_label(id="a")), _state(_label(id="b", kind=LIMIT))]
    groups = chance(states, BANK)
    entries = random_entries(states, BANK)
    assert groups.expected
    assert groups.cases[0].outcomes[Reading.GROUP].hit1 == pytest.approx(1 / 3)
    assert entries.cases[0].outcomes[Reading.GROUP].hit1 == pytest.approx(1 / 4)
    assert groups.cases[1].outcomes[Reading.GROUP] == Outcome(0.0, 0.0, 0.0)


def test_chance_is_not_of_entries_for_other_devices() -> None:
    special = entry(id="kq-numerics-901", group="numerics-and-correctness", architectures=["hopper"])
    bank = Bank((*BANK.entries, special))
    states = [_state(_label(groups=(Group.NUMERICS,)))]
    assert chance(states, bank).cases[0].outcomes[Reading.GROUP] == Outcome(0.0, 0.0, 0.0)
    assert out_of_reach(states, bank) == ["a"]
    on_one = Story().run("nvidia-smi", "NVIDIA H100 80GB HBM3").state()
    states = [_state(_label(groups=(Group.NUMERICS,)), on_one)]
    assert chance(states, bank).cases[0].outcomes[Reading.GROUP].hit1 == pytest.approx(1 / 4)
    assert not out_of_reach(states, bank)


def test_the_most_frequent_never_saw_the_session_it_is_scored_on() -> None:
    states = [
        _state(_label(id="a", groups=(Group.HOST,))),
        _state(_label(id="b", groups=(Group.HOST,))),
        _state(_label(id="c", file="two.jsonl", groups=(Group.DATA,))),
    ]
    scores = most_frequent(states)
    assert scores is not None
    # each session's own label is the other's blind spot
    assert [case.outcomes[Reading.GROUP].reciprocal for case in scores.cases] == [0.0, 0.0, 0.0]
    assert most_frequent(states[:2]) is None


def test_the_most_frequent_of_the_kind_comes_first() -> None:
    others = [
        _state(_label(id="b", file="two.jsonl", groups=(Group.DATA,))),
        _state(_label(id="c", file="two.jsonl", kind=LIMIT, groups=(Group.HOST,))),
        _state(_label(id="d", file="two.jsonl", kind=LIMIT, groups=(Group.HOST,))),
    ]
    states = [_state(_label(id="a", groups=(Group.DATA,))), *others]
    of_kind, overall = most_frequent(states), most_frequent(states, of_kind=False)
    assert of_kind is not None
    assert overall is not None
    assert of_kind.cases[0].outcomes[Reading.GROUP] == Outcome(1.0, 1.0, 1.0)
    assert overall.cases[0].outcomes[Reading.GROUP] == Outcome(0.0, 1.0, 0.5)


def test_last_asked_newest_first() -> None:
    told = Story().ask("one", "kq-data-901").ask("two", "kq-host-901").ask("typed").ask("gone", "kq-x-999")
    states = [_state(_label(id="a"), told.state()), _state(_label(id="b"))]
    scores = last_asked(states, BANK)
    (case,) = scores.cases
    assert [place.entry for place in case.top] == ["kq-host-901", "kq-data-901"]
    assert case.outcomes[Reading.GROUP] == Outcome(0.0, 1.0, 0.5)


def test_the_ranker_as_it_is_and_a_worse_one() -> None:
    state = Story().run("make").edit().evaluate(5.0, 1.1).edit().evaluate(5.0, 1.1).state()
    listed = rank(SHIPPED, state, PLATEAU, limit=5)
    label = _label(groups=(Group(listed[0].group),))
    (case,) = evaluate([_state(label, state)], SHIPPED).cases
    assert [place.entry for place in case.top] == [suggestion.entry for suggestion in listed]
    assert case.outcomes[Reading.GROUP] == Outcome(1.0, 1.0, 1.0)
    backwards = evaluate(
        [_state(label, state)],
        SHIPPED,
        lambda bank, state, kind: rank(bank, state, kind, limit=len(bank.entries))[::-1],
    )
    assert backwards.cases[0].outcomes[Reading.GROUP].reciprocal < 1


def test_states_are_evaluated_again_and_again_alike() -> None:
    states = [_state(_label(), Story().run("make").edit().evaluate(2.0, 1.0).state())]
    assert evaluate(states, SHIPPED) == evaluate(states, SHIPPED)


def _gained(id_: str, file: str, layer: Layer | None, kind: DecisionKind | None = PLATEAU) -> FoldedState:
    gain = Gain(layer, 9) if layer is not None else None
    return _state(_label(id=id_, file=file, kind=kind, next_gain=gain))


def test_the_layer_of_the_next_gain() -> None:
    states = [
        _gained("a", "one.jsonl", Layer.ROUTING),
        _gained("b", "two.jsonl", Layer.KERNEL),
        _gained("c", "three.jsonl", None),
        _gained("d", "four.jsonl", Layer.ROUTING, kind=None),
    ]
    found = hindsight(states, evaluate(states, BANK, PLATEAU_ORDER), BANK)
    assert [state.id for state in found.states] == ["a", "b"]
    first, second = found.states
    # host, routing and process stand in the first three; four layers can be reached by four entries
    assert (first.named, first.offered, first.reachable) == (True, 3, 4)
    assert (first.of_eight, first.of_kind) == (3 / 8, 3 / 4)
    assert first.of_entries == pytest.approx(3 / 4)
    assert (second.named, second.of_kind, second.of_entries) == (False, 0.0, 0.0)
    assert (first.frequent, second.frequent) == (False, False)
    assert found.hits == 1
    assert [round(edge, 2) for edge in found.interval] == [0.09, 0.91]
    assert {layer: part.hits for layer, part in found.by_layer().items()} == {
        Layer.KERNEL: 0,
        Layer.ROUTING: 1,
    }


def test_frequent_layers_are_those_of_other_sessions() -> None:
    states = [_gained(name, f"{name}.jsonl", Layer.KERNEL) for name in "abc"]
    found = hindsight(states, evaluate(states, BANK, PLATEAU_ORDER), BANK)
    assert [state.frequent for state in found.states] == [True, True, True]
    derived = found.part(derived=True)
    assert not derived.states
    assert derived.interval == (0.0, 1.0)
