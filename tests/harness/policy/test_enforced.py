"""Policy from the goal to the record: what a goal forbids, and what an evaluation does with it."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.build import Build
from harness.building import refusal
from harness.checks import Check
from harness.errors import JudgeError
from harness.goal import Goal, GoalError, dump_goal, read_goal
from harness.goal_check import check_goal
from harness.policy.binary import Binary, Finding
from harness.protocol import Protocol
from harness.record.record import not_run
from harness.task import task_text
from harness.verdict import Outcome, Status, VerdictCode, exit_code
from tests.harness.conftest import Bench
from tests.harness.policy.test_binary import linux
from tests.harness.toy import Toy, candidate
from tests.made_records import CANDIDATE, made_goal, made_manifest, made_record

MANIFEST = made_manifest()


def forbidding(*globs: str) -> Goal:
    return Goal.model_validate({**made_goal().model_dump(), "forbidden_libraries": globs})


def test_forbidden_libraries_are_written_and_read_again(tmp_path: Path) -> None:
    goal = forbidding("*blas*", "libmkl*")
    path = tmp_path / "goal.toml"
    path.write_text(dump_goal(goal))
    assert read_goal(path) == goal
    assert 'forbidden_libraries = [\n    "*blas*",\n    "libmkl*",\n]' in dump_goal(goal)
    assert "forbidden_libraries" not in dump_goal(made_goal())


@pytest.mark.parametrize(
    ("globs", "words"),
    [
        (["*"], "is no pattern"),
        (["/usr/lib/libx.so"], "is no pattern"),
        ([""], "is no pattern"),
        (["libc.*"], "forbids libc.so.6, which every C++ candidate needs"),
        (["libm*"], "forbids libm.so.6"),
        (["lib[a-z]*"], "which every C++ candidate needs"),
    ],
)
def test_a_goal_that_forbids_nothing_or_everything_is_refused(
    globs: list[str], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "goal.toml"
    path.write_text(
        dump_goal(made_goal()).replace("schema_version", f"forbidden_libraries = {globs}\nschema_version")
    )
    with pytest.raises(GoalError, match="forbidden_libraries") as refused:
        read_goal(path)
    assert words in str(refused.value)
    assert refused.value.exit_code == 3


def test_a_record_of_before_the_goal_forbade_it_does_not_meet_it() -> None:
    record = made_record()
    build = record.build.model_copy(
        update={"needed": ("libc.so.6",), "undefined": ("quickmath_sum", "memcpy")}
    )
    record = record.model_copy(update={"build": build})
    assert "goal forbids" not in check_goal(made_goal(), MANIFEST, record, CANDIDATE).reason
    report = check_goal(forbidding("libquickmath*"), MANIFEST, record, CANDIDATE)
    assert report.met is False
    assert report.reason == "The binary asks for quickmath_sum, which the goal forbids ('libquickmath*')."


def test_the_agent_is_told_what_the_goal_forbids() -> None:
    goal = Goal.model_validate(
        {"clause": [{"id": "c", "set": "pair", "statistic": "correct"}], "forbidden_libraries": ["*blas*"]}
    )
    assert "`*blas*`" in task_text(Toy(), goal, "candidate.cpp")


def test_each_check_on_the_binary_can_be_off_by_itself() -> None:
    findings = (Finding(Check.LOADER, "It loads."), Finding(Check.CONSTRUCTORS, "It starts."))
    build = Build(Path("library.so"), "", (), "", 0, 0.0, False, "")
    built = SimpleNamespace(candidate=build, binary=Binary(findings=findings))

    def refused(*off: Check) -> object:
        return refusal(built, Protocol(off=frozenset(off)))  # type: ignore[arg-type]

    assert refused() == (Outcome.POLICY, "It loads.", Check.LOADER)
    assert refused(Check.LOADER) == (Outcome.POLICY, "It starts.", Check.CONSTRUCTORS)
    assert refused(Check.LOADER, Check.CONSTRUCTORS) is None


@linux
def test_a_candidate_that_asks_for_the_loader_ends_with_50_before_it_runs(bench: Bench) -> None:
    source = candidate(above="#include <dlfcn.h>", before='if (dlopen("libx.so", RTLD_NOW)) return 7;')
    record = bench.judge(source)
    assert record.status is Outcome.POLICY
    assert exit_code(record.status) is VerdictCode.POLICY
    assert not_run(record)
    assert {(one.status, one.check) for one in record.scenarios} == {(Status.NOT_RUN, Check.LOADER)}
    assert "asks for dlopen (group 'loader'" in record.summary
    assert "dlopen" in record.build.undefined
    assert record.aggregate.score == 0


@linux
def test_an_honest_record_says_what_was_asked_for_and_what_held_it(bench: Bench) -> None:
    record = bench.judge(candidate(), check_only=True)
    assert record.status is Outcome.CORRECT
    assert "__cxa_finalize" in record.build.undefined
    assert set(record.build.sandbox) <= {"landlock", "no-network"}
    assert {"seccomp", "no-files", "no-network"} <= set(record.env.containment)
    assert record.flags == ()


def test_where_no_goal_is_nothing_more_is_forbidden(tmp_path: Path) -> None:
    from harness.workspace import Workspace

    goal = tmp_path / "goal.toml"
    workspace = SimpleNamespace(goal_path=goal, goal=lambda: read_goal(goal))
    assert Workspace.forbidden_libraries(workspace) == ()  # type: ignore[arg-type]
    goal.write_text("no goal")
    with pytest.raises(JudgeError, match="is not TOML"):
        Workspace.forbidden_libraries(workspace)  # type: ignore[arg-type]
    goal.write_text(dump_goal(forbidding("*blas*")))
    assert Workspace.forbidden_libraries(workspace) == ("*blas*",)  # type: ignore[arg-type]
