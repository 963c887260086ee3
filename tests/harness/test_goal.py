from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from harness.goal import Clause, Goal, GoalError, dump_goal, read_goal
from harness.goal_check import GoalReport, check_goal
from harness.operator import Scenario
from harness.record.parts import Flag
from harness.record.record import Record, ScenarioRecord
from harness.verdict import GoalOutcome, Outcome, Status
from tests.made_records import (
    CANDIDATE,
    SCENARIOS,
    made_goal,
    made_manifest,
    made_record,
    made_scenario,
    made_shape,
)

MANIFEST = made_manifest()
IDS = MANIFEST.ids("demo")


def check(record: Record | None, goal: Goal | None = None, candidate: str = CANDIDATE) -> GoalReport:
    return check_goal(goal or made_goal(), MANIFEST, record, candidate)


def with_scenarios(*parts: ScenarioRecord) -> Record:
    return made_record(scenarios=parts)


def test_a_record_that_clears_every_target_meets_the_goal() -> None:
    report = check(made_record())
    assert report.met is True
    assert report.outcome is GoalOutcome.MET
    assert report.unmet == ()
    assert "4 of 4" in report.reason


def test_no_record_is_unmet_and_says_what_to_do() -> None:
    report = check(None)
    assert report.met is False
    assert "kernelseek evaluate" in report.reason
    assert report.first_failing == IDS


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (made_record(hashes={"candidate": "d" * 64}), "another version of the candidate"),
        (made_record(hashes={"start": "d" * 64}), "changed since"),
        (made_record(hashes={"operator": "d" * 64}), "changed since"),
        (made_record(operator="other"), "operator 'other'"),
        (made_record(scenario_set="one"), "set 'one'"),
        (made_record(baseline="upstream"), "'upstream'"),
    ],
)
def test_a_record_of_another_contest_is_unmet(record: Record, words: str) -> None:
    report = check(record)
    assert report.met is False
    assert words in report.reason
    assert [clause.id for clause in report.unmet] == ["correct", "faster"]


def test_a_scenario_that_fell_out_of_the_record_is_named() -> None:
    report = check(with_scenarios(*(made_scenario(s) for s in SCENARIOS[:2])))
    assert report.met is False
    assert report.first_failing == IDS[2:]
    assert "not judged" in report.reason


def test_what_is_wrong_comes_before_what_was_not_judged() -> None:
    report = check(with_scenarios(made_scenario(SCENARIOS[2], Status.WRONG)))
    assert report.reason == (
        "not correct: toy-n32 WRONG; 3 of 4 scenarios were not judged: toy-n8, toy-n16, toy-n64."
    )
    assert report.first_failing == ("toy-n32", "toy-n8", "toy-n16", "toy-n64")
    one = check(with_scenarios(*(made_scenario(s) for s in SCENARIOS[:3])))
    assert one.reason == "1 of 4 scenarios was not judged: toy-n64."


def test_an_extra_a_doubled_and_a_changed_scenario_are_unmet() -> None:
    all_of_it = [made_scenario(s) for s in SCENARIOS]
    extra = all_of_it[0].model_copy(update={"id": "toy-n9"})
    assert "not in the manifest" in check(with_scenarios(*all_of_it, extra)).reason
    assert "more than once" in check(with_scenarios(*all_of_it, all_of_it[0])).reason
    easier = all_of_it[0].model_copy(update={"params": {"n": 1, "scale": 1.0}})
    report = check(with_scenarios(easier, *all_of_it[1:]))
    assert "was changed since" in report.reason
    assert report.first_failing == IDS[:1]


def test_a_candidate_that_does_not_build_is_unmet_with_the_judges_words() -> None:
    parts = [made_scenario(s, Status.NOT_RUN) for s in SCENARIOS]
    record = made_record(scenarios=tuple(parts), status=Outcome.BUILD_FAILED, summary="It does not compile.")
    report = check(record)
    assert report.met is False
    assert report.reason == "It does not compile."


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.CORRECT])
def test_one_scenario_that_is_not_correct_makes_it_unmet(status: Status) -> None:
    parts = [made_scenario(s) for s in SCENARIOS]
    parts[2] = made_scenario(SCENARIOS[2], status)
    report = check(with_scenarios(*parts))
    assert not report.met
    assert report.outcome is GoalOutcome.UNMET
    assert report.first_failing == (IDS[2],)
    assert f"{IDS[2]} {status}" in report.unmet[0].sentence


def test_what_the_judge_could_not_judge_is_unknown_and_not_false() -> None:
    parts = [made_scenario(s) for s in SCENARIOS]
    parts[0] = made_scenario(SCENARIOS[0], Status.NOT_RUN)
    record = with_scenarios(*parts)
    assert record.status is Outcome.INFRASTRUCTURE
    assert check(record).met is None


def test_a_clause_that_looks_away_does_not_hide_a_wrong_scenario() -> None:
    goal = Goal(clause=(Clause(id="some", set="demo", scenarios="toy-n8", statistic="ratio_low", above=1.5),))
    parts = [made_scenario(SCENARIOS[0]), *(made_scenario(s, Status.WRONG) for s in SCENARIOS[1:])]
    report = check(with_scenarios(*parts), goal)
    assert report.met is False
    assert report.first_failing == IDS[1:]


def test_slow_scenarios_are_named_with_their_numbers() -> None:
    parts = [made_scenario(s) for s in SCENARIOS]
    parts[1] = made_scenario(SCENARIOS[1], interval=(1.0, 1.04))
    report = check(with_scenarios(*parts))
    assert report.outcome is GoalOutcome.UNMET
    assert report.unmet[0].id == "faster"
    assert report.unmet[0].sentence == "1 of 4 not above 1.8x over start: toy-n16 1.02x (1.00..1.04)"


def test_only_undecided_intervals_are_ambiguous() -> None:
    parts = [made_scenario(s) for s in SCENARIOS]
    parts[1] = made_scenario(SCENARIOS[1], interval=(1.7, 1.95))
    assert check(with_scenarios(*parts)).outcome is GoalOutcome.AMBIGUOUS
    parts[2] = made_scenario(SCENARIOS[2], interval=(1.0, 1.1))
    assert check(with_scenarios(*parts)).outcome is GoalOutcome.UNMET


def test_a_scenario_that_was_checked_but_not_timed_is_unmet() -> None:
    parts = [made_scenario(s, interval=None) for s in SCENARIOS]
    report = check(with_scenarios(*parts))
    assert report.met is False
    assert "not timed" in report.unmet[0].sentence
    assert report.reason == "faster fails on 4 of 4, first toy-n8."


intervals = st.tuples(st.floats(1, 4), st.floats(0, 1)).map(lambda pair: (pair[0], pair[0] + pair[1]))
statuses = st.sampled_from([*[Status.CORRECT] * 40, *Status])
each_once = st.tuples(
    *(
        st.builds(made_scenario, st.just(s), statuses, st.one_of(intervals, intervals, intervals, st.none()))
        for s in SCENARIOS
    )
)


@given(each_once, st.floats(0.5, 2), st.sampled_from([[], [], [1], [2, 2]]), st.sampled_from([0, 0, 0, 3]))
def test_met_means_every_id_once_correct_and_above_the_target(
    once: tuple[ScenarioRecord, ...], target: float, doubled: list[int], kept: int
) -> None:
    parts = [*once[: kept or 4], *(once[index] for index in doubled)]
    report = check(with_scenarios(*parts), made_goal(target))
    by_definition = sorted(part.id for part in parts) == sorted(IDS) and all(
        part.status is Status.CORRECT and part.timing is not None and part.timing.low > target
        for part in parts
    )
    event(f"met: {by_definition}")
    assert (report.met is True) == by_definition
    assert (report.unmet == ()) == by_definition
    if not report.met:
        assert report.reason
        assert report.first_failing


@given(st.permutations(SCENARIOS), st.sampled_from([Status.WRONG, Status.UNSUPPORTED, Status.CRASH]))
def test_the_order_of_the_results_does_not_matter(order: list[Scenario], status: Status) -> None:
    bad = {SCENARIOS[1].id, SCENARIOS[3].id}
    parts = [made_scenario(s, status if s.id in bad else Status.CORRECT) for s in order]
    assert check(with_scenarios(*parts)).first_failing == (IDS[1], IDS[3])


@settings(deadline=None)
@given(st.sets(st.sampled_from(IDS)))
def test_dropping_scenarios_never_helps(kept: set[str]) -> None:
    report = check(with_scenarios(*(made_scenario(s) for s in SCENARIOS if s.id in kept)))
    assert (report.met is True) == (kept == set(IDS))
    assert set(report.first_failing) == set(IDS) - kept


def test_a_goal_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "goal.toml"
    path.write_text(dump_goal(made_goal()))
    assert read_goal(path, MANIFEST) == made_goal()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[clause]]\nid="a"\nset="demo"\nstatistic="correct"\nabvoe=1\n', "unknown key 'clause.1.abvoe'"),
        ('[[clause]]\nid="a"\nset="demo"\nstatistic="ratio_low"\n', "needs `above`"),
        ('[[clause]]\nid="a"\nset="demo"\nstatistic="ratio_low"\nabove=nan\n', "clause.1.above"),
        ('[[clause]]\nid="a"\nset="none"\nstatistic="correct"\n', "the set 'none'"),
        ('[[clause]]\nid="a"\nset="demo"\nscenarios="x*"\nstatistic="correct"\n', "matches no scenario"),
        ("clause = []\n", "it has no [[clause]]"),
        ("", "it has no [[clause]]"),
        ("clause = 3\n", "clause: has to be a list"),
        ('forbidden_libraries = "x"\n[[clause]]\n', "forbidden_libraries: has to be a list"),
        ('[[clause]]\nid="a"\nset="demo"\n', "'clause.1.statistic' is missing"),
        ('[[clause]]\nid=3\nset="demo"\nstatistic="correct"\n', "clause.1.id: has to be text in quotes"),
        (
            '[[clause]]\nid="a"\nset="demo"\nstatistic="ratio_low"\nabove="2"\n',
            "clause.1.above: has to be a number, without quotes",
        ),
        (
            '[[clause]]\nid="a"\nset="demo"\nstatistic="fast"\n',
            "clause.1.statistic: has to be 'ratio_low' or 'correct'",
        ),
        ("[[clause\n", "not TOML"),
        (
            '[[clause]]\nid="a"\nset="demo"\nstatistic="correct"\n[[clause]]\nid="b"\nset="one"\nstatistic="correct"',
            "different sets",
        ),
    ],
)
def test_a_goal_that_is_none_is_refused_in_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "goal.toml"
    path.write_text(text)
    with pytest.raises(GoalError) as caught:
        read_goal(path, MANIFEST)
    assert words in str(caught.value)
    assert not any(word in str(caught.value) for word in ("\n", "Value error", "Input should", "Field"))
    assert caught.value.exit_code == 3


def test_a_missing_goal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GoalError, match="cannot be read"):
        read_goal(tmp_path / "goal.toml", MANIFEST)


def targeted(**targets: float) -> Goal:
    own = {glob.replace("_", "-"): above for glob, above in targets.items()}
    clause = Clause(id="faster", set="demo", statistic="ratio_low", above=1.8, targets=own)
    return Goal(clause=(clause,))


def test_a_scenario_with_its_own_target_is_held_to_it() -> None:
    parts = [made_scenario(s) for s in SCENARIOS]
    parts[1] = made_scenario(SCENARIOS[1], interval=(1.3, 1.4))
    record = with_scenarios(*parts)
    assert check(record, targeted()).met is False
    assert check(record, targeted(toy_n16=1.2)).met is True
    report = check(record, targeted(toy_n16=1.2, toy_n8=2.5))
    assert report.unmet[0].sentence == (
        "1 of 4 not above its own target over start: toy-n8 2.00x (1.90..2.10, target 2.5x)"
    )
    # Where one has a target of its own, every one says its target.
    assert check(record, targeted(toy_n8=2.5)).unmet[0].sentence == (
        "2 of 4 not above its own target over start: "
        "toy-n8 2.00x (1.90..2.10, target 2.5x), toy-n16 1.35x (1.30..1.40, target 1.8x)"
    )
    # Of two globs that match, the last counts.
    both = {"toy-*": 5.0, "toy-n?*": 1.2}
    clause = Clause(id="a", set="demo", statistic="ratio_low", above=9.0, targets=both)
    assert (clause.target("toy-n8"), clause.target("other")) == (1.2, 9.0)
    assert check(record, Goal(clause=(clause,))).met is True


def test_targets_survive_their_file_and_a_glob_without_a_scenario_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "goal.toml"
    goal = targeted(toy_n8=1.2)
    path.write_text(dump_goal(goal))
    assert "[clause.targets]" in path.read_text()
    assert read_goal(path, MANIFEST) == goal
    path.write_text(dump_goal(targeted(x=1.2)))
    with pytest.raises(GoalError, match="clause 'faster' has a target for 'x', which matches none of its"):
        read_goal(path, MANIFEST)
    for value in ("0", "-1.0", "inf", '"1"'):
        path.write_text(dump_goal(goal).replace("= 1.2", f"= {value}"))
        with pytest.raises(GoalError, match="targets"):
            read_goal(path, MANIFEST)
    with pytest.raises(ValueError, match="`correct` has no `targets`"):
        Clause(id="a", set="demo", statistic="correct", targets={"*": 1.0})


SHAPE = made_shape().id


def off_list(status: Status) -> Record:
    return made_record(off_list=(made_shape(status),))


def test_a_shape_off_the_list_has_to_be_correct() -> None:
    assert check(off_list(Status.CORRECT)).met is True
    for status in (Status.WRONG, Status.UNSUPPORTED):
        report = check(off_list(status))
        assert report.met is False
        assert report.first_failing == (SHAPE,)
        assert report.reason == f"off-list fails on 1 of 1, first {SHAPE}."
        assert report.unmet[0].sentence == f"not correct on shapes off the list: {SHAPE} {status}"


def test_a_record_with_checks_off_meets_nothing() -> None:
    constants = made_record().protocol.model_copy(update={"off": ("rel_rms", "slope")})
    report = check(made_record(protocol=constants))
    assert report.met is False
    assert "made with checks switched off (rel_rms, slope)" in report.reason


def test_flags_unmeet_nothing() -> None:
    parts = [made_scenario(s) for s in SCENARIOS]
    parts[0] = parts[0].model_copy(update={"flags": (Flag(code="large_ratio", evidence="Look."),)})
    assert check(with_scenarios(*parts)).met is True


def test_a_record_that_was_changed_after_it_was_made_meets_nothing() -> None:
    report = check(made_record().model_copy(update={"notes": ("x",)}))
    assert report.met is False
    assert "contradicts itself: digest: is not that of the rest" in report.reason
