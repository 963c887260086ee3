"""init, evaluate and goal check as a user runs them: real processes, the real judge on few scenarios."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from harness.operators import load_operator
from harness.owner.server import OwnerServer
from harness.record.files import read_record
from harness.workspace import Workspace, create
from tests.made_records import made_record, store

COMMAND = "from kernelseek_tui.cli import main; main()"
START = load_operator("attention").start
ONE = load_operator("attention").sets["demo"][0].id


class Shell:
    """Runs `kernelseek` with state and cache of its own."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.work = folder / "work"
        self.environment = {
            **os.environ,
            "KERNELSEEK_HOME": str(self.home),
            "KERNELSEEK_CACHE": str(cache),
            "NO_COLOR": "1",
        }

    def start(self, *arguments: str, cwd: Path) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-P", "-c", COMMAND, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
            env=self.environment,
        )

    def __call__(self, *arguments: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
        process = self.start(*arguments, cwd=cwd or self.folder)
        out, err = process.communicate()
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def workspace(self) -> Workspace:
        return create(load_operator("attention"), self.work, self.home)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def shell(tmp_path: Path, cache: Path) -> Shell:
    return Shell(tmp_path, cache)


def pretend(workspace: Workspace, **changes: Any) -> Path:
    """A record of the workspace's candidate, as it is now, that lacks all its scenarios."""
    hashes = {
        "candidate": workspace.candidate_sha256(),
        "start": workspace.manifest.start_sha256,
        "operator": workspace.manifest.operator_sha256,
    }
    return store(made_record(operator="attention", hashes=hashes, **changes), workspace.records)


def test_init_says_what_it_made_and_what_comes_next(shell: Shell) -> None:
    done = shell("init", "attention", "work", "--target", "2.5", "--set", "smoke")
    assert done.returncode == 0
    assert (shell.work / "candidate.cpp").read_bytes() == START.read_bytes()
    assert "above 2.5x over the start" in done.stdout
    assert "the set smoke (12 scenarios)" in done.stdout
    assert "kernelseek evaluate" in done.stdout
    again = shell("init", "attention", "work")
    assert again.returncode == 3
    assert "candidate.cpp" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("init", "nothing", "work"), 3, "attention"),
        (("init", "attention", "work", "--set", "huge"), 3, "demo, smoke"),
        (("init", "attention", "work", "--target", "0"), 2, "--target"),
        (("init", "attention", "work", "--target", "nan"), 2, "--target"),
        (("evaluate",), 3, "kernelseek init"),
        (("goal", "check"), 3, "kernelseek init"),
        (("evaluate", "here.cpp"), 2, "--operator"),
        (("evaluate", "here.cpp", "--operator", "attention"), 3, "here.cpp"),
        (("evaluate", "here.cpp", "--operator", "nothing"), 3, "attention"),
        (("evaluate", "--device", "tpu"), 2, "tpu"),
    ],
)
def test_bad_input_is_one_sentence_and_a_code(
    shell: Shell, arguments: tuple[str, ...], code: int, words: str
) -> None:
    done = shell(*arguments)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert done.stdout == ""


def test_a_workspace_without_its_manifest_ends_3(shell: Shell) -> None:
    workspace = shell.workspace()
    (workspace.home / "manifest.json").unlink()
    for arguments in (("evaluate",), ("goal", "check")):
        done = shell(*arguments, cwd=shell.work)
        assert done.returncode == 3
        assert "manifest" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_a_goal_with_an_unknown_key_ends_3_and_names_it(shell: Shell) -> None:
    workspace = shell.workspace()
    workspace.goal_path.write_text('[[clause]]\nid="a"\nset="demo"\nstatistic="correct"\nabvoe=1\n')
    done = shell("goal", "check", cwd=shell.work)
    assert done.returncode == 3
    assert "abvoe" in done.stderr


def test_a_candidate_that_is_gone_ends_3(shell: Shell) -> None:
    workspace = shell.workspace()
    workspace.candidate.unlink()
    for arguments in (("evaluate",), ("goal", "check")):
        done = shell(*arguments, cwd=shell.work)
        assert done.returncode == 3
        assert "candidate.cpp" in done.stderr


def test_a_goal_without_an_evaluation_is_unmet_and_says_so(shell: Shell) -> None:
    shell.workspace()
    done = shell("goal", "check", cwd=shell.work)
    assert done.returncode == 10
    assert "run `kernelseek evaluate`" in done.stdout


def test_goal_check_says_whose_record_it_was_and_forgets_it_after_an_edit(shell: Shell) -> None:
    workspace = shell.workspace()
    path = pretend(workspace, owner="none", rehearsed=True)
    done = shell("goal", "check", "--json", cwd=shell.work)
    answer = json.loads(done.stdout)
    assert done.returncode == answer["exit_code"] == 10
    assert answer["path"] == str(path)
    assert answer["owner_made"] is False
    assert answer["rehearsed"] is True
    assert answer["met"] is False
    assert answer["first_failing"][0] == ONE
    assert "without a session's owner" in shell("goal", "check", cwd=shell.work).stdout
    with workspace.candidate.open("a") as file:
        file.write("// edited\n")
    assert "no evaluation yet" in shell("goal", "check", cwd=shell.work).stdout


@pytest.mark.slow
def test_evaluate_in_a_workspace_with_the_real_judge(shell: Shell) -> None:
    workspace = shell.workspace()
    done = shell("evaluate", "--scenarios", ONE, "--json", cwd=shell.work)
    answer = json.loads(done.stdout)
    assert done.returncode == answer["exit_code"] == 10, done.stderr
    record = read_record(Path(answer["path"]))
    assert answer["record"] == record.model_dump(mode="json")
    assert Path(answer["path"]).parent == workspace.records
    assert record.owner == "none"
    assert record.scenarios[0].timing is not None
    assert record.hashes.candidate == workspace.candidate_sha256()
    assert record.hashes.start == workspace.manifest.start_sha256
    assert record.hashes.operator == workspace.manifest.operator_sha256
    # The judge left three scenarios out, and only for that is the goal unmet.
    assert "3 of 4 scenarios" in answer["goal"]["reason"]
    assert "not judged" in answer["goal"]["reason"]
    checked = shell("goal", "check", cwd=shell.work)
    assert checked.returncode == 10
    assert "not judged" in checked.stdout


@pytest.mark.slow
async def test_with_a_live_owner_the_owner_judges(shell: Shell, cache: Path) -> None:
    workspace = shell.workspace()
    async with OwnerServer(workspace, "session-9", rehearsed=True, cache=cache) as owner:
        asked = asyncio.create_task(
            asyncio.to_thread(shell, "evaluate", "--scenarios", ONE, cwd=shell.work / ".kernelseek")
        )
        async with contextlib.aclosing(owner.serve()) as stream:
            served = await anext(stream)
            assert not asked.done()
        done = await asked
        checked = await asyncio.to_thread(shell, "goal", "check", "--json", cwd=shell.work)
    assert served.record is not None, served.error
    assert served.record.owner == "session-9"
    assert done.returncode == 10, done.stderr
    assert "session session-9" in done.stderr
    assert done.stdout.startswith("REHEARSED")
    assert done.stdout.endswith(f"record {served.path} (owner session-9)\n")
    answer = json.loads(checked.stdout)
    assert answer["owner_made"] is True
    assert answer["path"] == str(served.path)


@pytest.mark.slow
def test_an_interrupted_evaluation_ends_130_and_leaves_no_record(shell: Shell) -> None:
    workspace = shell.workspace()
    process = shell.start("evaluate", cwd=shell.work)
    while not any(workspace.candidates.iterdir()):  # frozen: the judge is at work
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "interrupted" in said
    assert "Traceback" not in said
    assert list(workspace.records.iterdir()) == []


@pytest.mark.slow
def test_a_candidate_that_does_not_compile_ends_30_with_the_compilers_words(shell: Shell) -> None:
    shell.workspace().candidate.write_text('#include "ks.h"\nint ks_abi_version(void) { return mistake; }\n')
    done = shell("evaluate", cwd=shell.work)
    assert done.returncode == 30, done.stderr
    assert "mistake" in done.stdout
    assert "VERDICT does not build (exit 30)" in done.stdout
    checked = shell("goal", "check", cwd=shell.work)
    assert checked.returncode == 30
    assert "GOAL unmet" in checked.stdout


@pytest.mark.slow
def test_outside_a_workspace_all_correct_is_0(shell: Shell) -> None:
    candidate = shell.folder / "mine.cpp"
    candidate.write_bytes(START.read_bytes())
    done = shell("evaluate", "mine.cpp", "--operator", "attention", "--scenarios", ONE)
    assert done.returncode == 0, done.stderr
    assert f"{ONE}  CORRECT" in done.stdout
    assert "VERDICT correct (exit 0)" in done.stdout
    assert list((shell.home / "records").glob("*.json"))
