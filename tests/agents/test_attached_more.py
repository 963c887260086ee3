"""What people do in the terminal of an attached session: answer its dialogs, end it, go on with another."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from kernelseek_tui.attach.cleanup import clean
from kernelseek_tui.attach.discover import alive, running_sessions
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
    told = receipts(session)
    assert told[0] == (
        "queued",
        "waits until the client's own dialog (permission prompt) is answered in its terminal",
    )
    # What a question waits for is said anew when it changes, as the client's file tells it, a little late.
    others = [one for one in told[1:] if one[0] != "queued"]
    assert others == [
        ("delivered", "at a tool boundary, by a hook"),
        ("failed", "the session ended before the transcript showed it"),
    ]
    assert told[-2][0] == "queued"
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


@pytest.fixture
def bare(project: MadeWorkspace) -> MadeWorkspace:
    """A project without any `.claude`, whose candidate was never judged."""
    settings_of(project.root).unlink()
    settings_of(project.root).parent.rmdir()
    for record in (project.own / "records").iterdir():
        record.unlink()
    return project


async def test_a_second_attachment_holds_the_session_too(tmp_path: Path, bare: MadeWorkspace) -> None:
    folder = settings_of(bare.root).parent
    asked = "has no evaluation that counts"
    with Dictated([says("First."), says("Waiting.")]) as model:
        with Terminal(tmp_path, bare.root, model.port) as terminal:
            async with attached(terminal, bare) as session:
                await asyncio.sleep(SETTLE)
            assert "stays, empty" in session.said[-1]
            assert list(folder.iterdir()) == []  # the client would not notice another one
            await asyncio.sleep(SETTLE)
            async with attached(terminal, bare) as session:
                await asyncio.sleep(SETTLE)
                terminal.type("go")
                assert await asyncio.to_thread(model.heard, asked)
                await eventually(lambda: of(session, ev.TurnEnded))
                assert not [one for one in of(session, ev.Note) if "stop hook" in one.text]
            pid = running_sessions(terminal.home / ".claude")[0].pid
        await eventually(lambda: not alive(pid))
        clean(bare.home, [])
    assert not folder.exists()


async def test_hooks_that_somebody_overwrote_are_missed_at_once_and_at_the_turns_end(
    tmp_path: Path, project: MadeWorkspace
) -> None:
    path = settings_of(project.root)
    with (
        Dictated([bash("sleep 5; echo x"), says("Done.")]) as model,
        Terminal(tmp_path, project.root, model.port) as terminal,
    ):
        async with attached(terminal, project) as session:
            await asyncio.sleep(SETTLE)
            terminal.type("go")
            await eventually(lambda: of(session, ev.ToolCall))
            path.write_bytes(b'{"permissions":{}}\n')
            await eventually(lambda: "somebody rewrote it" in session.activity)
            await session.ask("Which bound?", None, None, False)
            await eventually(lambda: of(session, ev.TurnEnded))
            await eventually(lambda: of(session, ev.GoalVerdict))
    verdict = of(session, ev.GoalVerdict)[-1]
    assert (verdict.met, verdict.reason) == (None, "Goal unknown: the client did not run the stop hook.")
    assert "hooks" in receipts(session)[0][1]
    assert receipts(session)[-1][0] == "failed"
    assert "changed by others" in session.said[-1]
    assert path.read_bytes() == b'{"permissions":{}}\n'
