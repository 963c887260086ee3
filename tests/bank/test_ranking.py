"""The ranker on hand-made moments: which reasons fire, and what comes first."""

import pytest

from bank.bank import Bank
from bank.question import Group
from bank.ranking import rank
from bank.reasons import RULES
from bank.spread import spread_of
from sessions import events as ev
from sessions.events import Suggestion
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind, GapClass, Layer
from tests.bank.builders import Story, entry

BANK = Bank.load()
PLATEAU = DecisionKind.PLATEAU


def _find(suggestions: list[Suggestion], entry_id: str) -> Suggestion:
    return next(s for s in suggestions if s.entry == entry_id)


def _whole(state: SessionState, kind: DecisionKind = PLATEAU) -> list[Suggestion]:
    return rank(BANK, state, kind, limit=100)


def _stall(*ratios: float) -> Story:
    story = Story().run("make").edit().evaluate(*ratios)
    return story.edit().evaluate(*ratios).edit().evaluate(*ratios)


@pytest.mark.parametrize("kind", list(DecisionKind))
def test_only_what_serves_the_moment(kind: DecisionKind) -> None:
    shown = {suggestion.entry for suggestion in _whole(SessionState(), kind)}
    assert shown == {entry.id for entry in BANK.select(kind=kind)}


def test_same_moment_same_list_and_ties_by_id() -> None:
    state = _stall(2.0, 1.1).state()
    assert _whole(state) == _whole(state)
    shuffled = Bank(BANK.entries[::-1])
    assert rank(shuffled, state, PLATEAU, limit=100) == _whole(state)


def test_scores_fall_and_every_place_has_reasons() -> None:
    ranked = _whole(_stall(5.0, 4.8, 1.1, 1.2).state())
    scores = [suggestion.score for suggestion in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(suggestion.reasons for suggestion in ranked)
    assert all("serves a plateau" in suggestion.reasons for suggestion in ranked)


@pytest.mark.parametrize("ratios", [(5.0, 4.8, 1.1, 1.2), (1.5, 1.4, 1.5, 1.6), ()])
@pytest.mark.parametrize(
    "kind", [DecisionKind.SCOPE, PLATEAU, DecisionKind.CLAIMED_LIMIT, DecisionKind.CLAIMED_COMPLETION]
)
def test_the_first_three_open_several_doors(ratios: tuple[float, ...], kind: DecisionKind) -> None:
    state = _stall(*ratios).state() if ratios else SessionState()
    top = rank(BANK, state, kind, limit=3)
    assert len({suggestion.group for suggestion in top}) == 3
    assert len({BANK.get(suggestion.entry).moves.to for suggestion in top}) >= 2


def test_an_unequal_scoreboard_asks_for_routing_then_triage() -> None:
    top = rank(BANK, _stall(5.0, 4.8, 1.1, 1.2).state(), PLATEAU, limit=3)
    assert [suggestion.group for suggestion in top[:2]] == [Group.ROUTING, Group.SCOPE]
    assert "2 of 4 scenarios lag: best 5.0x, worst 1.1x" in top[0].reasons
    assert "no tool call has touched routing yet" in top[0].reasons


def test_an_even_scoreboard_asks_what_all_scenarios_share() -> None:
    top = rank(BANK, _stall(1.5, 1.4, 1.5, 1.6).state(), PLATEAU, limit=3)
    assert top[0].group == Group.HOST
    assert "no tool call has touched the host path yet" in top[0].reasons
    assert any("all 4 scenarios stand alike (1.4x to 1.6x)" in reason for reason in top[0].reasons)


@pytest.mark.parametrize("unmet", [False, True])
@pytest.mark.parametrize(
    "kinds",
    [
        (PLATEAU,) * 3,
        (DecisionKind.CLAIMED_LIMIT,) * 3,
        (PLATEAU, DecisionKind.CLAIMED_LIMIT, DecisionKind.CLAIMED_COMPLETION),
        (DecisionKind.SCOPE, PLATEAU, DecisionKind.CLAIMED_LIMIT),
    ],
)
def test_asking_the_first_three_times_on_an_unequal_scoreboard_reaches_host_and_routing(
    kinds: tuple[DecisionKind, ...], unmet: bool
) -> None:
    story = _stall(5.0, 4.8, 1.1, 1.2)
    if unmet:
        story.events.append(ev.GoalVerdict(id="g", met=False, unmet=("speed",), first_failing=("s2",)))
    groups = []
    for kind in kinds:
        first = rank(BANK, story.state(), kind, limit=1)[0]
        groups.append(first.group)
        story.ask(first.question, first.entry)
    assert {Group.HOST, Group.ROUTING} <= set(groups)
    assert len(set(groups)) == 3


def test_a_visited_layer_falls_back() -> None:
    before = _stall(1.5, 1.5)
    score = _find(_whole(before.state()), "kq-build-001").score
    story = before.run("objdump -d candidate.so")
    state = story.state()
    assert state.layers.get(Layer.BUILD)
    after = _find(_whole(state), "kq-build-001")
    assert after.score < score
    assert "no tool call has touched the build yet" not in after.reasons
    assert "a disassembly of this build was already made" in after.reasons


def test_a_measurement_is_stale_after_the_next_edit() -> None:
    story = _stall(1.5, 1.5).run("objdump -d candidate.so").edit()
    reasons = _find(_whole(story.state()), "kq-build-001").reasons
    assert "no disassembly since the last edit of the candidate" in reasons


def test_what_was_asked_is_not_asked_again() -> None:
    story = _stall(1.5, 1.5)
    first = rank(BANK, story.state(), PLATEAU, limit=1)[0]
    ranked = _whole(story.ask(first.question, first.entry).state())
    again = _find(ranked, first.entry)
    assert again.reasons[0] == "it was asked before in this session"
    assert ranked[0].group != first.group


def test_a_typed_question_counts_as_asked_by_its_words() -> None:
    story = _stall(1.5, 1.5)
    question = BANK.get("kq-host-001").question
    ranked = _whole(story.ask("So, " + question.lower()).state())
    assert "it was asked before in this session" in _find(ranked, "kq-host-001").reasons
    assert "it was asked before in this session" not in _find(ranked, "kq-routing-001").reasons


def test_what_was_put_aside_sinks_and_a_whole_point_put_aside_does_not() -> None:
    story = _stall(1.5, 1.5)
    plain = _whole(story.state())
    assert _whole(story.dismiss(None).state()) == plain
    ranked = _whole(story.dismiss(plain[0].entry).state())
    aside = _find(ranked, plain[0].entry)
    assert aside.reasons[0] == "you put it aside before"
    assert aside.score < plain[0].score
    sibling = next(e for e in BANK.select(group=Group(aside.group), kind=PLATEAU) if e.id != aside.entry)
    assert "you put a question of its group aside" in _find(ranked, sibling.id).reasons


def test_a_recorded_gap_class_speaks() -> None:
    story = _stall(1.5, 1.5)
    story.events.append(
        ev.GapClassified(id="g", scenarios=("s0", "s1"), gap=GapClass.HOST, measured="9 of 12 us outside")
    )
    reasons = _find(_whole(story.state()), "kq-host-001").reasons
    assert "2 scenarios are recorded as held back by the host path" in reasons


def test_a_claim_against_an_unmet_goal_calls_for_triage() -> None:
    story = _stall(1.5, 1.5)
    story.events.append(ev.GoalVerdict(id="g", met=False, unmet=("speed",), first_failing=("s1",)))
    done = DecisionKind.CLAIMED_COMPLETION
    assert "the goal is unmet: speed, s1" in _find(_whole(story.state(), done), "kq-routing-001").reasons
    story.events.append(ev.GoalVerdict(id="h", met=True))
    reasons = {reason for suggestion in _whole(story.state(), done) for reason in suggestion.reasons}
    assert not any("unmet" in reason for reason in reasons)


def test_a_claim_after_one_layer_is_called_premature() -> None:
    done = DecisionKind.CLAIMED_COMPLETION
    early = Story().run("objdump -d candidate.so").evaluate(1.5, 1.5)
    touched = early.state().layers
    assert 1 <= len(touched) <= 2
    reasons = _find(_whole(early.state(), done), "kq-limits-004").reasons
    assert any(reason.startswith("claimed after touching only ") for reason in reasons)
    wide = early.run("nsys profile ./run").run("perf mem record ./run").run("perf stat -e cache-misses ./run")
    assert len(wide.state().layers) > 2
    reasons = _find(_whole(wide.state(), done), "kq-limits-004").reasons
    assert not any("claimed after" in reason for reason in reasons)


def test_a_wrong_scenario_calls_for_numerics() -> None:
    story = Story().edit().evaluate(1.5, 1.4, status="WRONG")
    reasons = _find(_whole(story.state()), "kq-numerics-004").reasons
    assert "2 scenarios are not correct, first s0" in reasons


def test_nothing_is_said_of_effects_or_scoreboards_that_do_not_exist() -> None:
    reasons = {reason for suggestion in _whole(SessionState()) for reason in suggestion.reasons}
    assert not any("lag" in reason or "alike" in reason or "effect" in reason for reason in reasons)
    assert spread_of(Story().evaluate(2.0).state()).shape == "unknown"


def test_spread() -> None:
    spread = spread_of(Story().evaluate(1.0, 3.0, 2.0, 1.5).state())
    assert (spread.shape, spread.best, spread.worst) == ("unequal", 3.0, 1.0)
    assert spread.lagging == ("s0", "s3", "s2")
    assert spread_of(Story().evaluate(2.0, 2.9).state()).shape == "even"


def test_parameters_are_filled_from_facts() -> None:
    ranked = rank(BANK, SessionState(), DecisionKind.CLAIMED_LIMIT, facts={"arch": "Part 9"}, limit=100)
    assert "Part 9" in _find(ranked, "kq-host-004").question
    assert "this device" in _find(_whole(SessionState()), "kq-host-004").question


def test_limit_and_deprecated_entries() -> None:
    assert len(rank(BANK, SessionState(), PLATEAU, limit=2)) == 2
    assert rank(BANK, SessionState(), PLATEAU, limit=0) == []
    old = entry(status="deprecated", related=[{"id": "kq-host-001", "type": "obsolete"}])
    assert rank(Bank((old,)), SessionState(), PLATEAU) == []


def test_every_rule_says_why_it_is_there() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.why and rule.weight for rule in RULES)
