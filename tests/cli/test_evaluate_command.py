"""`kernelseek evaluate` and `goal check` around a judge that is not run: what is said and how it ends."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import kernelseek_tui.cli.evaluate as module
import kernelseek_tui.cli.goal as goal_module
from harness.gaps import add_gap
from harness.goal import GoalError
from harness.owner.ask import Evaluated
from harness.record.files import read_record
from harness.request import Progress
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace
from tests.made_records import SCENARIOS

Judge = Callable[..., Evaluated]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeWorkspace:
    place = MadeWorkspace(tmp_path)
    monkeypatch.setenv("KERNELSEEK_HOME", str(place.home))
    monkeypatch.chdir(place.root)
    return place


def evaluate(monkeypatch: pytest.MonkeyPatch, judge: Judge, *arguments: str) -> Result:
    monkeypatch.setattr(module, "request_evaluation", judge)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    return CliRunner().invoke(module.evaluate, arguments, standalone_mode=False)


def broken_meanwhile(made: MadeWorkspace) -> Judge:
    def judge(*_: Any, **__: Any) -> Evaluated:
        path = made.judged()
        made.workspace.goal_path.write_text("[[clause\n")
        return Evaluated(read_record(path), path)

    return judge


def test_a_goal_that_broke_meanwhile_costs_nothing_of_what_was_judged(
    made: MadeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = evaluate(monkeypatch, broken_meanwhile(made))
    assert done.return_value == 3
    lines = done.output.splitlines()
    assert lines[1].startswith("toy-n8    CORRECT")
    goal, verdict, record = lines[-3:]
    assert goal.startswith("goal: cannot be read: The goal ")
    assert "is not TOML" in goal
    assert verdict.startswith("VERDICT correct (exit 3): the goal cannot be read; CORRECT 4/4")
    assert record.startswith(f"record {made.own / 'records'}")


def test_the_same_as_json(made: MadeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    done = evaluate(monkeypatch, broken_meanwhile(made), "--json")
    answer = json.loads(done.output)
    assert (done.return_value, answer["exit_code"], answer["goal"]) == (3, 3, None)
    assert "is not TOML" in answer["goal_unread"]
    assert answer["record"]["status"] == "CORRECT"


def test_a_broken_goal_is_refused_before_anything_is_judged(
    made: MadeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def judge(*_: Any, **__: Any) -> Evaluated:
        asked.append(True)
        raise AssertionError

    made.workspace.goal_path.write_text("[[clause\n")
    done = evaluate(monkeypatch, judge)
    assert isinstance(done.exception, GoalError)
    assert done.exception.exit_code == 3
    assert not asked


@pytest.mark.parametrize(
    ("steps", "kept"),
    [
        ([Progress("build", 0, 9)], False),
        ([Progress("build", 0, 9), Progress("check", 1, 9, None, "s")], False),
        ([Progress("check", 1, 9), Progress("check", 2, 9, 1.0, "s")], True),
        ([Progress("time", 6, 9, 1.0, "s")], True),
    ],
)
def test_an_interrupted_one_says_that_what_it_had_is_kept(
    made: MadeWorkspace, monkeypatch: pytest.MonkeyPatch, steps: list[Progress], kept: bool
) -> None:
    def judge(*_: Any, progress: Callable[[Progress], None], **__: Any) -> Evaluated:
        for step in steps:
            progress(step)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "boot_id", lambda: "a-boot")
    assert ("goes on from there" in evaluate(monkeypatch, judge).stderr) is kept
    monkeypatch.setattr(module, "boot_id", lambda: "")  # where nothing can be kept
    assert "goes on from there" not in evaluate(monkeypatch, judge).stderr


def test_a_gap_of_an_earlier_candidate_is_said_to_be_one(
    made: MadeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = made.workspace.candidate_sha256()
    add_gap(made.workspace.gaps, [SCENARIOS[0].id], "host", "1 us", "d" * 64)
    add_gap(made.workspace.gaps, [SCENARIOS[1].id], "kernel", "2 us", now)

    def judge(*_: Any, **__: Any) -> Evaluated:
        path = made.judged()
        return Evaluated(read_record(path), path)

    said = evaluate(monkeypatch, judge).output
    [first] = [one for one in said.splitlines() if one.startswith("worst: toy-n8,")]
    assert first.endswith(", gap host (of an earlier candidate)")
    [second] = [one for one in said.splitlines() if one.startswith("worst: toy-n16,")]
    assert second.endswith(", gap kernel")


def test_goal_check_answers_first(made: MadeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    made.judged(slow=(1,), flags=({"code": "look", "evidence": "Something."},))
    monkeypatch.setattr(goal_module, "load_operator", lambda _: None)
    monkeypatch.setattr(goal_module, "find_baseline", lambda *_: None)
    done = CliRunner().invoke(goal_module.goal, ["check"], standalone_mode=False)
    assert done.return_value == 10, done.output
    heads = [one.split()[0] for one in done.output.splitlines()]
    assert heads == ["GOAL", "unmet", "record", "flag:"]
