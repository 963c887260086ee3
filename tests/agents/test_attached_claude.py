"""An interactive Claude Code that was started before, in tmux, steered by hooks; its model is dictated."""

import asyncio
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from kernelseek_tui.attach.discover import Running, running_sessions
from kernelseek_tui.attach.session import AttachedSession, open_attached
from kernelseek_tui.attach.tmux import Pane, pane_of
from sessions import events as ev
from sessions.transcript import open_transcript
from tests.agents.dictated import Dictated, bash, says
from tests.agents.terminal import Terminal, until
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace

pytestmark = pytest.mark.agents

SETTINGS = b'{ "permissions" : {"allow":[ "Bash" ]},\r\n\t"env":{} }'
SETTLE = 3.0
"""Seconds in which the client has noticed that its settings changed; it does not say when."""

SLOW = "sleep 3; echo one"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeWorkspace:
    workspace = MadeWorkspace(tmp_path)
    monkeypatch.setenv("KERNELSEEK_HOME", str(workspace.home))
    monkeypatch.delenv("KERNELSEEK_SESSION", raising=False)
    path = settings_of(workspace.root)
    path.parent.mkdir()
    path.write_bytes(SETTINGS)
    return workspace


def settings_of(project: Path) -> Path:
    return project / ".claude" / "settings.local.json"


def session_in(terminal: Terminal) -> Running:
    """The session once its prompt is there; it was started before anybody attached."""
    home = terminal.home / ".claude"
    until(lambda: running_sessions(home) and "❯" in terminal.screen(), 60)
    return running_sessions(home)[0]


@asynccontextmanager
async def attached(
    terminal: Terminal, made: MadeWorkspace, pane: Pane | None = None
) -> AsyncIterator[AttachedSession]:
    running = await asyncio.to_thread(session_in, terminal)
    session = open_attached(
        running,
        home=made.home,
        client_home=terminal.home / ".claude",
        workspace=made.workspace,
        questioner="human",
        pane=pane,
    )
    task = asyncio.create_task(session.run(until_idle=True))
    try:
        await eventually(lambda: b"--attached" in read(settings_of(made.root)) or task.done())
        yield session
    finally:
        await session.close()
        await task


def read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


async def eventually(what: Callable[[], object], seconds: float = 40) -> None:
    await asyncio.to_thread(until, what, seconds)


def receipts(session: AttachedSession) -> list[tuple[str, str]]:
    return [(one.receipt, one.detail) for one in of(session, ev.QuestionReceipt)]


def of(session: AttachedSession, kind: type[ev.Event]) -> list[Any]:
    return [event for event in session.events if isinstance(event, kind)]


@pytest.mark.shows("claude attached", "stream", "mid-turn message", "usage", "attach", "goal hook")
async def test_questions_and_the_goal_reach_a_session_that_was_started_before(
    tmp_path: Path, made: MadeWorkspace
) -> None:
    made.judged(slow=(1, 3))
    replies = [
        bash(SLOW, "Starting."),
        bash("echo two"),
        says("I am done."),
        bash("echo three"),
        says("Now done."),
    ]
    with Dictated(replies) as model, Terminal(tmp_path, made.root, model.port) as terminal:
        async with attached(terminal, made) as session:
            terminal.type("Optimize the candidate")
            await eventually(lambda: of(session, ev.ToolCall))
            await session.ask("Which resource is saturated?", None, None, False)
            assert await asyncio.to_thread(model.heard, "Which resource is saturated?")
            # The turn's end: refused with the clauses and the first failing ids.
            assert await asyncio.to_thread(model.heard, "First failing: toy-n16, toy-n64.")
            assert await asyncio.to_thread(model.heard, "faster: 2 of 4")
            made.judged()
            await eventually(lambda: of(session, ev.TurnEnded))
            # The session is idle: it is woken.
            await session.ask("What would disprove the limit?", None, None, False)
            assert await asyncio.to_thread(model.heard, "What would disprove the limit?")
            await eventually(lambda: len(receipts(session)) == 4)
            texts = [event.text for event in of(session, ev.AgentText)]
            replies = [usage.message for usage in of(session, ev.Usage)]
        assert model.times("Which resource is saturated?") == 1
    assert texts[:2] == ["Starting.", "I am done."]
    assert len(replies) == len(set(replies)) >= 5
    assert receipts(session)[1] == ("delivered", "at a tool boundary, by a hook")
    assert receipts(session)[3] == ("own_turn", "the idle session was woken for it")
    assert settings_of(made.root).read_bytes() == SETTINGS
    assert isinstance(open_transcript(session.journal_path).events[-1], ev.SessionEnded)


async def test_a_question_arrives_as_a_prompt_where_typing_is_allowed(
    tmp_path: Path, made: MadeWorkspace
) -> None:
    made.judged()
    with (
        Dictated([says("First."), says("Second.")]) as model,
        Terminal(tmp_path, made.root, model.port) as terminal,
    ):
        running = await asyncio.to_thread(session_in, terminal)
        pane = pane_of(running.pid)
        assert pane is not None
        async with attached(terminal, made, pane) as session:
            await session.ask("How far from the bound; and why?", None, None, False)
            assert await asyncio.to_thread(model.heard, "How far from the bound; and why?")
            await eventually(lambda: len(receipts(session)) == 2)
        assert receipts(session)[1] == ("own_turn", "typed into the session's own terminal")
    assert settings_of(made.root).read_bytes() == SETTINGS


def command(*arguments: str, made: MadeWorkspace, terminal: Terminal) -> "subprocess.Popen[str]":
    environment = {
        **os.environ,
        "KERNELSEEK_HOME": str(made.home),
        "CLAUDE_CONFIG_DIR": str(terminal.home / ".claude"),
    }
    code = "from kernelseek_tui.cli.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, "attach", *arguments],
        env=environment,
        cwd=made.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_settings_are_as_they_were_however_the_copilot_ends(
    how: signal.Signals, tmp_path: Path, made: MadeWorkspace
) -> None:
    with Dictated([]) as model, Terminal(tmp_path, made.root, model.port) as terminal:
        session_in(terminal)
        copilot = command("--latest", "--headless", "--yes", made=made, terminal=terminal)
        until(lambda: settings_of(made.root).read_bytes() != SETTINGS or copilot.poll() is not None)
        assert copilot.poll() is None, copilot.communicate()
        assert (
            "kernelseek"
            in json.loads(settings_of(made.root).read_bytes())["hooks"]["Stop"][0]["hooks"][0]["command"]
        )
        second = command("--latest", "--headless", "--yes", made=made, terminal=terminal)
        assert "another KernelSeek" in second.communicate()[1]
        assert second.returncode == 4
        copilot.send_signal(how)
        copilot.communicate(timeout=60)
        if how == signal.SIGKILL:
            assert settings_of(made.root).read_bytes() != SETTINGS
            cleanup = command("--cleanup", made=made, terminal=terminal)
            assert "as it was before" in cleanup.communicate()[0]
            assert cleanup.returncode == 0
        assert settings_of(made.root).read_bytes() == SETTINGS


@pytest.mark.parametrize("leave", ["quit", "hang up"])
def test_a_question_from_the_screen_reaches_the_model(
    leave: str, tmp_path: Path, made: MadeWorkspace
) -> None:
    made.judged()
    with (
        Dictated([says("First.")]) as model,
        Terminal(tmp_path, made.root, model.port) as terminal,
    ):
        session_in(terminal)
        names = {
            "KERNELSEEK_HOME": str(made.home),
            "CLAUDE_CONFIG_DIR": str(terminal.home / ".claude"),
            "TERM": "xterm-256color",
        }
        code = "from kernelseek_tui.cli.main import main; main()"
        start = shlex.join(
            ["env", *(f"{k}={v}" for k, v in names.items()), sys.executable, "-c", code, "attach", "--latest"]
        )
        terminal.tmux("new-window", "-d", "-n", "copilot", "-c", str(made.root), start)
        until(lambda: "Go on?" in copilot_screen(terminal))
        assert settings_of(made.root).read_bytes() == SETTINGS  # asked first
        keys(terminal, "y", "Enter")
        until(lambda: "TRANSCRIPT" in copilot_screen(terminal))
        until(lambda: settings_of(made.root).read_bytes() != SETTINGS)
        time.sleep(SETTLE)
        terminal.tmux("send-keys", "-t", ":0", "-l", "go")
        terminal.tmux("send-keys", "-t", ":0", "Enter")
        until(lambda: "First." in copilot_screen(terminal))
        keys(terminal, "i")
        until(lambda: "the draft stays" in copilot_screen(terminal))
        keys(terminal, "-l", "How far from the bound is it?")
        until(lambda: "How far from the bound is it?" in copilot_screen(terminal))
        keys(terminal, "Enter")
        assert model.heard("How far from the bound is it?")
        until(lambda: "delivered" in copilot_screen(terminal))
        if leave == "quit":
            until(lambda: "the draft stays" not in copilot_screen(terminal))  # sending left the composer
            keys(terminal, "q", "q")
        else:
            terminal.tmux("kill-window", "-t", "copilot")
        until(lambda: settings_of(made.root).read_bytes() == SETTINGS)


def copilot_screen(terminal: Terminal) -> str:
    return terminal.tmux("capture-pane", "-p", "-t", "copilot")


def keys(terminal: Terminal, *pressed: str) -> None:
    terminal.tmux("send-keys", "-t", "copilot", *pressed)
