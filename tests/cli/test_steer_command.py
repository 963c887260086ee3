"""`kernelseek steer` refuses what cannot work before it spends anything."""

import os
from pathlib import Path

import click
import pytest

from harness.operators import load_operator
from harness.workspace import Workspace, create
from kernelseek_tui.agents.protocol import AgentError
from kernelseek_tui.cli.steer import steer
from sessions.errors import RefusedInput
from sessions.home import sessions_folder
from tests.kernelseek_tui.agents.claude_stage import fake


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace, and a person without keys, profiles or an agent."""
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    for name in list(os.environ):
        if name.startswith("ANTHROPIC_") or name == "KERNELSEEK_CLAUDE":
            monkeypatch.delenv(name)
    return create(load_operator("attention"), tmp_path / "work", tmp_path / "home")


def refusal(workspace: Workspace, *arguments: str) -> str:
    """What `steer` says instead of beginning a session, of which it leaves nothing."""
    with pytest.raises(AgentError) as refused:
        steer.main(
            [str(workspace.root), "--headless", "--allow-all", *arguments],
            prog_name="steer",
            standalone_mode=False,
        )
    assert refused.value.exit_code == 60
    assert not sessions_folder().exists()
    return str(refused.value)


def said(workspace: Workspace, *arguments: str) -> str:
    """The usage error of `steer` before anything is begun."""
    with pytest.raises(click.UsageError) as refused:
        steer.main([str(workspace.root), "--headless", *arguments], prog_name="steer", standalone_mode=False)
    assert not sessions_folder().exists()
    return refused.value.format_message()


@pytest.mark.parametrize("session", ["my title", "../x", "78262bc0", "78262BC0-C59F-474B-A679-1256F9BDD891"])
def test_only_an_id_of_the_client_can_be_resumed(workspace: Workspace, session: str) -> None:
    words = said(workspace, "--agent", "claude", "--resume", session)
    assert words.startswith(
        f"--resume takes Claude Code's own id of a session, a UUID, and '{session}' is none"
    )
    assert "projects/*/ID.jsonl" in words


def test_options_that_would_do_nothing_are_refused(workspace: Workspace) -> None:
    assert "it is empty" in said(workspace, "--agent", "claude", "--resume", "")
    assert "it is empty" in said(workspace, "--agent", "rehearsal", "--resume", "")
    assert "--resume is for" in said(workspace, "--agent", "builtin", "--resume", "")
    assert "--model" in said(workspace, "--agent", "rehearsal", "--model", "x")
    assert "--spend-ceiling" in said(workspace, "--agent", "rehearsal", "--spend-ceiling", "1")
    assert "--pace is for" in said(workspace, "--agent", "builtin", "--pace", "1")


def test_a_session_that_the_client_does_not_keep_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    session = "11111111-0000-4000-8000-000000000001"
    arguments = [str(workspace.root), "--headless", "--agent", "claude", "--resume", session]
    with pytest.raises(RefusedInput, match=f"keeps no session {session}"):
        steer.main(arguments, standalone_mode=False)
    assert not sessions_folder().exists()
    kept = tmp_path / "person" / ".claude" / "projects" / "-elsewhere" / f"{session}.jsonl"
    kept.parent.mkdir(parents=True)
    kept.touch()
    with pytest.raises(AgentError, match="is not on PATH"):  # one look further
        steer.main(arguments, standalone_mode=False)


def test_a_client_that_cannot_run_is_refused_before_there_is_a_session(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IS_SANDBOX", "1")
    given = ("--agent", "claude", "--claude")
    assert "install it with" in refusal(workspace, *given, str(tmp_path / "none"))
    program = fake(tmp_path)
    monkeypatch.setenv("FAKE_CLAUDE_VERSION", "2.1.197")
    assert "2.1.197 is too old" in refusal(workspace, *given, str(program))
    program.chmod(0o644)
    assert f"not executable: `chmod +x {program}`" in refusal(workspace, *given, str(program))


def test_no_key_is_said_before_there_is_a_session(workspace: Workspace) -> None:
    assert "set ANTHROPIC_API_KEY" in refusal(workspace, "--agent", "builtin")
