"""Hooks that do not run are said: turned off, overwritten, or not run at a turn's end."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kernelseek_tui.attach.attachment import Attachment
from kernelseek_tui.attach.disabled import hooks_disabled, unknown_settings
from kernelseek_tui.attach.merge import Tag, merged
from kernelseek_tui.attach.session import AttachedSession
from kernelseek_tui.attach.settings import SettingsError
from kernelseek_tui.attach.watch import BACK, OVERRIDDEN, SILENT, UNHELD, SettingsWatch, TurnWatch
from kernelseek_tui.cli.attach import attach
from sessions import events as ev
from tests.kernelseek_tui.attach.conftest import Client
from tests.kernelseek_tui.attach.test_attached_session import hook, notes, of, opened, running, until
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace

TAG = Tag(Path("/state"), "11111111")


@pytest.fixture(autouse=True)
def looks_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("kernelseek_tui.attach.agent._LOOK", 0.0)
    monkeypatch.setattr("kernelseek_tui.attach.disabled.MANAGED", tmp_path / "managed.json")


def put(path: Path, **settings: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings))
    return path


def files(folder: Path) -> dict[str, Path]:
    return {
        "managed": folder / "managed.json",
        "local": folder / "project" / ".claude" / "settings.local.json",
        "project": folder / "project" / ".claude" / "settings.json",
        "user": folder / "client" / "settings.json",
    }


# Turned off.


@pytest.mark.parametrize("which", ["managed", "local", "project", "user"])
def test_any_file_turns_them_off_unless_a_nearer_one_turns_them_on(tmp_path: Path, which: str) -> None:
    paths = files(tmp_path)
    project, client_home = tmp_path / "project", tmp_path / "client"
    assert hooks_disabled(project, client_home) == ""
    put(paths[which], disableAllHooks=True)
    assert hooks_disabled(project, client_home) == f"{paths[which]} turns all hooks off (`disableAllHooks`)"
    names = list(paths)
    for nearer in names[: names.index(which)][-1:]:
        put(paths[nearer], disableAllHooks=False)
        assert hooks_disabled(project, client_home) == ""


def test_what_is_no_yes_does_not_count_and_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    paths = files(tmp_path)
    put(paths["user"], disableAllHooks="yes")
    put(paths["project"]).write_text("{")
    project, client_home = tmp_path / "project", tmp_path / "client"
    assert hooks_disabled(project, client_home) == ""
    assert unknown_settings(project, client_home) == [paths["project"]]
    put(paths["managed"], allowManagedHooksOnly=True)
    assert "allows no hooks but its own" in hooks_disabled(project, client_home)


def test_attaching_is_refused_before_anybody_is_asked(client: Client) -> None:
    path = put(client.home / "settings.json", disableAllHooks=True)
    done = CliRunner().invoke(attach, ["--latest", "--headless", "--yes"], standalone_mode=False)
    assert isinstance(done.exception, SettingsError)
    assert str(done.exception).startswith(f"{path} turns all hooks off")
    assert not (client.cwd / ".claude").exists()
    assert not (client.cwd.parent / "home").exists()


def test_a_session_and_latest_contradict_each_other(client: Client) -> None:
    done = CliRunner().invoke(attach, [client.session, "--latest", "--headless", "--yes"])
    assert done.exit_code == 2
    assert "contradict" in done.output
    assert not (client.cwd / ".claude").exists()


@pytest.mark.parametrize(
    "data", ['{"hooks":[]}', '{"env":3}', '{"hooks":{"Stop":{}}}', '{"hooks":{"Stop":7}}']
)
def test_settings_of_another_shape_are_refused_before_anybody_is_asked(client: Client, data: str) -> None:
    path = client.cwd / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_text(data)
    attachment = Attachment(client.running, client.cwd.parent / "home", "", goal=False)
    with pytest.raises(SettingsError, match="left alone"):
        attachment.check()
    assert path.read_text() == data


# Overwritten.


def test_the_settings_are_watched_and_a_file_half_written_is_no_news(tmp_path: Path) -> None:
    path = files(tmp_path)["local"]
    ours = merged({}, ["kernelseek"], [TAG])
    watch = SettingsWatch(tmp_path / "project", tmp_path / "client", TAG)
    put(path, **ours)
    assert watch.look() == ""
    path.write_text('{"hooks')
    assert watch.look() == ""
    assert "cannot be read any more" in watch.look()
    put(path, **ours)
    assert watch.look() == ""
    put(path, permissions={})
    said = watch.look()
    assert "SessionStart, UserPromptSubmit, PostToolUse, PostToolUseFailure, Stop, SessionEnd" in said
    assert said.endswith("Leave KernelSeek and attach again.")
    put(path, **{**ours, "hooks": {**ours["hooks"], "Stop": []}})
    assert "hooks for Stop are not in" in watch.look()
    path.unlink()
    assert "was removed" in watch.look()
    put(path, **ours)
    put(files(tmp_path)["user"], disableAllHooks=True)
    assert "turns all hooks off" in watch.look()
    files(tmp_path)["user"].unlink()
    assert watch.look() == ""


async def test_overwritten_hooks_are_said_at_once_and_on_leaving(client: Client) -> None:
    client.says("busy")
    session = opened(client)
    path = client.cwd / ".claude" / "settings.local.json"
    async with running(session):
        await session.ask("Why?", None, None, False)
        ours = path.read_bytes()
        path.write_text('{"permissions":{}}')
        await until(lambda: notes(session))
        assert "somebody rewrote it" in session.activity
        await until(lambda: len(of(session, ev.QuestionReceipt)) == 2)
        path.write_bytes(ours)
        await until(lambda: not session.activity)
        path.write_text('{"permissions":{}}')
        await until(lambda: session.activity)
    lost, back, again = notes(session)
    assert (lost == again, back) == (True, BACK)
    details = [one.detail for one in of(session, ev.QuestionReceipt)]
    assert details[1] == "the client does not run KernelSeek's hooks; it waits until it does"
    assert "was changed by others meanwhile, and our hooks with it" in session.said[0]
    assert path.read_text() == '{"permissions":{}}'


# Not run.

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_turn_is_held_by_the_stop_that_came_before_its_end() -> None:
    turns = TurnWatch()
    assert turns.ended(NOW) == UNHELD
    turns.stopped(NOW.timestamp() - 5, True)
    turns.stopped(NOW.timestamp(), False)
    turns.stopped(NOW.timestamp() + 30, True)  # of the next turn, which was read with it
    assert turns.ended(NOW) == ""
    assert turns.ended(NOW + timedelta(seconds=60)) == OVERRIDDEN
    turns.stopped(NOW.timestamp(), False)
    turns.broken_off()
    assert turns.ended(None) == UNHELD


def turn_end(client: Client) -> dict[str, Any]:
    now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    return client.entry(type="system", subtype="turn_duration") | {"timestamp": now}


def made_session(client: Client, folder: Path, goal: bool) -> AttachedSession:
    if not goal:
        return opened(client)
    made = MadeWorkspace(folder / "w")
    client.cwd = made.root
    client.says("busy")
    return opened(client, made.workspace)


@pytest.mark.parametrize("goal", [True, False])
async def test_a_turn_that_ends_without_the_stop_hook_is_never_silent(
    client: Client, tmp_path: Path, goal: bool
) -> None:
    session = made_session(client, tmp_path, goal)
    async with running(session):
        client.write(client.prompt("go"), turn_end(client))  # caught up by then or not
        await until(lambda: notes(session))
        assert notes(session) == [UNHELD]
        verdicts = [(one.met, one.reason) for one in of(session, ev.GoalVerdict)]
        unknown = (None, "Goal unknown: the client did not run the stop hook.")
        assert verdicts == ([unknown] if goal else [])
        await until(lambda: session.activity == SILENT)
        await session.ask("Why?", None, None, False)
        assert "does not run" in of(session, ev.QuestionReceipt)[0].detail
        said = hook(client, "stop", stop_hook_active=False)
        assert "Why?" in said["reason"]
        await until(lambda: not session.activity)
        if not goal:
            hook(client, "stop", stop_hook_active=True)
            client.write(turn_end(client))
            await until(lambda: len(of(session, ev.TurnEnded)) == 2)
    assert notes(session) == [UNHELD]


async def test_history_and_interrupted_turns_say_nothing(client: Client) -> None:
    client.write(client.prompt("before"), turn_end(client))
    session = opened(client)
    async with running(session):
        await until(lambda: of(session, ev.TurnEnded))
        text = "[Request interrupted by user]"
        content = [{"type": "text", "text": text}]
        client.write(client.entry(type="user", message={"role": "user", "content": content}))
        await until(lambda: len(of(session, ev.TurnEnded)) == 2)
    assert notes(session) == [text]


async def test_a_verdict_that_could_not_be_told_is_not_the_judges_last_word(client: Client) -> None:
    session = opened(client)
    async with running(session):
        session._copilot.record(ev.GoalVerdict(id="", met=False, unmet=("faster: 2 of 4",)))
        session._copilot.record(ev.GoalVerdict(id="", met=None, reason="Goal unknown."))
    for code, words in ((0, "goal met"), (10, "goal unmet: faster: 2 of 4")):
        session.exit_code = code
        assert session.verdict == words


# What a question waits for.


async def test_a_receipt_follows_what_the_question_waits_for(client: Client) -> None:
    client.says("waiting", waitingFor="permission prompt", statusUpdatedAt=1)
    session = opened(client)
    async with running(session):
        await session.ask("Why?", None, None, False)
        client.says("idle", statusUpdatedAt=2)  # Esc at the dialog ends the turn
        await until(lambda: len(of(session, ev.QuestionReceipt)) == 2)
        client.says("idle", statusUpdatedAt=3)
        client.says("busy", statusUpdatedAt=4)
        await until(lambda: len(of(session, ev.QuestionReceipt)) == 3)
    receipts = of(session, ev.QuestionReceipt)
    assert [one.receipt for one in receipts] == ["queued", "queued", "queued", "failed"]
    assert "permission prompt" in receipts[0].detail
    assert receipts[1].detail == "the session is idle and no hook waits yet; it comes with the next prompt"
    assert receipts[2].detail == "waits for the next tool boundary or the turn's end"


async def test_a_long_question_goes_at_the_turns_end_and_one_that_is_too_long_is_refused(
    client: Client,
) -> None:
    client.says("busy")
    session = opened(client)
    long = "Why " + "so " * 4000 + "slow?"
    async with running(session):
        await session.ask(long, None, None, False)
        await session.ask("Short?", None, None, False)
        said = hook(client, "post-tool-use")["hookSpecificOutput"]["additionalContext"]
        assert ("Short?" in said, long in said) == (True, False)
        assert long in hook(client, "stop", stop_hook_active=False)["reason"]
        await session.ask("x" * 100_001, None, None, False)
    details = [(one.receipt, one.detail) for one in of(session, ev.QuestionReceipt)]
    assert details[0] == ("queued", "waits for the turn's end: it is too long for a tool boundary")
    refused = ("failed", "it has 100,001 characters, and a hook carries 100,000 at most")
    assert refused in details
