"""The real Claude Code, owned: questions, an interrupt, a denied permission, an API error, one journal."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bank.bank import Bank
from harness.owner.server import OwnerServer
from kernelseek_tui.agents.claude.agent import ClaudeAgent
from kernelseek_tui.agents.protocol import AgentSpec
from kernelseek_tui.copilot import Copilot
from kernelseek_tui.hindsight import Seer
from kernelseek_tui.judging import Judging
from kernelseek_tui.questioners.human import Human
from kernelseek_tui.steer import LiveSession
from sessions import events as ev
from sessions.journal import Journal
from sessions.transcript import open_transcript
from tests.agents.client import claude_binary, loopback_env
from tests.agents.dictated import Dictated, _Handler, bash, says
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace

pytestmark = pytest.mark.agents

PATIENCE = 60.0  # a hang guard, not a measurement
SLOW = "sleep 3; echo one"
ENDLESS = "touch running && python3 -c 'import time; time.sleep(600)'"

E = TypeVar("E", bound=ev.Event)


class Overloaded(Dictated):
    """Answers the next `failures` requests that offer tools with 529."""

    failures = 0

    def __init__(self, *replies: Any) -> None:
        super().__init__(replies)
        self._http.RequestHandlerClass = type("Failing", (_Failing,), {"model": self})


class _Failing(_Handler):
    model: Overloaded

    def do_POST(self) -> None:  # noqa: N802 - the name that the base class looks for
        if self.model.failures <= 0 or "count_tokens" in self.path:
            super().do_POST()
            return
        self.model.failures -= 1
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}'
        self.send_response(529)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Owned:
    """A live session with the real client, and waiting for what it says."""

    def __init__(self, session: LiveSession, agent: ClaudeAgent) -> None:
        self.session = session
        self.agent = agent

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.session.events if isinstance(event, kind)]

    async def until(self, found: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not found():
                await asyncio.sleep(0.02)

    async def turns(self, count: int) -> None:
        await self.until(lambda: len(self.of(ev.TurnEnded)) >= count)

    def receipts(self, text: str) -> list[str]:
        """What became of the question."""
        asked = next(event for event in self.of(ev.QuestionAsked) if event.text == text)
        return [event.receipt for event in self.of(ev.QuestionReceipt) if event.parent == asked.id]

    async def ask(self, text: str) -> None:
        await self.session.ask(text, None, None, False)


@asynccontextmanager
async def owned(
    folder: Path, model: Dictated, made: MadeWorkspace | None = None, **spec: Any
) -> AsyncIterator[Owned]:
    """With `made` given, the session is held to the goal of that workspace."""
    hold = made is not None
    made = made or MadeWorkspace(folder)
    environment = loopback_env(folder / "user", model.port)
    agent = ClaudeAgent(
        claude_binary(), environment=environment, candidate=made.workspace.candidate, goal_hook=hold
    )
    ours = {"KERNELSEEK_SESSION": "s1", "KERNELSEEK_HOME": str(made.home)}
    bank = Bank.load()
    session = LiveSession(
        title="owned",
        agent=agent,
        spec=AgentSpec(made.root, "Make it fast.", ours, **spec),
        copilot=Copilot(Journal(folder / "journal"), Seer(bank), Human(), bank.version),
        judging=Judging(made.workspace, OwnerServer(made.workspace, "s1")),
    )
    running = asyncio.create_task(session.run(until_idle=False))
    try:
        yield Owned(session, agent)
    finally:
        await session.close()
        async with asyncio.timeout(PATIENCE):
            await running


@pytest.mark.shows("claude owned", "stream", "interrupt", "mid-turn message", "permissions", "usage")
async def test_one_session_with_everything_a_person_does(tmp_path: Path) -> None:
    model = Overloaded(
        *(bash(SLOW, "Starting."), says("I am done.")),
        *(bash("touch denied"), says("Very well.")),
        *(bash(ENDLESS), says("Carrying on.")),
        says("Recovered."),
    )
    with model:
        async with owned(tmp_path, model) as live:
            # In mid-turn: with the result of the tool that runs.
            await live.until(lambda: live.of(ev.ToolCall))
            await live.ask("Which resource is saturated?")
            await live.turns(1)
            assert await asyncio.to_thread(model.heard, "Which resource is saturated?")
            # At the turn's end: a turn of its own, and a permission denied with words that the agent reads.
            await live.ask("What would disprove the limit?")
            await live.until(lambda: live.of(ev.PermissionRequested))
            await live.session.answer(live.of(ev.PermissionRequested)[0].request, "deny", "Measure first.")
            await live.turns(2)
            assert await asyncio.to_thread(model.heard, "Measure first.")
            # An interrupt stops a running tool; the session lives on.
            await live.ask("Run it for ever.")
            await live.until(lambda: len(live.of(ev.PermissionRequested)) == 2)
            await live.session.answer(live.of(ev.PermissionRequested)[1].request, "allow", "")
            await live.until((tmp_path / "work" / "running").exists)
            await live.session.interrupt()
            await live.turns(3)
            await live.ask("Carry on.")
            await live.turns(4)
            # The API fails twice and recovers.
            model.failures = 2
            await live.ask("Is it still there?")
            await live.turns(5)
            assert live.agent.cost_usd > 0
        assert model.times("Which resource is saturated?") == 1

    assert live.receipts("Which resource is saturated?") == ["queued", "delivered"]
    assert "own_turn" in live.receipts("What would disprove the limit?")
    assert "own_turn" in live.receipts("Is it still there?")
    assert [ended.reason for ended in live.of(ev.TurnEnded)] == [
        *("completed", "completed", "interrupted", "completed", "completed")
    ]
    texts = [text.text for text in live.of(ev.AgentText)]
    assert texts == ["Starting.", "I am done.", "Very well.", "Carrying on.", "Recovered."]
    # Questions are no messages of their own beside the task.
    assert [message.text for message in live.of(ev.HumanMessage)] == ["Make it fast."]
    denied = live.of(ev.ToolResult)[1]
    assert (denied.output, denied.is_error) == ("Measure first.", True)
    assert not (tmp_path / "work" / "denied").exists()
    assert [answer.answer for answer in live.of(ev.PermissionAnswered)] == ["deny", "allow"]
    retries = [note.text for note in live.of(ev.Note) if note.text.startswith("The API answers 529")]
    assert [text.split(";")[1].split(" of ")[0] for text in retries] == [" attempt 1", " attempt 2"]
    replies = [usage.message for usage in live.of(ev.Usage) if usage.message]
    assert len(replies) == len(set(replies))

    written = open_transcript(live.session.journal_path)
    assert [event.id for event in written.events] == [event.id for event in live.session.events]
    assert isinstance(written.events[-1], ev.SessionEnded)
    assert not written.problems
    assert "rehearsal-no-key" not in live.session.journal_path.read_text()


@pytest.mark.shows("claude owned", "goal hook")
async def test_a_stop_before_the_goal_is_refused_with_the_clauses(tmp_path: Path) -> None:
    made = MadeWorkspace(tmp_path)
    settings = made.root / ".claude" / "settings.local.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"disableAllHooks": true}')  # one line that must not end the hold
    made.judged(slow=(1, 3))
    met = made.judged()
    waiting = met.with_suffix(".later")
    met.rename(waiting)
    # The model "makes it fast": its command puts a record of the owner's in place, as the owner would.
    replies = [says("Done, 1.3x is the limit."), bash(f"mv {waiting} {met}"), says("Now it is done.")]
    with Dictated(replies) as model:
        async with owned(tmp_path, model, made, ask_permission=False) as live:
            await live.turns(1)
        assert model.times("faster: 2 of 4") >= 1
        assert model.times("First failing: toy-n16, toy-n64.") >= 1
    assert [text.text for text in live.of(ev.AgentText)] == ["Done, 1.3x is the limit.", "Now it is done."]
    refused = [note.text for note in live.of(ev.Note) if note.author == "hook"]
    assert any("First failing: toy-n16, toy-n64." in text for text in refused)
    assert len(live.of(ev.TurnEnded)) == 1


@pytest.mark.shows("claude owned", "partial text", "resume", "fork")
async def test_a_session_is_resumed_and_forked(tmp_path: Path) -> None:
    with Dictated([says("First."), says("Second."), says("Third.")]) as model:
        async with owned(tmp_path / "a", model) as first:
            await first.turns(1)
            session = first.agent.session
            assert session
        home = tmp_path / "a" / "user"
        workspace = tmp_path / "a" / "work"
        for fork in (False, True):
            agent = ClaudeAgent(claude_binary(), environment=loopback_env(home, model.port))
            spec = AgentSpec(workspace, "And now?", {}, resume=session, fork=fork)
            partial: list[str] = []
            agent.on_partial(partial.append)
            await agent.start(spec)
            events = []
            async with asyncio.timeout(PATIENCE):
                async for event in agent.events():
                    events.append(event)
                    if isinstance(event, ev.TurnEnded):
                        break
            await agent.close()
            assert (agent.session == session) == (not fork)
            said = next(event.text for event in events if isinstance(event, ev.AgentText))
            grown = [text for text in partial if text]
            assert grown
            assert all(said.startswith(text) for text in grown)
            assert partial[-1] == ""
            assert [event.text for event in events if isinstance(event, ev.HumanMessage)] == ["And now?"]
            assert model.times("Make it fast.") == 1  # it knows what was said before
            assert agent.cost_usd < 3 * first.agent.cost_usd  # and does not pay for it again


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc")
async def test_a_killed_client_ends_the_session_in_order_and_leaves_nothing_running(tmp_path: Path) -> None:
    with Dictated([bash(ENDLESS, "Starting.")]) as model:
        async with owned(tmp_path, model, ask_permission=False) as live:
            await live.until((tmp_path / "work" / "running").exists)
            assert live.agent.pid
            os.kill(live.agent.pid, 9)
            await live.until(lambda: live.of(ev.SessionEnded))
    ended = live.of(ev.TurnEnded)[0]
    assert ended.reason == "failed"
    how = (
        f"Claude Code was killed by SIGKILL; go on with `kernelseek steer {tmp_path / 'work'} --agent claude"
    )
    assert ended.detail.startswith(how)
    ours = str(tmp_path).encode()
    left = [path for path in Path("/proc").glob("[0-9]*/environ") if ours in _environment(path)]
    assert left == []


def _environment(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
