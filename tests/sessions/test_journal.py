"""The journal's promises: one line an event, one owner, nothing lost by a full disk or a torn end."""

import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions import events as ev
from sessions import journal as journal_module
from sessions.errors import LockedSession, StorageError
from sessions.home import JOURNAL
from sessions.journal import Journal
from sessions.repair import repair
from sessions.state import fold
from sessions.transcript import Transcript, open_transcript
from tests.sessions.strategies import SESSIONS


def opened(folder: Path, **fields: Any) -> Journal:
    return Journal(folder, **{"secrets": (), **fields})


def note(text: str, id_: str = "") -> ev.Note:
    return ev.Note(id=id_, text=text)


def notes(transcript: Transcript) -> list[str]:
    assert all(account.balanced for account in transcript.accounts)
    return [event.text for event in transcript.events if isinstance(event, ev.Note)]


def test_what_was_appended_is_read(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        written = [journal.append(note(f"n{n}")) for n in range(5)]
        assert (tmp_path / JOURNAL).read_bytes().count(b"\n") == 5
    transcript = open_transcript(tmp_path)
    assert transcript.events == written
    assert [event.id for event in written] == ["e1", "e2", "e3", "e4", "e5"]


def test_ids_go_on_after_reopening(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        journal.append(note("one"))
        assert journal.next_id() == "e2"
        journal.append(note("foreign", "l7.1"))
        journal.append(note("high", "e40"))
    with opened(tmp_path) as journal:
        assert journal.append(note("next")).id == "e41"
        assert journal.known == {"e1", "l7.1", "e40", "e41"}
        assert journal.repaired is not None
        assert journal.repaired.what == ""


def test_an_id_is_taken_once(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        journal.append(note("one", "x"))
        with pytest.raises(ValueError, match="already holds"):
            journal.append(note("two", "x"))
    with opened(tmp_path) as journal, pytest.raises(ValueError, match="already holds"):
        journal.append(note("two", "x"))
    assert notes(open_transcript(tmp_path)) == ["one"]


@given(SESSIONS)
@settings(max_examples=25, deadline=None)
def test_any_session_survives_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, events: list[ev.AnyEvent]
) -> None:
    folder = tmp_path_factory.mktemp("s")
    # An unknown event with the name of a known kind cannot come from a file.
    events = [
        event for event in events if not (event.kind == "agent_text" and type(event) is ev.UnknownEvent)
    ]
    with opened(folder) as journal:
        written = [journal.append(event) for event in [note("first", "first"), *events]]
    assert open_transcript(folder).events == written
    assert fold(open_transcript(folder).events) == fold(written)


def test_kinds_of_a_later_version_survive(tmp_path: Path) -> None:
    line = '{"kind":"from_the_future","id":"f1","schema_version":9,"none":null,"deep":{"a":[1,null]}}'
    (tmp_path / JOURNAL).write_text(line + "\n")
    transcript = open_transcript(tmp_path)
    assert transcript.unknown == {"from_the_future": 1}
    assert json.loads(ev.dump_event(transcript.events[0])) == json.loads(line)


def test_a_journal_of_mostly_later_kinds_is_a_journal(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        journal.append(note("n", "one we know"))
    with (tmp_path / JOURNAL).open("a") as file:
        file.writelines(f'{{"kind":"from_the_future","id":"f{number}"}}\n' for number in range(9))
    assert open_transcript(tmp_path).unknown == {"from_the_future": 9}


def test_a_second_owner_is_told_who_the_first_is(tmp_path: Path) -> None:
    code = "import sys, pathlib, sessions.journal as j; j.Journal(pathlib.Path(sys.argv[1]))"
    with opened(tmp_path):
        with pytest.raises(LockedSession, match=f"owned by process {os.getpid()}"):
            opened(tmp_path)
        other = subprocess.run(
            [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=False
        )
        assert "LockedSession" in other.stderr
    with opened(tmp_path) as journal:
        journal.append(note("free again"))


@pytest.mark.parametrize(
    ("tail", "moved"),
    [
        (b'{"schema_version":1,"id":"e3","kind":"no', True),
        (b"\0" * 4096, True),
        (b'{"schema_version":1,"id":"e3"' + b"\0" * 300, True),
        (b"\0" * 10 + b"\n", True),
        (b"\xff\xfe", True),
        (b'{"schema_version":1,"id":"e3","kind":"note","text":"whole"}', False),
        (b'{"schema_version":1,"id":"e3","kind":"note","text":"whole"}' + b"\0" * 99, False),
    ],
)
def test_a_torn_end_is_moved_aside_and_told(tmp_path: Path, tail: bytes, moved: bool) -> None:
    with opened(tmp_path) as journal:
        journal.append(note("one"))
        journal.append(note("two"))
    path = tmp_path / JOURNAL
    path.write_bytes(path.read_bytes() + tail)
    with opened(tmp_path) as journal:
        journal.append(note("after"))
    transcript = open_transcript(tmp_path)
    assert transcript.damaged == 0
    told = [event for event in transcript.events if isinstance(event, ev.ReaderProblem)]
    assert len(told) == 1
    kept = tmp_path / f"{JOURNAL}.torn-1"
    if moved:
        assert kept.read_bytes() == tail
        assert notes(transcript) == ["one", "two", "after"]
        assert kept.name in told[0].what
        assert told[0].line == 2
    else:
        assert not kept.exists()
        assert notes(transcript) == ["one", "two", "whole", "after"]
    assert len({event.id for event in transcript.events}) == len(transcript.events)


def test_a_second_torn_end_does_not_replace_the_first(tmp_path: Path) -> None:
    opened(tmp_path).close()
    path = tmp_path / JOURNAL
    for tail in (b"first", b"second"):
        path.write_bytes(path.read_bytes() + tail)
        opened(tmp_path).close()
    assert (tmp_path / f"{JOURNAL}.torn-1").read_bytes() == b"first"
    assert (tmp_path / f"{JOURNAL}.torn-2").read_bytes() == b"second"


def test_a_torn_end_whose_report_was_lost_is_reported_once(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        journal.append(note("events.jsonl.torn-1, says an agent"))
    path = tmp_path / JOURNAL
    path.write_bytes(path.read_bytes() + b'{"torn')
    repair(path)  # and killed before the journal could say so
    for _ in range(2):
        opened(tmp_path).close()
    (told,) = open_transcript(tmp_path).problems
    assert "6 bytes was moved to events.jsonl.torn-1" in told.what


def test_damage_in_the_middle_stays_where_it_is(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        journal.append(note("one"))
        journal.append(note("two"))
    path = tmp_path / JOURNAL
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + b"\0\0\0\n" + b'{"broken\n' + second)
    with opened(tmp_path) as journal:
        assert journal.append(note("three")).id == "e3"
    transcript = open_transcript(tmp_path)
    assert notes(transcript) == ["one", "two", "three"]
    assert [problem.line for problem in transcript.problems] == [1, 2]
    assert transcript.damaged == 2


def test_a_doubled_id_in_a_file_is_read_once(tmp_path: Path) -> None:
    first, line = (ev.dump_event(note(text, text)) + "\n" for text in "wx")
    (tmp_path / JOURNAL).write_text(first + line * 2)
    transcript = open_transcript(tmp_path / JOURNAL)
    assert notes(transcript) == ["w", "x"]
    assert "a second time" in transcript.problems[0].what


class Disk:
    """Stands in for `os.write`: takes so many bytes in all, then is full."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.write = os.write

    def __call__(self, file: int, data: bytes) -> int:
        if self.room <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken = self.write(file, data[: self.room])
        self.room -= taken
        return taken


@pytest.mark.parametrize("room", [0, 1, 30])
def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    with opened(tmp_path) as journal:
        journal.append(note("one"))
        before = (tmp_path / JOURNAL).read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", Disk(room))
            with pytest.raises(StorageError, match=r"could not be written \(No space left") as no:
                journal.append(note("two", "mine"))
        assert no.value.exit_code == 4
        assert (tmp_path / JOURNAL).read_bytes() == before
        journal.append(note("two", "mine"))
    assert notes(open_transcript(tmp_path)) == ["one", "two"]


def test_a_part_that_the_disk_took_is_cut_off_before_the_next_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: int, size: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with opened(tmp_path) as journal:
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", Disk(10))
            patch.setattr(os, "ftruncate", refuse)
            with pytest.raises(StorageError):
                journal.append(note("one"))
        assert (tmp_path / JOURNAL).stat().st_size == 10
        journal.append(note("one"))
    assert notes(open_transcript(tmp_path)) == ["one"]


def test_a_short_write_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    with opened(tmp_path) as journal, monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, data: write(file, data[:7]))
        journal.append(note("one"))
    assert notes(open_transcript(tmp_path)) == ["one"]


def test_an_event_is_one_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes: list[bytes] = []
    write = os.write

    def counted(file: int, data: bytes) -> int:
        writes.append(data)
        return write(file, data)

    with opened(tmp_path) as journal, monkeypatch.context() as patch:
        patch.setattr(os, "write", counted)
        journal.append(note("x" * 100_000))
    assert len(writes) == 1
    assert writes[0].endswith(b"\n")


def test_questions_and_evaluations_are_synced_before_append_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main: list[str] = []

    def synced(file: int) -> None:
        if threading.current_thread() is threading.main_thread():
            main.append("sync")

    with opened(tmp_path) as journal:
        monkeypatch.setattr(journal_module, "_sync", synced)
        journal.append(note("no hurry"))
        assert main == []
        journal.append(ev.QuestionAsked(id="", questioner="human", text="why?"))
        journal.append(ev.Evaluation(id="", evaluation="v", status="CORRECT"))
        assert main == ["sync", "sync"]


def test_other_events_are_synced_by_and_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = threading.Event()
    monkeypatch.setattr(journal_module, "SYNC_SECONDS", 0.01)
    with opened(tmp_path) as journal:
        monkeypatch.setattr(journal_module, "_sync", lambda file: done.set())
        journal.append(note("x"))
        assert done.wait(30)


def test_a_sync_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(file: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with opened(tmp_path) as journal:
        question = ev.QuestionAsked(id="q", questioner="human", text="why?")
        with monkeypatch.context() as patch:
            patch.setattr(journal_module, "_sync", broken)
            with pytest.raises(StorageError):
                journal.append(question)
        journal.append(question)
    assert len(open_transcript(tmp_path).events) == 1


def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.close()
    journal.close()
    with pytest.raises(StorageError, match="is closed"):
        journal.append(note("late"))


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="could not be opened"):
        opened(tmp_path / "file" / "session")


def test_keys_of_the_environment_never_reach_the_file(tmp_path: Path) -> None:
    environment = {"SOME_API_KEY": "abcdef123456", "PATH": "/usr/bin"}
    with Journal(tmp_path, environment=environment) as journal:
        journal.append(note("my key is abcdef123456, honest"))
    assert b"abcdef123456" not in (tmp_path / JOURNAL).read_bytes()
    assert notes(open_transcript(tmp_path)) == ["my key is [secret], honest"]


@given(cut=st.integers(0, 400))
@settings(max_examples=40, deadline=None)
def test_a_file_cut_anywhere_opens_and_keeps_every_whole_line(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    with opened(folder) as journal:
        for n in range(5):
            journal.append(note(f"n{n} é"))
    path = folder / JOURNAL
    data = path.read_bytes()[:cut]
    path.write_bytes(data)
    with opened(folder) as journal:
        journal.append(note("after"))
    found = notes(open_transcript(folder))
    whole = data.count(b"\n")
    assert found[:whole] == [f"n{n} é" for n in range(whole)]
    assert found[-1] == "after"
    assert len(found) <= whole + 2
