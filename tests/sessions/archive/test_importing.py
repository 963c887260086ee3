"""An import is a whole session, once."""

import gzip
import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sessions import events as ev
from sessions.archive import importing
from sessions.archive.exporting import export
from sessions.archive.importing import import_transcript, origin_of, source_sha256
from sessions.archive.listing import own_row
from sessions.archive.redactor import Redactor
from sessions.errors import RefusedInput, StorageError
from sessions.home import JOURNAL, sessions_folder
from sessions.transcript import open_transcript
from tests.sessions.archive.recorded import evaluation, record, started
from tests.sessions.transcripts import reply, text, user, write

NOW = datetime(2026, 12, 29, tzinfo=UTC)
FAKE = "a1B2" * 12


def test_a_transcript_becomes_a_session(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [user(0, "go"), reply(1, text(f"the key is sk-{FAKE}")), "{broken"])
    session, damaged = import_transcript(path)
    assert damaged == 1
    found = open_transcript(session)
    assert found.format.name == "kernelseek"
    read = open_transcript(path).events
    assert [(event.kind, event.source) for event in found.events] == [
        (event.kind, event.source) for event in read
    ]
    assert FAKE not in (sessions_folder() / session / JOURNAL).read_text()
    origin = origin_of(sessions_folder() / session)
    assert origin is not None
    assert (origin.format, origin.path) == ("claude-code", str(path))
    assert origin.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert own_row(sessions_folder() / session).where == "imported"
    assert [folder.name for folder in sessions_folder().iterdir()] == [session]


def test_the_same_file_is_refused_unless_again(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [user(0, "go")])
    session, _ = import_transcript(path)
    other = write(tmp_path / "copy.jsonl", [user(0, "go")])
    with pytest.raises(RefusedInput, match=f"as the session {session}; add --again"):
        import_transcript(other)
    again, _ = import_transcript(other, again=True)
    assert again != session


def test_an_export_comes_back_as_it_was(tmp_path: Path) -> None:
    folder = record("s1", [started(), evaluation(), ev.Note(id="", text="x", author="human")])
    with (folder / JOURNAL).open("ab") as file:
        file.write(b"{broken}\n")
    export(folder / JOURNAL, tmp_path / "x.jsonl.gz", "gz", Redactor())
    session, _ = import_transcript(tmp_path / "x.jsonl.gz")
    assert open_transcript(session).events == open_transcript(tmp_path / "x.jsonl.gz").events


def test_a_subagents_file_makes_another_hash(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [user(0, "go")])
    alone = source_sha256(path)
    (tmp_path / "run" / "subagents").mkdir(parents=True)
    write(tmp_path / "run" / "subagents" / "agent-a.jsonl", [user(0, "sub")])
    assert source_sha256(path) != alone


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), StorageError("full")])
def test_nothing_half_imported_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise raised

    path = write(tmp_path / "run.jsonl", [user(0, "go"), reply(1, text("x"))])
    monkeypatch.setattr(importing, "_fresh", fail)
    with pytest.raises(type(raised)):
        import_transcript(path)
    assert list(sessions_folder().iterdir()) == []


def test_a_folder_that_cannot_be_made(tmp_path: Path, home: Path) -> None:
    home.write_text("a file")
    with pytest.raises((StorageError, RefusedInput)):
        import_transcript(write(tmp_path / "run.jsonl", [user(0, "go")]))


def test_an_imported_gzip_is_known_again(tmp_path: Path) -> None:
    plain = write(tmp_path / "a.jsonl", [user(0, "go")])
    (tmp_path / "a.gz").write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
    import_transcript(tmp_path / "a.gz")
    with pytest.raises(RefusedInput, match="imported already"):
        import_transcript(tmp_path / "a.gz")
