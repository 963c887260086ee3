"""A hook that fails, or has no place to count, neither lets an agent go unsaid nor holds it for ever."""

import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from kernelseek_tui.hooks import client, counts, run
from kernelseek_tui.hooks.answers import Answer
from kernelseek_tui.hooks.client import Process, client_key, client_of
from kernelseek_tui.hooks.counts import FAILURES_LAST, UNREADABLE, Counts
from kernelseek_tui.hooks.given import Unreadable, read_given
from kernelseek_tui.hooks.mailbox import ROOM, Binding, Mailbox, locked
from kernelseek_tui.hooks.stop import Chain
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace, stop_input

HELD_THEN_FREE = ["block", "block", None]


def stop(home: Path, given: bytes, attached: str | None = None) -> Answer:
    return run.answer("stop", io.BytesIO(given), home, attached)


def decisions(home: Path, given: bytes, times: int = 3, attached: str | None = None) -> list[Any]:
    return [stop(home, given, attached).get("decision") for _ in range(times)]


def damaged(session: str) -> bytes:
    return stop_input(Path("/nowhere"), session=session)[:-1]


# Whose failures count against whom.


def test_damaged_input_of_one_session_costs_another_nothing(tmp_path: Path) -> None:
    assert decisions(tmp_path, damaged("one")) == HELD_THEN_FREE
    assert decisions(tmp_path, damaged("two")) == HELD_THEN_FREE
    assert decisions(tmp_path, b"{") == HELD_THEN_FREE


def test_a_failure_after_the_input_was_read_is_the_sessions(
    made: MadeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("kernelseek_tui.hooks.standing.standing", fails)
    assert decisions(made.home, stop_input(made.root, session="one")) == HELD_THEN_FREE
    assert decisions(made.home, stop_input(made.root, session="two")) == HELD_THEN_FREE


@pytest.mark.parametrize("session", ["", "../../up", "a/b", "x" * 200])
def test_an_id_that_is_none_is_counted_for_the_process(tmp_path: Path, session: str) -> None:
    assert decisions(tmp_path, stop_input(tmp_path, session=session)) == HELD_THEN_FREE
    assert [path.name for path in (tmp_path / ROOM).iterdir()] == [UNREADABLE]


def test_input_without_a_session_counts_for_its_client_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("100-7", "200-7", "100-8"):  # another client, and one whose pid was another's before
        monkeypatch.setattr(counts, "client_key", lambda key=key: key)
        assert decisions(tmp_path, b"{") == HELD_THEN_FREE


def test_a_failure_without_a_session_reaches_the_attached_copilot(tmp_path: Path) -> None:
    box = Mailbox(tmp_path, "mine")
    box.bind(Binding("k", "/nowhere"))
    assert decisions(tmp_path, b"{", attached="mine") == HELD_THEN_FREE
    told = [json.loads(line)["what"] for line in box.told.read_text().splitlines()]
    assert told == ["stopped", "stopped", "goal_unknown", "stopped"]
    assert not (box.folder / "stop.json").exists()  # it may have been another's


@pytest.mark.parametrize("given", [damaged("one"), b"{"])
def test_failures_age(tmp_path: Path, given: bytes) -> None:
    assert decisions(tmp_path, given) == HELD_THEN_FREE
    (kept,) = (tmp_path / ROOM).rglob("*.json")
    now = kept.stat().st_mtime
    os.utime(kept, (now, now - FAILURES_LAST / 2))
    assert decisions(tmp_path, given, 1) == [None]
    os.utime(kept, (now, now - FAILURES_LAST - 60))
    assert decisions(tmp_path, given) == HELD_THEN_FREE


def test_what_is_over_is_removed(tmp_path: Path) -> None:
    old = tmp_path / ROOM / UNREADABLE / "1-1.json"
    Counts(old).write(Chain(broken=3))
    os.utime(old, (0, 0))
    stop(tmp_path, b"{")
    assert not old.exists()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"broken": "x"}', '{"more": 1}', '{"broken": true}'])
def test_damaged_counts_begin_again(tmp_path: Path, text: str) -> None:
    (tmp_path / "stop.json").write_text(text)
    assert Counts(tmp_path / "stop.json").read() == Chain()


@pytest.mark.parametrize(
    ("given", "session", "continued"),
    [
        (b'{"session_id": "s-1", "stop_hook_active": false', "s-1", False),
        (b'{"session_id":"s-1","stop_hook_active":true,', "s-1", True),
        (b'{"session_id": "s-', "", True),
        (b'{"last_assistant_message": "{\\"session_id\\": \\"forged\\"}"', "", True),
        (b'{"session_id": 3, "stop_hook_active": false}', "", False),
    ],
)
def test_what_damaged_input_still_says(given: bytes, session: str, continued: bool) -> None:
    with pytest.raises(Unreadable) as refused:
        read_given(io.BytesIO(given))
    assert (refused.value.session, refused.value.continued) == (session, continued)


# Which process the client is.

SHELL = Process(30, "sh", "9")
CLIENT = Process(20, "claude", "5")
TERMINAL = Process(10, "bash", "1")


def test_the_client_is_behind_the_shell_that_it_starts_hooks_with() -> None:
    assert client_of([SHELL, CLIENT, TERMINAL], "") == CLIENT
    wrapper = Process(25, "uv", "8")
    assert client_of([wrapper, SHELL, CLIENT, TERMINAL], "20") == CLIENT
    assert client_of([SHELL, CLIENT, TERMINAL], "4711") == CLIENT  # names none of ours
    assert client_of([SHELL, TERMINAL], "") == TERMINAL
    assert client_of([], "20") is None


def test_the_key_is_the_same_at_each_hook_and_another_for_another_process() -> None:
    me = client_key({"CLAUDE_PID": str(os.getppid())})
    assert me.startswith(f"{os.getppid()}-")
    assert client_key({"CLAUDE_PID": str(os.getppid())}) == me
    assert client_key({"CLAUDE_PID": "1"}) != me


def test_where_processes_cannot_be_seen_there_is_one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: int) -> list[Process]:
        raise FileNotFoundError

    monkeypatch.setattr(client, "_ancestors", none)
    assert client_key({}) == client.UNKNOWN


# No place to count.


def a_file(made: MadeWorkspace) -> Path:
    path = made.home.with_name("a-file")
    path.write_text("")
    return path


def test_a_state_folder_that_is_a_file_refuses_once_a_turn(made: MadeWorkspace) -> None:
    home = a_file(made)
    for _ in range(3):  # turn after turn
        first = stop(home, stop_input(made.root, session="mine", active=False), "mine")
        assert first["decision"] == "block"
        assert str(home) in first["reason"]
        assert "set KERNELSEEK_HOME" in first["reason"]
        second = stop(home, stop_input(made.root, session="mine", active=True), "mine")
        assert "decision" not in second
        assert second["systemMessage"].startswith("Goal unknown, the agent may stop:")
        assert "Not a directory" in second["systemMessage"]


def test_where_nobody_attached_it_is_the_folder_that_decides(made: MadeWorkspace, tmp_path: Path) -> None:
    home = a_file(made)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert stop(home, stop_input(elsewhere, active=False)) == {}
    assert stop(home, stop_input(made.root, active=False))["decision"] == "block"
    assert run.answer("post-tool-use", io.BytesIO(stop_input(elsewhere)), home) == {}


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(counts, "write_whole", fails)
    monkeypatch.setattr(Mailbox, "mark", fails)


@pytest.mark.usefixtures("full")
def test_on_a_full_disk_an_unmet_goal_still_holds_once_a_turn(made: MadeWorkspace) -> None:
    made.judged(slow=(0,))
    first = stop(made.home, stop_input(made.root, active=False))
    assert first["decision"] == "block"
    assert "toy-n8" in first["reason"]
    assert "No space left on device" in first["reason"]
    said = stop(made.home, stop_input(made.root, active=True))["systemMessage"]
    assert "let the agent stop although the goal is not met" in said
    assert "No space left on device" in said


@pytest.mark.usefixtures("full")
def test_on_a_full_disk_a_met_goal_is_met(made: MadeWorkspace) -> None:
    made.judged()
    assert stop(made.home, stop_input(made.root, active=False)) == {}


@pytest.mark.usefixtures("full")
def test_on_a_full_disk_damaged_input_refuses_once_a_turn(tmp_path: Path) -> None:
    begun = b'{"session_id": "s-1", "stop_hook_active": false'
    assert stop(tmp_path, begun)["decision"] == "block"
    for later in (begun.replace(b"false", b"true"), b'{"session_id": "s-1"', b"{"):
        assert "No space left on device" in stop(tmp_path, later)["systemMessage"]


def test_a_file_that_cannot_be_written_whole_leaves_nothing(made: MadeWorkspace) -> None:
    box = Mailbox(made.home, "s-1")
    (box.folder / "stop.json").mkdir(parents=True)
    first = stop(made.home, stop_input(made.root, active=False))
    assert "cannot count" in first["reason"]
    assert [path.name for path in box.folder.iterdir() if path.name.startswith(".")] == []


# Lost while the session ran.


def lose_all(box: Mailbox) -> None:
    shutil.rmtree(box.folder.parents[1])


def lose_session(box: Mailbox) -> None:
    shutil.rmtree(box.folder)


def lose_binding(box: Mailbox) -> None:
    (box.folder / "binding.json").unlink()


def lose_lock(box: Mailbox) -> None:
    box.lock.unlink()


@pytest.mark.parametrize("lose", [lose_all, lose_session, lose_binding, lose_lock])
@pytest.mark.parametrize("ours", [False, True])
def test_what_was_lost_under_a_session_is_said(
    made: MadeWorkspace, monkeypatch: pytest.MonkeyPatch, lose: Any, ours: bool
) -> None:
    if ours:
        monkeypatch.setenv("KERNELSEEK_SESSION", "k")
    box = Mailbox(made.home, "mine")
    box.bind(Binding("k", str(made.root)))
    with locked(box.lock):
        lose(box)
        answers = [stop(made.home, stop_input(made.root, session="mine"), "mine") for _ in range(3)]
    assert [answer.get("decision") for answer in answers] == HELD_THEN_FREE
    for said in (answers[0]["reason"], answers[1]["reason"], answers[2]["systemMessage"]):
        assert f"({box.folder}) was removed while the session ran" in said
        assert ("kernelseek steer" in said) == ours
        assert ("kernelseek attach" in said) != ours
        assert "ended without detaching" not in said


def test_leaving_a_lost_folder_is_quiet_and_makes_none(tmp_path: Path) -> None:
    box = Mailbox(tmp_path / "home", "mine")
    box.unbind()
    assert not box.withdraw("q")
    assert not (tmp_path / "home").exists()
    (tmp_path / "home").write_text("")
    box.unbind()


def test_leaving_needs_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box = Mailbox(tmp_path, "mine")
    box.bind(Binding("k", "/nowhere"))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "touch", full)
    box.unbind()
    assert box.marked("detached")
    assert box.binding() is None
    assert stop(tmp_path, stop_input(tmp_path, session="mine"), "mine") == {}
