"""An attached session from discovery to detachment, with a client made of files."""

import asyncio
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harness.workspace import Workspace
from kernelseek_tui.attach.follow import Follower
from kernelseek_tui.attach.session import AttachedSession, open_attached
from kernelseek_tui.attach.settings import SettingsError
from kernelseek_tui.cli.attach import attach
from kernelseek_tui.hooks.answers import FRAME
from kernelseek_tui.hooks.run import answer
from sessions import events as ev
from sessions.home import home as state_home
from sessions.transcript import open_transcript
from tests.cases import CASES, needs_cases
from tests.kernelseek_tui.attach.conftest import Client
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace


def opened(client: Client, workspace: Workspace | None = None, questioner: str = "human") -> AttachedSession:
    return open_attached(
        client.running,
        home=state_home(),
        client_home=client.home,
        workspace=workspace,
        questioner=questioner,
    )


async def until(what: Any) -> None:
    async with asyncio.timeout(10):
        while not what():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def running(session: AttachedSession) -> AsyncIterator[None]:
    task = asyncio.create_task(session.run(until_idle=True))
    settings = session._attachment.settings.path
    try:
        await until(lambda: settings.exists() or task.done())
        if task.done():
            task.result()
        yield
    finally:
        await session.close()
        await task


def of(session: AttachedSession, kind: type[ev.Event]) -> list[Any]:
    return [event for event in session.events if isinstance(event, kind)]


def notes(session: AttachedSession) -> list[str]:
    """All notes but the one that a journal begins with."""
    return [note.text for note in of(session, ev.Note)][1:]


def hook(client: Client, name: str, **more: Any) -> dict[str, Any]:
    given = {"session_id": client.session, "cwd": str(client.cwd), **more}
    return answer(name, io.BytesIO(json.dumps(given).encode()), state_home(), client.session)


async def test_history_then_what_comes_and_everything_put_back(client: Client) -> None:
    client.write(client.prompt("Optimize it"), client.says_text("First look."))
    session = opened(client)
    async with running(session):
        await until(lambda: len(of(session, ev.AgentText)) == 1)
        client.write(client.says_text("Second."), client.entry(type="system", subtype="turn_duration"))
        await until(lambda: of(session, ev.TurnEnded))
    assert [event.text for event in of(session, ev.AgentText)] == ["First look.", "Second."]
    assert [event.text for event in of(session, ev.HumanMessage)] == ["Optimize it"]
    assert not (client.cwd / ".claude" / "settings.local.json").exists()
    written = open_transcript(session.journal_path)
    assert [event.id for event in written.events] == [event.id for event in session.events]
    assert isinstance(written.events[-1], ev.SessionEnded)


async def test_a_question_is_delivered_at_a_tool_boundary_with_its_receipts(client: Client) -> None:
    client.says("busy")
    session = opened(client)
    async with running(session):
        await session.ask("How far from the bound?", None, None, False)
        said = hook(client, "post-tool-use")["hookSpecificOutput"]["additionalContext"]
        await asyncio.sleep(0.1)
        assert [one.receipt for one in of(session, ev.QuestionReceipt)] == ["queued"]  # not shown yet
        client.write(client.hook_context(said))
        await until(lambda: len(of(session, ev.QuestionReceipt)) == 2)
    queued, delivered = of(session, ev.QuestionReceipt)
    assert "next tool boundary" in queued.detail
    assert (delivered.receipt, delivered.detail) == ("delivered", "at a tool boundary, by a hook")
    assert of(session, ev.HumanMessage) == []
    (asked,) = of(session, ev.QuestionAsked)
    assert delivered.parent == asked.id
    assert asked.text in said


async def test_two_questions_in_one_stop_block_get_a_receipt_each(client: Client) -> None:
    client.says("busy")
    session = opened(client)
    async with running(session):
        await session.ask("One?", None, None, False)
        await session.ask("Two?", None, None, False)
        reason = hook(client, "stop", stop_hook_active=False)["reason"]
        feedback = f"Stop hook feedback:\n{reason}"
        client.write(
            client.entry(
                type="user", isMeta=True, hookText=True, message={"role": "user", "content": feedback}
            )
        )
        await until(lambda: len(of(session, ev.QuestionReceipt)) == 4)
    assert [one.receipt for one in of(session, ev.QuestionReceipt)][2:] == ["own_turn", "own_turn"]


async def test_what_never_arrived_is_taken_back_and_said(client: Client) -> None:
    session = opened(client)
    async with running(session):
        await session.ask("Why?", None, None, False)
    queued, failed = of(session, ev.QuestionReceipt)
    assert "idle" in queued.detail
    assert failed.receipt == "failed"
    assert hook(client, "post-tool-use") == {}


async def test_a_prompt_typed_through_tmux_is_the_questions_receipt(client: Client) -> None:
    typed: list[str] = []

    class Pane:
        async def ready(self) -> bool:
            return True

        async def type(self, text: str) -> bool:
            typed.append(text)
            return True

    session = opened(client)
    session._attached._pane = Pane()  # type: ignore[assignment]
    async with running(session):
        await session.ask("Are you sure?", None, None, False)
        assert typed == ["Are you sure?"]
        client.write(client.prompt("Are you sure?"), client.prompt("Are you sure?"))
        await until(lambda: of(session, ev.HumanMessage))
    assert [one.receipt for one in of(session, ev.QuestionReceipt)] == ["queued", "own_turn"]
    assert len(of(session, ev.HumanMessage)) == 1  # the second is the person's own


async def test_moments_before_the_attachment_are_not_asked_about(client: Client) -> None:
    client.write(client.prompt("Optimize it"), client.says_text("All done, the goal is reached."))
    client.write(client.entry(type="system", subtype="turn_duration"))
    session = opened(client, questioner="bank")
    async with running(session):
        await until(lambda: of(session, ev.TurnEnded))
        await asyncio.sleep(0.1)
        assert of(session, ev.QuestionAsked) == []
        before = len(of(session, ev.DecisionPoint))
        client.write(client.prompt("go on"), client.says_text("I am done; this is at the hardware limit."))
        client.write(client.entry(type="system", subtype="turn_duration"))
        await until(lambda: len(of(session, ev.DecisionPoint)) > before)
        await until(lambda: of(session, ev.QuestionAsked))


async def test_what_hooks_tell_is_shown(client: Client, tmp_path: Path) -> None:
    made = MadeWorkspace(tmp_path / "w")
    client.cwd = made.root
    client.says("busy")
    session = opened(client)
    async with running(session):
        box = session._attachment.box
        box.tell("goal_unknown", text="Goal unknown, the agent may stop: the manifest is gone.")
        box.tell("let_go", text="KernelSeek let the agent stop.")
        await until(lambda: of(session, ev.GoalVerdict) and notes(session))
    (verdict,) = of(session, ev.GoalVerdict)
    assert verdict.met is None
    assert "manifest" in verdict.reason


async def test_the_session_ends_when_the_terminal_goes_on_with_another(client: Client) -> None:
    session = opened(client)
    task = asyncio.create_task(session.run(until_idle=False))
    await until(lambda: (client.cwd / ".claude").exists())
    client.says("idle", session="99999999-0000")
    async with asyncio.timeout(10):
        await task
    assert "99999999" in of(session, ev.SessionEnded)[-1].reason
    assert not (client.cwd / ".claude" / "settings.local.json").exists()


async def test_an_attachment_that_is_refused_leaves_the_journal_whole(client: Client) -> None:
    (client.cwd / ".claude").mkdir()
    (client.cwd / ".claude" / "settings.local.json").write_text("no json")
    session = opened(client)
    with pytest.raises(SettingsError, match="not JSON") as refused:
        await session.run(until_idle=False)
    last = open_transcript(session.journal_path).events[-1]
    assert isinstance(last, ev.SessionEnded)
    assert last.reason == str(refused.value)


def test_a_copilot_that_is_killed_at_its_start_leaves_a_journal_that_can_be_read(client: Client) -> None:
    session = opened(client)
    (first,) = open_transcript(session.journal_path).events
    assert isinstance(first, ev.Note)
    assert client.session in first.text


# Following a transcript.


def texts(events: list[ev.AnyEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, ev.AgentText)]


def test_a_subagents_file_that_appears_later_is_read(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernelseek_tui.attach.follow._NEW_FILES", 0.0)
    call = {
        "type": "tool_use",
        "id": "toolu_9",
        "name": "Agent",
        "input": {"prompt": "look", "description": "d"},
    }
    client.write(client.entry(type="assistant", message={"id": "m", "role": "assistant", "content": [call]}))
    follower = Follower(client.transcript)
    assert any(isinstance(event, ev.Subagent) for event in follower.history())
    side = client.transcript.with_suffix("") / "subagents" / "agent-aa04.jsonl"
    client.write(client.says_text("beside") | {"isSidechain": True, "agentId": "aa04"}, to=side)
    side.with_suffix(".meta.json").write_text('{"toolUseId": "toolu_9"}')
    (event,) = [one for one in follower.poll() if isinstance(one, ev.AgentText)]
    assert (event.text, event.agent) == ("beside", "toolu_9")


def test_half_a_line_waits_and_a_replaced_file_makes_nothing_twice(client: Client) -> None:
    client.write(client.says_text("one"), client.says_text("two"))
    follower = Follower(client.transcript)
    assert texts(follower.history()) == ["one", "two"]
    with client.transcript.open("ab") as file:
        line = json.dumps(client.says_text("three")).encode()
        file.write(line[:20])
        file.flush()
        assert follower.poll() == []
        file.write(line[20:] + b"\n")
    assert texts(follower.poll()) == ["three"]
    lines = client.transcript.read_bytes().splitlines(keepends=True)
    shorter = client.transcript.with_suffix(".new")
    shorter.write_bytes(b"".join(lines[1:]) + json.dumps(client.says_text("four")).encode() + b"\n")
    shorter.replace(client.transcript)
    assert texts(follower.poll()) == ["four"]


def test_a_transcript_that_is_not_there_yet(client: Client) -> None:
    follower = Follower(client.transcript)
    assert follower.history() == []
    client.write(client.says_text("now"))
    assert texts(follower.poll()) == ["now"]


@needs_cases
@pytest.mark.parametrize("name", ["cc-compact", "cc-transcript-live-attach", "cc-transcript-midturn"])
def test_recorded_transcripts_come_whole_however_they_are_cut(name: str, tmp_path: Path) -> None:
    assert CASES is not None
    path = CASES / "agents" / f"{name}.jsonl"
    data = path.read_bytes()
    if b'"sessionId"' not in data.splitlines()[0]:
        pytest.skip("a stream, not a transcript")
    growing = tmp_path / path.name
    follower, seen = Follower(growing), []
    for start in range(0, len(data), 7001):
        with growing.open("ab") as file:
            file.write(data[start : start + 7001])
        seen += follower.poll()
    kinds = (ev.AgentText, ev.HumanMessage, ev.ToolCall, ev.ToolResult)
    expected = [event for event in open_transcript(path).events if isinstance(event, kinds)]
    assert [event for event in seen if isinstance(event, kinds)] == expected


# The command line.


def test_the_command_asks_before_it_writes(client: Client) -> None:
    done = CliRunner().invoke(attach, ["--latest", "--headless"])
    assert done.exit_code == 2
    assert "--yes" in done.output
    assert not (client.cwd / ".claude").exists()


def test_cleanup_with_nothing_to_do(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(client.cwd)
    done = CliRunner().invoke(attach, ["--cleanup"])
    assert done.exit_code == 0
    assert "Nothing to clean up" in done.output


def test_the_question_stands_under_our_own_words_not_a_persons() -> None:
    assert "KernelSeek" in FRAME
