"""Sessions are found by id or path, and an id cannot lead elsewhere."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sessions.archive.finding import by_id, find_session, own_session_folder, owner_of
from sessions.archive.listing import all_rows
from sessions.errors import RefusedInput
from sessions.home import JOURNAL, sessions_folder
from sessions.journal import Journal
from sessions.transcript import open_transcript
from tests.sessions.archive.recorded import record, started
from tests.sessions.transcripts import user, write

NOW = datetime(2026, 12, 29, tzinfo=UTC)
FAKE = "a1B2" * 12


def test_by_id_by_path_or_not_at_all(tmp_path: Path) -> None:
    folder = record("s1", [started()])
    assert find_session("s1") == folder / JOURNAL
    assert by_id("s1") == folder / JOURNAL
    assert by_id("other") is None
    path = write(tmp_path / "x.jsonl", [user(0, "go")])
    assert find_session(str(path)) == path
    with pytest.raises(RefusedInput, match="sessions list"):
        find_session("s2")


@pytest.mark.parametrize("name", ["../s1", "a/b", "", ".", "..", "-x", "a" * 200, "x\ny"])
def test_an_id_cannot_lead_elsewhere(name: str) -> None:
    record("s1", [started()])
    assert by_id(name) is None
    with pytest.raises(RefusedInput, match="no session id"):
        own_session_folder(name)


def test_links_are_not_followed(tmp_path: Path) -> None:
    folder = record("s1", [started()])
    (sessions_folder() / "s2").symlink_to(folder)
    (sessions_folder() / "s3").mkdir()
    (sessions_folder() / "s3" / JOURNAL).symlink_to(folder / JOURNAL)
    for session, why in (("s2", "it is a link"), ("s3", "events.jsonl is a link")):
        with pytest.raises(RefusedInput, match=why):
            own_session_folder(session)
        with pytest.raises(RefusedInput, match=why):
            by_id(session)
    rows = {row.id: row for row in all_rows() if row.where != "bundled"}
    assert [rows[name].wrong != "" for name in ("s1", "s2", "s3")] == [False, True, True]


def test_who_owns_it() -> None:
    folder = record("s1", [started()])
    assert owner_of(folder) is None
    with Journal(folder):
        assert owner_of(folder) == os.getpid()
    assert owner_of(folder) is None


def test_a_replay_may_name_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = record("s1", [started(agent_name="of the session")])
    assert open_transcript("s1").path == folder / JOURNAL
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "s1", [user(0, "go")])
    assert open_transcript("s1").path == Path("s1")
    with pytest.raises(RefusedInput, match="does not exist"):
        open_transcript(tmp_path / "no" / "s1")
