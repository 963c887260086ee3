"""`kernelseek steer` refuses what cannot work before it spends anything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.operators import load_operator
from harness.workspace import Workspace, create
from kernelseek_tui.agents.protocol import AgentError
from kernelseek_tui.cli.steer import steer
from sessions.home import sessions_folder
from tests.kernelseek_tui.agents.claude_stage import fake

RUN = (sys.executable, "-c", "from kernelseek_tui.cli import main; main()")


@pytest.mark.parametrize("agent", ["claude", "builtin"])
def test_headless_without_leave_to_use_tools_is_refused(tmp_path: Path, agent: str) -> None:
    done = subprocess.run(
        [*RUN, "steer", str(tmp_path), "--agent", agent, "--headless"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "--allow-all" in done.stderr


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace, and a person without keys, profiles or an agent."""
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
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
