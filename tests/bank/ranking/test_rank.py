"""The ranker on hand-made moments: which reasons fire, and what comes first."""

import pytest

from bank.bank import Bank
from bank.question import Group
from bank.ranking import rank
from bank.ranking.learn import document, shares
from bank.ranking.rules import RULES
from bank.ranking.spread import moved_baseline, spread_of, unmoved
from bank.words import VOCABULARIES, vocabulary
from sessions import events as ev
from sessions.events import Suggestion
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind, GapClass, Layer
from tests.bank.builders import HERE, Story, entry

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
    assert shown == {entry.id for entry in BANK.select(kind=kind) if entry.core}


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
    assert all(any("serves a plateau" in said for said in one.reasons) for one in ranked)


@pytest.mark.parametrize("ratios", [(5.0, 4.8, 1.1, 1.2), (1.5, 1.4, 1.5, 1.6), ()])
@pytest.mark.parametrize(
    "kind", [DecisionKind.SCOPE, PLATEAU, DecisionKind.CLAIMED_LIMIT, DecisionKind.CLAIMED_COMPLETION]
)
def test_the_first_three_open_several_doors(ratios: tuple[float, ...], kind: DecisionKind) -> None:
    state = _stall(*ratios).state() if ratios else SessionState()
    top = rank(BANK, state, kind, limit=3)
    assert len({suggestion.group for suggestion in top}) == 3
    assert len({BANK.get(suggestion.entry).moves.to for suggestion in top}) >= 2


def test_an_unequal_scoreboard_asks_for_routing_and_triage() -> None:
    top = rank(BANK, _stall(5.0, 4.8, 1.1, 1.2).state(), PLATEAU, limit=5)
    assert top[0].group == Group.ROUTING
    assert Group.SCOPE in [suggestion.group for suggestion in top]
    assert "2 of 4 scenarios lag: best 5x, worst 1.1x" in top[0].reasons


def test_an_even_scoreboard_asks_what_all_scenarios_share() -> None:
    top = rank(BANK, _stall(1.5, 1.4, 1.5, 1.6).state(), PLATEAU, limit=5)
    assert top[0].group in (Group.BOUNDS, Group.HOST)
    assert any("all 4 scenarios lie close together (1.4x to 1.6x)" in reason for reason in top[0].reasons)
    assert Group.HOST in [suggestion.group for suggestion in top]


@pytest.mark.parametrize(
    "kinds",
    [
        (PLATEAU,) * 7,
        (DecisionKind.CLAIMED_LIMIT,) * 6,
        (PLATEAU, DecisionKind.CLAIMED_LIMIT) * 3,
        (DecisionKind.SCOPE, PLATEAU, DecisionKind.CLAIMED_LIMIT) * 2,
    ],
)
def test_asking_the_first_again_and_again_reaches_host_and_routing(kinds: tuple[DecisionKind, ...]) -> None:
    story = _stall(5.0, 4.8, 1.1, 1.2)
    groups = []
    for kind in kinds:
        first = rank(BANK, story.state(), kind, limit=1)[0]
        groups.append(first.group)
        story.ask(first.question, first.entry)
    assert {Group.HOST, Group.ROUTING} <= set(groups), groups
    assert len(set(groups)) >= 4, groups


def test_a_visited_layer_falls_back() -> None:
    before = _stall(1.5, 1.5)
    score = _find(_whole(before.state()), "kq-build-001").score
    story = before.run("objdump -d candidate.so")
    state = story.state()
    assert state.layers.get(Layer.BUILD)
    after = _find(_whole(state), "kq-build-001")
    assert after.score < score
    assert not any("none recognised on the build" in reason for reason in after.reasons)
    assert "a disassembly was already made since the last kernel edit" in after.reasons


def test_a_missing_measurement_is_missed_only_where_a_kernel_was_edited() -> None:
    reasons = _find(_whole(Story().run("make").state()), "kq-build-001").reasons
    assert not any("since the last kernel edit" in reason for reason in reasons)


def test_absence_alone_says_nothing() -> None:
    for story in (Story(), Story().run("make"), Story().edit().edit(), Story().run("./thing").run("./thing")):
        reasons = {reason for suggestion in _whole(story.state()) for reason in suggestion.reasons}
        assert not any("none recognised" in reason for reason in reasons)


def test_a_record_that_is_hard_to_read_says_so() -> None:
    story = Story().edit().edit().edit()
    for _ in range(4):
        story.run("./thing")
    reasons = _find(_whole(story.state()), "kq-host-001").reasons
    said = "3 steps on the kernel, none recognised on the host path (4 of 4 calls say nothing of layers)"
    assert said in reasons


@pytest.mark.parametrize(
    ("command", "output"),
    [("python benchmark.py", ""), ("python go.py", "median 3.1 us"), ("make bench", "")],
)
def test_a_benchmark_that_ran_was_touched(command: str, output: str) -> None:
    story = Story().edit().edit().edit()
    done = DecisionKind.CLAIMED_COMPLETION
    before = _find(_whole(story.state(), done), "kq-bench-001").reasons
    assert "3 steps on the kernel, none recognised on the benchmark" in before
    after = _find(_whole(story.run(command, output).state(), done), "kq-bench-001").reasons
    assert not any("none recognised on the benchmark" in reason for reason in after)


def test_layers_without_signs_are_never_called_untouched() -> None:
    state = _stall(1.5, 1.5).state()
    for suggestion in _whole(state):
        if BANK.get(suggestion.entry).moves.to in (Layer.ROUTING, Layer.NUMERICS, Layer.PROCESS):
            assert not any("none recognised" in reason for reason in suggestion.reasons)


@pytest.mark.parametrize(
    ("said", "group"),
    [
        ("The launch overhead of the Python wrapper is what is left.", Group.HOST),
        ("Registers spill and the compiler unrolls nothing.", Group.RESOURCES),
        ("We stand at the DRAM bandwidth, all traffic is coalesced.", Group.DATA),
    ],
)
def test_what_the_agent_speaks_of_can_be_measured(said: str, group: Group) -> None:
    story = _stall(1.5, 4.0).say(said)
    first = rank(BANK, story.state(), DecisionKind.CLAIMED_LIMIT, limit=1)[0]
    assert BANK.get(first.entry).moves.to == {Group.HOST: "host", Group.RESOURCES: "build"}.get(
        group, "memory"
    )
    assert any(reason.startswith("the agent speaks of") for reason in first.reasons)


def test_the_first_has_a_fact_of_the_session_where_any_entry_has() -> None:
    facts = {rule.name for rule in RULES if rule.fact}
    assert {"spoken", "lag-routing", "unvisited"} <= facts
    assert not {"serves", "answers", "unmeasured"} & facts
    weak = entry(id="kq-host-901", category=["gap-triage"])
    told = entry(
        id="kq-numerics-902",
        group="numerics-and-correctness",
        category=["agent-process"],
        question="How many parcels cross the narrow bridge?",
        moves={"from": "kernel", "to": "memory"},
    )
    state = Story().say("All parcels wait at the narrow bridge.").state()
    ranked = rank(Bank((weak, told)), state, PLATEAU)
    assert [suggestion.entry for suggestion in ranked] == ["kq-numerics-902", "kq-host-901"]
    assert ranked[0].score < ranked[1].score  # by weight alone the other would come first


def test_ties_go_to_what_shares_words_with_the_last_messages() -> None:
    one = entry(id="kq-host-901", question="How many microseconds does the queue take?")
    two = entry(id="kq-host-902", question="How many microseconds does the allocator take?")
    bank_ = Bank((one, two))
    assert rank(bank_, SessionState(), PLATEAU, limit=1)[0].entry == "kq-host-901"
    state = Story().say("The allocator is slow.").state()
    assert rank(bank_, state, PLATEAU, limit=1)[0].entry == "kq-host-902"


def test_a_short_list_opens_several_layers() -> None:
    # Two groups that lead to one layer: the second of them stands behind an equal of another layer.
    to = {
        "host-and-launch-path": "host",
        "bounds-and-differencing": "host",
        "data-movement-and-overlap": "memory",
    }
    entries = tuple(
        entry(id=f"kq-x-90{place}", group=group, moves={"from": "kernel", "to": layer})
        for place, (group, layer) in enumerate(to.items())
    )
    layers = [
        Bank(entries).get(s.entry).moves.to for s in rank(Bank(entries), SessionState(), PLATEAU, limit=3)
    ]
    assert layers == ["host", "memory", "host"]


def test_moments_that_differ_are_asked_different_things() -> None:
    stories = [
        _stall(5.0, 1.1),
        _stall(1.5, 1.4),
        _stall(1.5).say("The launch overhead in Python is all that is left."),
        Story().edit().evaluate(1.5, 1.4, status="WRONG"),
        Story().say("Registers spill, says the compiler."),
    ]
    firsts = [rank(BANK, story.state(), PLATEAU, limit=1)[0].entry for story in stories]
    assert len(set(firsts)) >= 3
    assert {e.moves.from_ for e in BANK.entries} > {Layer.KERNEL, Layer.MEMORY, Layer.BENCHMARK}


def test_a_measurement_is_stale_after_the_next_edit() -> None:
    story = _stall(1.5, 1.5).run("objdump -d candidate.so").edit()
    reasons = _find(_whole(story.state()), "kq-build-001").reasons
    assert "no disassembly is recognised since the last kernel edit" in reasons


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
    assert any(reason.startswith("before the claim only work on the build") for reason in reasons)
    wide = early.run("nsys profile ./run").run("perf mem record ./run").run("perf stat -e cache-misses ./run")
    assert len(wide.state().layers) > 2
    reasons = _find(_whole(wide.state(), done), "kq-limits-004").reasons
    assert not any("before the claim" in reason for reason in reasons)


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


def test_the_rule_of_shares_follows_the_labels() -> None:
    shares = vocabulary("moments")["shares"]
    assert set(shares) == {kind.value for kind in DecisionKind}
    for row in shares.values():
        assert set(row) == {group.value for group in Group}
        assert sum(row.values()) == pytest.approx(1, abs=0.01)
    for row in vocabulary("moments")["layers"].values():
        assert set(row) == {layer.value for layer in Layer}
        assert sum(row.values()) == pytest.approx(1, abs=0.01)
    labels = HERE / "ranking"
    text = document([labels / "states.json", labels / "second.json"])
    assert (VOCABULARIES / "moments.yaml").read_text(encoding="utf-8") == text


def test_shares_of_a_kind_with_few_places_stay_near_those_of_all() -> None:
    many = [("plateau", ["host-and-launch-path"])] * 50
    found = shares([*many, ("scope", ["numerics-and-correctness"])], Group)
    assert found[PLATEAU][Group.HOST] > 0.8
    assert found[DecisionKind.SCOPE][Group.HOST] > found[DecisionKind.SCOPE][Group.NUMERICS] > 0.1
    assert found[DecisionKind.AGENT_LOOP] == found[DecisionKind.REPEATED_EDIT]
    even = shares([], Group)
    assert even[PLATEAU] == dict.fromkeys(Group, pytest.approx(0.1))


def test_a_baseline_that_moved_asks_for_the_measurement() -> None:
    def evaluation(ratio: float, time: float) -> ev.Evaluation:
        one = ev.ScenarioResult(id="s0", status="CORRECT", ratio=ratio, candidate_ns=time)
        return ev.Evaluation(id=f"v{ratio}", evaluation="v", status="CORRECT", scenarios=(one,))

    story = Story().edit()
    story.events += [evaluation(1.2, 100.0), evaluation(2.4, 98.0)]
    win = DecisionKind.SUSPICIOUS_WIN
    first = rank(BANK, story.state(), win, limit=1)[0]
    assert first.group == Group.MEASUREMENT
    assert "s0 went from 1.20x to 2.40x while its own time changed by 2%" in first.reasons
    story.events.append(evaluation(4.8, 49.0))  # this time the candidate did it
    assert moved_baseline(story.state()) is None


@pytest.mark.parametrize(
    ("said", "group"),
    [
        (
            "The clock throttled, timings vary; warm-up and median may be noisy.",
            Group.MEASUREMENT,
        ),
        ("NaN and a mismatch: the tolerance and the accumulation in fp16 round wrong.", Group.NUMERICS),
    ],
)
def test_about_something_odd_ask_about_what_is_said(said: str, group: Group) -> None:
    odd = DecisionKind.EXPLAINED_ANOMALY
    first = rank(BANK, Story().edit().say(said).state(), odd, limit=1)[0]
    assert first.group == group
    assert any(reason.startswith("the last messages are about its subject") for reason in first.reasons)
    thought = Story().edit()
    thought.events.append(ev.Thinking(id="t", text=said))
    assert rank(BANK, thought.state(), odd, limit=1)[0].group == group


def test_a_goal_that_is_met_asks_what_the_set_leaves_out() -> None:
    done = DecisionKind.CLAIMED_COMPLETION
    story = _stall(1.5, 1.4)
    story.events.append(ev.GoalVerdict(id="g", met=True))
    first = rank(BANK, story.state(), done, limit=1)[0]
    assert first.group == Group.BENCHMARK
    assert "the goal is met: what the set leaves out is open" in first.reasons


def test_what_no_edit_moves_asks_for_its_path_and_for_what_it_waits() -> None:
    story = Story().edit().evaluate(4.0, 1.00).edit().evaluate(4.6, 1.02).edit().evaluate(4.9, 0.99)
    said = "s1 stands where it stood, whatever was edited"
    for entry_id in ("kq-routing-001", "kq-host-002"):
        assert said in _find(_whole(story.state()), entry_id).reasons, entry_id
    assert unmoved(story.state(), ("s0", "s1")) == ("s1",)
    moved = story.edit().evaluate(4.9, 1.3)
    assert unmoved(moved.state(), ("s1",)) == ()
    idle = Story().edit().evaluate(4.0, 1.0).evaluate(4.0, 1.0).evaluate(4.0, 1.0)
    assert unmoved(idle.state(), ("s1",)) == ()


def test_a_figure_that_nobody_checked_is_not_wrong() -> None:
    story = Story().edit().evaluate(9.0, 1.0, status="PARSED")
    assert spread_of(story.state()).wrong == ()
    first = rank(BANK, story.state(), PLATEAU, limit=1)[0]
    assert first.group == Group.ROUTING
    assert "1 of 2 scenarios lags: best 9x, worst 1x" in first.reasons
