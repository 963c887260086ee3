"""What the attached screen says of the client's own dialogs, its end, and what may be typed into its pane."""

import asyncio
import json
import os
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from kernelseek_tui.attach.discover import running_sessions
from kernelseek_tui.attach.settings import SettingsError
from kernelseek_tui.attach.tmux import typeable
from kernelseek_tui.cli.attach import Declined, attach
from kernelseek_tui.exit_codes import ExitCode
from sessions import events as ev
from sessions.transcript import open_transcript
from tests.kernelseek_tui.attach.conftest import Client
from tests.kernelseek_tui.attach.test_attached_session import notes, of, opened, running, until


@pytest.fixture(autouse=True)
def looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernelseek_tui.attach.agent._LOOK", 0.0)


async def test_a_wait_at_the_clients_own_dialog_is_said_once_and_stands_until_it_is_over(
    client: Client,
) -> None:
    client.says("waiting", waitingFor="permission prompt", statusUpdatedAt=1)
    session = opened(client)
    async with running(session):
        await until(lambda: notes(session))
        assert session.activity == (
            "The client waits at its own dialog (permission prompt); answer it in its terminal."
        )
        session._say("judging 1 of 4")
        assert session.activity == "judging 1 of 4"
        session._say("")
        assert "own dialog" in session.activity
        await session.ask("Why?", None, None, False)
        client.says("busy")
        await until(lambda: not session.activity)
        client.says("waiting", statusUpdatedAt=2)
        await until(lambda: len(notes(session)) == 2)
    assert notes(session) == [
        "The client waits at its own dialog (permission prompt); answer it in its terminal.",
        "The client waits at its own dialog (a dialog); answer it in its terminal.",
    ]
    queued = of(session, ev.QuestionReceipt)[0]
    assert queued.detail == (
        "waits until the client's own dialog (permission prompt) is answered in its terminal"
    )


async def test_two_waits_between_two_looks_are_two(client: Client) -> None:
    client.says("waiting", waitingFor="permission prompt", statusUpdatedAt=1)
    session = opened(client)
    async with running(session):
        await until(lambda: notes(session))
        client.says("waiting", waitingFor="permission prompt", statusUpdatedAt=2)
        await until(lambda: len(notes(session)) == 2)


def test_what_it_waits_for_is_one_short_line(client: Client) -> None:
    client.says("waiting", waitingFor="a\x1b[31m\n" + "b" * 500)
    (found,) = running_sessions(client.home)
    assert found.waiting.startswith("a␛[31m b")
    assert len(found.waiting) == 80
    client.says("busy", waitingFor="permission prompt")
    assert running_sessions(client.home)[0].waiting == ""


async def test_a_client_that_died_is_said_with_how_to_go_on(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.write(client.prompt("go"))
    session = opened(client)
    task = asyncio.create_task(session.run(until_idle=False))
    await until(lambda: of(session, ev.HumanMessage))
    await session.ask("Why?", None, None, False)
    monkeypatch.setattr("kernelseek_tui.attach.discover.alive", lambda _: False)
    monkeypatch.setattr("kernelseek_tui.attach.agent.alive", lambda _: False)
    await asyncio.wait_for(task, 10)
    assert f"`claude --resume {client.session}`" in session.activity
    assert of(session, ev.SessionEnded)[-1].reason == session.activity
    assert of(session, ev.QuestionReceipt)[-1].detail == "the session ended before the transcript showed it"


async def test_a_file_in_the_middle_of_being_written_is_not_the_end(client: Client) -> None:
    path = client.home / "sessions" / f"{os.getpid()}.json"
    looks = 0

    session = opened(client)
    attached = session._attached
    seen = attached._ended

    def ended(now: object) -> str:
        nonlocal looks
        looks += 1
        path.write_text("{" if looks % 3 else json.dumps(said))  # twice damaged, then whole again
        return seen(now)  # type: ignore[arg-type]

    said = json.loads(path.read_text())
    attached._ended = ended  # type: ignore[method-assign]
    async with running(session):
        await until(lambda: looks > 6)
        path.write_text("{")
        await session.ask("Why?", None, None, False)
        assert of(session, ev.QuestionReceipt)[-1].receipt == "queued"
        assert session.state.ended is None


@pytest.mark.parametrize("cancelled", [False, True])
async def test_hooks_that_could_not_be_taken_out_are_said_and_the_journal_is_whole(
    client: Client, cancelled: bool
) -> None:
    session = opened(client)
    task = asyncio.create_task(session.run(until_idle=False))
    settings = session._attachment.settings.path
    await until(settings.exists)
    settings.chmod(0o444)
    if cancelled:
        task.cancel()
    else:
        await session.close()
    with pytest.raises(SettingsError, match="--cleanup"):
        await task
    assert isinstance(open_transcript(session.journal_path).events[-1], ev.SessionEnded)
    assert session._attachment.box.binding() is None
    assert b"kernelseek" in settings.read_bytes()


# Typing.


class Pane:
    def __init__(self) -> None:
        self.typed: list[str] = []

    async def ready(self) -> bool:
        await asyncio.sleep(0)
        return True

    async def type(self, text: str) -> bool:
        await asyncio.sleep(0.01)
        self.typed.append(text)
        return True


@pytest.mark.parametrize(
    "text",
    ["/clear", " !ls", "#x", "see @file", "a\tb", "a\x1bb", "a\nb", "", "why \\", "long " * 200],
)
def test_what_would_be_more_than_a_prompt_is_not_typed(text: str) -> None:
    assert not typeable(text)


@pytest.mark.parametrize("text", ["Why 1/2?", "é ≥ 3?", "- dash", "a \\ b", "word " * 150])
def test_what_is_typed(text: str) -> None:
    assert typeable(text)


async def test_a_command_goes_by_hook_and_a_second_prompt_waits_for_the_first(client: Client) -> None:
    session, pane = opened(client), Pane()
    session._attached._pane = pane  # type: ignore[assignment]
    async with running(session):
        await session.ask("/clear the cache line?", None, None, False)
        await asyncio.gather(session.ask("One?", None, None, False), session.ask("Two?", None, None, False))
        assert pane.typed == ["One?"]
        waiting = session._attachment.box.queue
        texts = {json.loads(path.read_text())["text"] for path in waiting.iterdir()}
        assert texts == {"/clear the cache line?", "Two?"}
        client.write(client.prompt("One?"))
        await until(lambda: [one.receipt for one in of(session, ev.QuestionReceipt)].count("own_turn") == 1)
        await session.ask("Three?", None, None, False)
        assert pane.typed == ["One?", "Three?"]


# The question before attaching.


@pytest.mark.parametrize("answer", ["n\n", ""])
def test_no_at_the_question_changes_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("kernelseek_tui.cli.attach.sys", terminal)
    done = CliRunner().invoke(attach, ["--latest", "--headless"], input=answer, standalone_mode=False)
    assert isinstance(done.exception, Declined)
    assert str(done.exception) == "Nothing was changed."
    assert done.exception.exit_code == ExitCode.INTERRUPTED
    assert not (client.cwd / ".claude").exists()
    assert not (client.cwd.parent / "home").exists()
