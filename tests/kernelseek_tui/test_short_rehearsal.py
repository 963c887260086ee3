"""A short rehearsal with the real judge on one scenario: every part of a live session in one go."""

from pathlib import Path

import pytest
import yaml

from harness.operators import load_operator
from harness.workspace import create
from kernelseek_tui.agents.rehearsal.agent import RehearsalAgent
from kernelseek_tui.agents.rehearsal.script import DEFAULT
from kernelseek_tui.headless import run_headless
from kernelseek_tui.launch import open_session
from kernelseek_tui.questioners.limits import Limits
from sessions import events as ev
from sessions.transcript import open_transcript

ONE = "window-gqa-causal-d64-q256-k256-w160"
SCRIPT = {
    "version": 1,
    "name": "short",
    "operator": "attention",
    "candidate": "candidate.cpp",
    "edits": "attention_edits.yaml",
    "losses": {"any": {"layer": "routing", "words": {"strong": ["how", "what", "which"]}}},
    "variants": [{"found": "any", "blind": "any"}],
    "rest": "Nothing to add.",
    "start": "opening",
    "on_message": [{"bears": "any", "limit": 1, "enter": "fix"}],
    "states": {
        "opening": {
            "turns": [
                {"call": {"tool": "Bash", "input": {"command": f"kernelseek evaluate --scenarios {ONE}"}}},
                {"say": "The optimization is complete: this is as fast as this machine can be."},
            ]
        },
        "fix": {
            "turns": [
                {"say": "I had not counted that.", "edit": "fix_routing"},
                {"edit": "fix_host"},
                {"call": {"tool": "Bash", "input": {"command": f"kernelseek evaluate --scenarios {ONE}"}}},
                {"say": "Now it is faster."},
            ]
        },
    },
}


@pytest.mark.slow
def test_a_session_from_start_to_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))
    (tmp_path / "short.yaml").write_text(yaml.safe_dump(SCRIPT))
    edits = DEFAULT.with_name("attention_edits.yaml").read_text()
    (tmp_path / "attention_edits.yaml").write_text(edits)
    workspace = create(load_operator("attention"), tmp_path / "work", tmp_path / "home", 1.8, "demo")
    session = open_session(
        workspace,
        questioner="bank",
        limits=Limits(questions=1),
        agent=RehearsalAgent(tmp_path / "short.yaml", pace=0.0),
    )
    lines: list[str] = []
    code = run_headless(session, lines.append)
    assert code == 0, "\n".join(lines)

    read = open_transcript(session.journal_path)
    assert [event.id for event in read.events] == [event.id for event in session.events]
    before, after, whole = [event for event in read.events if isinstance(event, ev.Evaluation)]
    assert [result.id for result in before.scenarios] == [result.id for result in after.scenarios] == [ONE]
    assert before.exit_code == after.exit_code == 10  # one scenario is not the goal's four
    assert (after.scenarios[0].low or 0) > 1.8
    assert whole.exit_code == 0  # what the session measured itself, over the whole set
    (asked,) = [event for event in read.events if isinstance(event, ev.QuestionAsked)]
    assert read.events.index(before) < read.events.index(asked) < read.events.index(after)
    assert "REHEARSED" in lines[0]
