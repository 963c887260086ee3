"""`kernelseek steer --agent claude --headless --questioner self`: the real client and judge, to the goal.

The model is the rehearsal server; everything else is as a person has it. A minute and a half of measuring.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.record.files import read_record
from kernelseek_tui.agents.rehearsal.script import DEFAULT, load_script
from kernelseek_tui.rehearse.server import RehearsalServer
from sessions import events as ev
from sessions.transcript import open_transcript
from tests.agents.client import claude_binary, loopback_env

pytestmark = pytest.mark.agents

MAIN = "from kernelseek_tui.cli import main; main()"
PATIENCE = 600  # a hang guard, not a measurement


def kernelseek(environment: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.shows("claude owned", "stream", "usage")
def test_the_real_client_asks_itself_to_the_goal(tmp_path: Path) -> None:
    binary = claude_binary()
    work = tmp_path / "work"
    with RehearsalServer(load_script(DEFAULT), seed=0) as model:
        environment = loopback_env(tmp_path / "person", model.port)
        environment["KERNELSEEK_HOME"] = str(tmp_path / "home")
        made = kernelseek(environment, "init", "attention", str(work))
        assert made.returncode == 0, made.stderr
        del environment["IS_SANDBOX"]  # what needs it is --allow-all
        command = ["steer", str(work), "--agent", "claude", "--claude", str(binary)]
        done = kernelseek(environment, *command, "--headless", "--questioner", "self")
    print(done.stderr, done.stdout)
    assert done.returncode == 0
    assert "verdict: goal met" in done.stdout
    assert "REHEARSED" in done.stderr
    assert "denied" not in done.stderr

    (path,) = re.findall(r"^journal: (.+)$", done.stdout, re.MULTILINE)
    assert "rehearsal-no-key" not in Path(path).read_text()
    session = open_transcript(Path(path))
    assert not session.problems
    started = session.events[0]
    assert isinstance(started, ev.SessionStarted)
    assert (started.agent_name, started.rehearsed, started.questioner) == ("claude", True, "self")
    evaluations = [event for event in session.events if isinstance(event, ev.Evaluation)]
    assert evaluations[0].exit_code == 10
    assert evaluations[-1].exit_code == 0
    assert all(evaluation.counts for evaluation in evaluations)
    assert read_record(Path(evaluations[-1].record or "")).rehearsed
    asked = [event for event in session.events if isinstance(event, ev.QuestionAsked)]
    assert asked
    assert {(question.questioner, question.entry) for question in asked} == {("self", None)}
    settled = {
        e.parent for e in session.events if isinstance(e, ev.QuestionReceipt) and e.receipt != "queued"
    }
    assert settled == {question.id for question in asked}
    ends = [event for event in session.events if isinstance(event, ev.SessionEnded)]
    assert [end.exit_code for end in ends] == [0]
