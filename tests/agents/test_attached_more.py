"""What people do in the terminal of an attached session: answer its dialogs, end it, go on with another."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from kernelseek_tui.attach.discover import running_sessions
from kernelseek_tui.attach.tmux import pane_of
from kernelseek_tui.rehearse.conversation import Said
from sessions import events as ev
from tests.agents.dictated import Dictated, bash, says
from tests.agents.terminal import Terminal
from tests.agents.test_attached_claude import (
    SETTINGS,
    SETTLE,
    attached,
    eventually,
    of,
    receipts,
    session_in,
    settings_of,
)
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace

pytestmark = pytest.mark.agents


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeWorkspace:
    made = MadeWorkspace(tmp_path)
    monkeypatch.setenv("KERNELSEEK_HOME", str(made.home))
    monkeypatch.delenv("KERNELSEEK_SESSION", raising=False)
    settings_of(made.root).parent.mkdir()
    settings_of(made.root).write_bytes(SETTINGS)
    made.judged()
    return made


async def test_a_dialog_of_the_client_is_shown_and_its_death_with_a_question_waiting(
    tmp_path: Path, project: MadeWorkspace
) -> None:
    note: dict[str, object] = {"file_path": str(project.root / "note.txt"), "content": "hi\n"}
    replies = [
        Said("story", texts=("I write.",), calls=(("Write", note),)),
        bash("sleep 30", "Slow."),
    ]
    with Dictated(replies) as model, Terminal(tmp_path, project.root, model.port) as terminal:
        async with attached(terminal, project) as session:
            await asyncio.sleep(SETTLE)
            terminal.type("go")
            await eventually(lambda: session.activity)
            assert session.activity == (
                "The client waits at its own dialog (permission prompt); answer it in its terminal."
            )
            await session.ask("Which bound?", None, None, False)
            await eventually(lambda: answered(terminal, project.root / "note.txt"))
            assert await asyncio.to_thread(model.heard, "Which bound?")
            await eventually(lambda: len(of(session, ev.ToolCall)) == 2 and not session.activity)
            await session.ask("What would disprove it?", None, None, False)
            os.kill(running_sessions(terminal.home / ".claude")[0].pid, signal.SIGKILL)
            await eventually(lambda: session.state.ended)
            assert "`claude --resume " in session.activity
    assert session.state.ended is not None
    assert session.state.ended.reason == session.activity
    assert receipts(session) == [
        ("queued", "waits until the client's own dialog (permission prompt) is answered in its terminal"),
        ("delivered", "at a tool boundary, by a hook"),
        ("queued", "waits for the next tool boundary or the turn's end"),
        ("failed", "the session ended before the transcript showed it"),
    ]
    assert settings_of(project.root).read_bytes() == SETTINGS
    assert not list((project.home / "attached").rglob("queue/*"))


def answered(terminal: Terminal, written: Path) -> bool:
    """Press return at the dialog until it takes it: at first it passes keys over."""
    if not written.exists():
        terminal.tmux("send-keys", "Enter")
        time.sleep(0.5)
    return written.exists()


async def test_what_the_terminal_goes_on_with_after_clear_is_another_session(
    tmp_path: Path, project: MadeWorkspace
) -> None:
    with Dictated([says("First.")]) as model, Terminal(tmp_path, project.root, model.port) as terminal:
        running = await asyncio.to_thread(session_in, terminal)
        async with attached(terminal, project, pane_of(running.pid)) as session:
            await asyncio.sleep(SETTLE)
            await session.ask("/clear wins? Or what?", None, None, False)  # must not be typed
            terminal.type("hello")
            await eventually(lambda: of(session, ev.TurnEnded))
            assert await asyncio.to_thread(model.heard, "/clear wins? Or what?")
            await eventually(lambda: len(receipts(session)) == 2)
            terminal.type("/clear")
            await eventually(lambda: session.state.ended)
        new = running_sessions(terminal.home / ".claude")[0]
        assert new.session != running.session
        assert f"`kernelseek attach {new.session[:8]}`" in session.activity
        assert receipts(session)[1][0] in ("delivered", "own_turn")
        assert settings_of(project.root).read_bytes() == SETTINGS
        async with attached(terminal, project, pane_of(new.pid)) as session:
            await session.ask("How far from the bound?", None, None, False)
            assert await asyncio.to_thread(model.heard, "How far from the bound?")
            await eventually(lambda: len(receipts(session)) == 2)
        assert receipts(session)[1] == ("own_turn", "typed into the session's own terminal")
    assert settings_of(project.root).read_bytes() == SETTINGS
