"""The built-in agent on the rehearsal server with the real judge: minutes, so `make test-demo` runs it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.operators import load_operator
from harness.workspace import create
from kernelseek_tui.agents.rehearsal.script import DEFAULT, load_script
from kernelseek_tui.rehearse.faults import parse_fault
from kernelseek_tui.rehearse.server import RehearsalServer
from sessions import events as ev
from sessions.transcript import open_transcript

pytestmark = pytest.mark.demo

MAIN = "from kernelseek_tui.cli import main; main()"
KEY = "sk-test-0123456789abcdef"


def test_the_bank_leads_the_built_in_agent_to_the_goal(tmp_path: Path) -> None:
    home = tmp_path / "home"
    workspace = create(load_operator("attention"), tmp_path / "work", home, 1.8, "demo")
    faults = [parse_fault("529@3"), parse_fault("cut@5")]
    with RehearsalServer(load_script(DEFAULT), seed=0, faults=faults) as model:
        own = {"KERNELSEEK_HOME": str(home), "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": KEY}
        command = ["steer", str(workspace.root), "--agent", "builtin", "--headless", "--questioner", "bank"]
        done = subprocess.run(
            [sys.executable, "-c", MAIN, *command],
            env={**os.environ, "no_proxy": "127.0.0.1", **own},
            capture_output=True,
            text=True,
        )
    print(done.stderr, done.stdout)
    assert done.returncode == 0
    assert "REHEARSED" in done.stderr
    (journal,) = re.findall(r"^journal: (.+)$", done.stdout, re.MULTILINE)
    assert KEY not in Path(journal).read_text()
    session = open_transcript(Path(journal))
    assert not session.problems
    started = session.events[0]
    assert isinstance(started, ev.SessionStarted)
    assert (started.agent_name, started.rehearsed) == ("builtin", True)
    evaluations = [event for event in session.events if isinstance(event, ev.Evaluation)]
    assert evaluations[-1].exit_code == 0
    assert all(evaluation.counts for evaluation in evaluations)
    receipts = {event.receipt for event in session.events if isinstance(event, ev.QuestionReceipt)}
    assert "delivered" in receipts
    assert any(isinstance(event, ev.Usage) for event in session.events)
