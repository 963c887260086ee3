"""What is said of a goal and of a record that does not meet it, word for word, and where a threshold lies."""

import math
from pathlib import Path

import pytest

from harness.goal import Clause, Goal, GoalError, default_goal, dump_goal, read_goal
from harness.goal_check import ClauseReport, GoalReport, check_goal
from harness.manifest import Manifest
from harness.operator import Scenario
from harness.record.record import Record, ScenarioRecord
from harness.verdict import GoalOutcome, Outcome, Status
from harness.verify.record import clocks
from tests.made_records import (
    CANDIDATE,
    SCENARIOS,
    made_goal,
    made_manifest,
    made_record,
    made_scenario,
)

MANIFEST = made_manifest()
IDS = MANIFEST.ids("demo")


def check(record: Record | None, goal: Goal | None = None, manifest: Manifest = MANIFEST) -> GoalReport:
    return check_goal(goal or made_goal(), manifest, record, CANDIDATE)


def but(*changed: ScenarioRecord) -> Record:
    """A record that meets the goal, but for these scenarios."""
    by_id = {one.id: one for one in changed}
    return made_record(scenarios=tuple(by_id.get(s.id, made_scenario(s)) for s in SCENARIOS))


def all_unmet(reason: str, failing: tuple[str, ...] = IDS) -> GoalReport:
    """Every clause unmet for one reason."""
    sentence = reason.removesuffix(".")
    unmet = tuple(ClauseReport(name, sentence, failing) for name in ("correct", "faster"))
    return GoalReport(False, reason, unmet, failing[:5])


def test_the_default_goal_says_what_it_wants() -> None:
    correct, faster = default_goal("demo", 1.25).clause
    assert correct == Clause(
        id="correct", text="every scenario is correct", set="demo", statistic="correct", baseline="start"
    )
    assert faster == Clause(
        id="faster",
        text="every scenario's interval lies above 1.25x over the start",
        set="demo",
        statistic="ratio_low",
        above=1.25,
    )


def test_a_goal_met_says_over_how_many() -> None:
    assert check(made_record()) == GoalReport(True, "All 2 clauses hold over 4 of 4 scenarios.")


RUN = "run `kernelseek evaluate`"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (None, f"This candidate has no evaluation yet: {RUN}."),
        (
            made_record(hashes={"candidate": "d" * 64}),
            f"The newest record is of another version of the candidate: {RUN}.",
        ),
        (
            made_record(hashes={"start": "d" * 64}),
            "The operator 'toy' was changed since this workspace was made; "
            "make a new one with `kernelseek init`.",
        ),
        (made_record(operator="other"), "The record is of the operator 'other', the workspace of 'toy'."),
        (made_record(scenario_set="one"), "The record is over the set 'one', the goal over 'demo'."),
        (
            made_record(baseline="upstream"),
            "The record's ratios are over 'upstream', the goal's over 'start'.",
        ),
    ],
)
def test_what_a_record_of_another_contest_is_told(record: Record | None, reason: str) -> None:
    assert check(record) == all_unmet(reason)


def test_a_binary_that_needs_what_the_goal_forbids() -> None:
    build = made_record().build.model_copy(
        update={"needed": ("libc.so.6", "libopenblas.so.0"), "undefined": ("cblas_sgemm",)}
    )
    record = made_record(build=build)
    assert check(record).met is True
    goal = made_goal().model_copy(update={"forbidden_libraries": ("*openblas*",)})
    assert check(record, goal) == all_unmet(
        "The binary needs libopenblas.so.0, which the goal forbids ('*openblas*')."
    )
    goal = made_goal().model_copy(update={"forbidden_libraries": ("libcblas*",)})
    assert check(record, goal).reason == (
        "The binary asks for cblas_sgemm, which the goal forbids ('libcblas*')."
    )


def test_what_is_wrong_with_the_list_of_scenarios() -> None:
    every = [made_scenario(s) for s in SCENARIOS]
    extra = every[0].model_copy(update={"id": "toy-n9"})
    easier = every[0].model_copy(update={"params": {"n": 1, "scale": 1.0}})
    for parts, reason, failing in (
        (every[:2], "2 of 4 scenarios were not judged: toy-n32, toy-n64.", IDS[2:]),
        ([*every, extra], "1 of 4 scenarios is not in the manifest: toy-n9.", ("toy-n9",)),
        (
            [*every, every[0], every[2]],
            "2 of 4 scenarios are in the record more than once: toy-n8, toy-n32.",
            ("toy-n8", "toy-n32"),
        ),
        ([easier, *every[1:]], "1 of 4 scenarios was changed since: toy-n8.", ("toy-n8",)),
        ([*every, every[0]], "1 of 4 scenarios is in the record more than once: toy-n8.", ("toy-n8",)),
        (
            [*every, extra, extra.model_copy(update={"id": "toy-n7"})],
            "2 of 4 scenarios are not in the manifest: toy-n9, toy-n7.",
            ("toy-n9", "toy-n7"),
        ),
        (
            [easier, every[1].model_copy(update={"params": {"n": 2, "scale": 1.0}}), *every[2:]],
            "2 of 4 scenarios were changed since: toy-n8, toy-n16.",
            ("toy-n8", "toy-n16"),
        ),
    ):
        assert check(made_record(scenarios=tuple(parts))) == all_unmet(reason, failing)


def test_another_number_of_blocks_than_the_sets_own_meets_nothing() -> None:
    record = made_record()
    for blocks in (None, 8):
        asked = record.asked.model_copy(update={"blocks": blocks})
        assert "blocks a scenario" not in check(record.model_copy(update={"asked": asked})).reason
    asked = record.asked.model_copy(update={"blocks": 5})
    words = "The record was made with 5 blocks a scenario in place of 8; run `kernelseek evaluate`."
    assert check(record.model_copy(update={"asked": asked})) == all_unmet(words)


def test_five_ids_are_named_and_the_rest_are_counted() -> None:
    more = tuple(Scenario(f"toy-{n}", "toy", {"n": n, "scale": 1.0}) for n in range(1, 8))
    manifest = made_manifest(more)
    two = check(made_record(scenarios=tuple(map(made_scenario, more[:2]))), manifest=manifest)
    assert two.reason == "5 of 7 scenarios were not judged: toy-3, toy-4, toy-5, toy-6, toy-7."
    one = check(made_record(scenarios=(made_scenario(more[0]),)), manifest=manifest)
    assert one.reason == "6 of 7 scenarios were not judged: toy-2, toy-3, toy-4, toy-5, toy-6 and 1 more."
    assert one.first_failing == ("toy-2", "toy-3", "toy-4", "toy-5", "toy-6")


def test_a_wrong_scenario_fails_both_clauses_and_no_third() -> None:
    report = check(but(made_scenario(SCENARIOS[1], Status.WRONG)))
    assert report.unmet == (
        ClauseReport("correct", "1 of 4 not correct: toy-n16 WRONG", ("toy-n16",)),
        ClauseReport("faster", "1 of 4 not above 1.8x over start: toy-n16 WRONG", ("toy-n16",)),
    )
    assert report.reason == "correct fails on 1 of 4, first toy-n16; faster fails on 1 of 4, first toy-n16."


def test_what_no_clause_looks_at_is_named_besides() -> None:
    goal = Goal(clause=(Clause(id="some", set="demo", scenarios="toy-n8", statistic="correct"),))
    report = check(but(*(made_scenario(s, Status.WRONG) for s in SCENARIOS[2:])), goal)
    assert report.unmet == (
        ClauseReport("all-correct", "not correct: toy-n32 WRONG, toy-n64 WRONG", ("toy-n32", "toy-n64")),
    )
    assert report.reason == "all-correct fails on 2 of 4, first toy-n32."


def test_a_clause_that_matches_nothing_holds_nowhere() -> None:
    goal = Goal(clause=(Clause(id="none", set="demo", scenarios="x*", statistic="correct"),))
    assert check(made_record(), goal).unmet == (ClauseReport("none", "matches no scenario of 'demo'", IDS),)


def test_what_the_judge_could_not_judge_is_said_in_its_words() -> None:
    late = made_scenario(SCENARIOS[0], Status.NOT_RUN).model_copy(
        update={"check": "", "evidence": "No time."}
    )
    record = but(late)
    assert record.status is Outcome.INFRASTRUCTURE
    assert check(record).reason == f"The judge could not judge: {record.summary}"


def test_an_interval_across_the_threshold_is_not_surely_above_it() -> None:
    report = check(but(made_scenario(SCENARIOS[1], interval=(1.7, 1.95))))
    assert report.unmet == (
        ClauseReport(
            "faster",
            "1 of 4 not surely above 1.8x over start: toy-n16 1.82x (1.70..1.95)",
            ("toy-n16",),
            undecided=True,
        ),
    )
    assert report.reason == "faster is undecided on 1 of 4, first toy-n16."


def test_at_the_threshold_is_not_above_it() -> None:
    timing = made_scenario(SCENARIOS[1], interval=(1.7, 1.95)).timing
    assert timing is not None
    within, _ = clocks(timing)

    def outcome(above: float) -> GoalOutcome:
        own = Clause(id="a", set="demo", scenarios="toy-n16", statistic="ratio_low", above=above)
        return check(but(made_scenario(SCENARIOS[1], interval=(1.7, 1.95))), Goal(clause=(own,))).outcome

    low, high = math.exp(within.low), math.exp(within.high)
    assert outcome(math.nextafter(low, 0)) is GoalOutcome.MET
    assert outcome(low) is GoalOutcome.AMBIGUOUS
    assert outcome(math.nextafter(high, 0)) is GoalOutcome.AMBIGUOUS
    assert outcome(high) is GoalOutcome.UNMET


def test_forbidden_libraries_survive_their_file_and_are_left_out_where_there_are_none(tmp_path: Path) -> None:
    goal = made_goal().model_copy(update={"forbidden_libraries": ("*blas*",)})
    path = tmp_path / "goal.toml"
    path.write_text(dump_goal(goal))
    assert read_goal(path, MANIFEST) == goal
    assert "forbidden_libraries" not in dump_goal(made_goal())


CLAUSE = '[[clause]]\nid="a"\nset="demo"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            CLAUSE.replace("demo", "none") + 'statistic="correct"',
            "names the set 'none'; the manifest has demo, one.",
        ),
        (
            f'{CLAUSE}scenarios="x*"\nstatistic="correct"',
            ": clause 'a' matches no scenario of 'demo' with 'x*'.",
        ),
        (
            f'{CLAUSE}statistic="correct"\n{CLAUSE}statistic="correct"',
            "is refused: two clauses have the same id.",
        ),
        (
            f'{CLAUSE}statistic="correct"\n{CLAUSE.replace("demo", "one")}statistic="correct"',
            "is refused: the clauses name different sets or baselines; one evaluation must decide them.",
        ),
        (
            f'{CLAUSE}statistic="ratio_low"',
            "is refused: clause.1: `ratio_low` needs `above`, and `correct` has none.",
        ),
        (f'{CLAUSE}statistic="ratio_low"\nabove=0.0', "is refused: clause.1.above: has to be above 0."),
        (
            f'{CLAUSE}statistic="ratio_low"\nabove=inf',
            "is refused: clause.1.above: has to be a number that is finite.",
        ),
        ("clause = [3]", "is refused: clause.1: has to be a table ([[clause]])."),
        (f'{CLAUSE}statistic="correct"\ntargets=3', "is refused: clause.1.targets: has to be a table."),
        (
            '[[clause]]\nid=""\nset="demo"\nstatistic="correct"',
            "is refused: clause.1.id: has to say something.",
        ),
        (f'schema_version=2\n{CLAUSE}statistic="correct"', "is refused: schema_version: has to be 1."),
        ("schema_version=1", "is refused: it has no [[clause]]."),
        ('[[clause]]\nset="demo"\nstatistic="correct"', "is refused: 'clause.1.id' is missing."),
    ],
)
def test_a_goal_that_is_none_is_refused_word_for_word(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "goal.toml"
    path.write_text(text)
    with pytest.raises(GoalError) as said:
        read_goal(path, MANIFEST)
    assert str(said.value) == f"The goal {path}{'' if words.startswith(':') else ' '}{words}"


def test_a_goal_is_read_as_utf8(tmp_path: Path) -> None:
    path = tmp_path / "goal.toml"
    path.write_bytes(f'{CLAUSE}text="größer"\nstatistic="correct"'.encode())
    assert read_goal(path).clause[0].text == "größer"
    path.write_bytes(b"\xff")
    with pytest.raises(GoalError, match="is not TOML: "):
        read_goal(path)
