"""What goes, what stays, and that one goes whole."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sessions.archive.listing import Row, own_row
from sessions.archive.pruning import age_of, choose, remove, sweep
from sessions.errors import LockedSession, RefusedInput
from sessions.home import JOURNAL, sessions_folder
from sessions.journal import Journal
from tests.sessions.archive.recorded import record, started

NOW = datetime(2026, 12, 29, tzinfo=UTC)
FAKE = "a1B2" * 12


def row(session: str, days: float, **changes: object) -> Row:
    given = {"id": session, "where": "here", "path": Path("/x/events.jsonl"), "ended": True, "exit_code": 0}
    return Row(**{**given, "written": NOW - timedelta(days=days), **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(("words", "hours"), [("30d", 720), ("12h", 12), ("2w", 336), ("0h", 0)])
def test_an_age(words: str, hours: int) -> None:
    assert age_of(words) == timedelta(hours=hours)


@pytest.mark.parametrize("words", ["", "30", "d", "-1d", "1.5d", "30 days", "999999d"])
def test_no_age(words: str) -> None:
    with pytest.raises(ValueError, match="such as 30d"):
        age_of(words)


def test_both_rules_have_to_let_it_go() -> None:
    rows = [row("a", 60), row("b", 40), row("c", 20), row("d", 1)]

    def goes(**rules: object) -> list[str]:
        return [one.id for one in choose(rows, NOW, **rules)[0]]  # type: ignore[arg-type]

    assert goes(older_than=timedelta(days=30)) == ["a", "b"]
    assert goes(keep=1) == ["a", "b", "c"]
    assert goes(keep=3, older_than=timedelta(days=30)) == ["a"]
    assert goes(keep=9) == []
    assert goes(keep=0) == ["a", "b", "c", "d"]


def test_what_stays_whatever_its_age(tmp_path: Path) -> None:
    rows = [
        row("live", 90, owner=12),
        row("noted", 90, notes=1),
        row("resumable", 90, agent="rehearsal", workspace=str(tmp_path), exit_code=10),
        row("bundled", 90, where="bundled"),
        row("met", 90, agent="rehearsal", workspace=str(tmp_path)),
        row("gone", 90, agent="rehearsal", workspace=str(tmp_path / "no"), exit_code=10),
        row("imported", 90, agent="claude", workspace=str(tmp_path), exit_code=None, where="imported"),
    ]
    goes, stays = choose(rows, NOW, keep=0)
    assert {one.id for one in goes} == {"met", "gone", "imported"}
    assert [kept.row.id for kept in stays] == ["live", "noted", "resumable"]
    goes, stays = choose(rows, NOW, keep=0, noted=True, resumable=True)
    assert [kept.row.id for kept in stays] == ["live"]


def test_a_session_goes_whole() -> None:
    folder = record("s1", [started()])
    record("s2", [started()])
    remove(own_row(folder))
    assert [one.name for one in sessions_folder().iterdir()] == ["s2"]


def test_one_that_was_opened_meanwhile_stays() -> None:
    folder = record("s1", [started()])
    seen = own_row(folder)
    # The lock of another open file holds against one's own process as well.
    with Journal(folder), pytest.raises(LockedSession):
        remove(seen)
    assert (folder / JOURNAL).is_file()


def test_nothing_outside_goes(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(RefusedInput, match="so it stays"):
        remove(row("mine", 1, path=tmp_path / "mine" / JOURNAL))
    assert (tmp_path / "mine").is_dir()


def test_leftovers_of_the_killed_are_swept(tmp_path: Path) -> None:
    record("s1", [started()])
    folder = sessions_folder()
    (folder / ".pruning-s0").mkdir()
    (folder / f".importing-{os.getpid()}-x").mkdir()
    (folder / ".importing-4194305-x").mkdir()  # beyond the largest process id
    (folder / ".pruning-link").symlink_to(tmp_path)
    assert sweep() == 2
    assert sorted(one.name for one in folder.iterdir()) == [
        f".importing-{os.getpid()}-x",
        ".pruning-link",
        "s1",
    ]
