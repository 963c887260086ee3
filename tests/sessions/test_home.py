from datetime import UTC, datetime
from pathlib import Path

import pytest

from sessions.errors import RefusedInput
from sessions.home import home, journal_path, new_session_id, session_folder
from sessions.journal import Journal


def test_the_variable_overrides_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert home({"KERNELSEEK_HOME": str(tmp_path)}) == tmp_path
    assert home({}).name == "kernelseek"
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path))
    assert journal_path("s1") == tmp_path / "sessions" / "s1" / "events.jsonl"
    with Journal.of("s1") as journal:
        assert journal.path == journal_path("s1")


@pytest.mark.parametrize("session", ["", ".", "..", "../x", "a/b", "x" * 200, "a\0b", "-x"])
def test_an_id_cannot_leave_the_folder(session: str) -> None:
    with pytest.raises(RefusedInput):
        session_folder(session)


def test_ids_sort_by_time_and_differ() -> None:
    early, late = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), datetime(2026, 1, 2, 3, 4, 6, tzinfo=UTC)
    assert new_session_id(early) < new_session_id(late)
    assert new_session_id(early).startswith("20260102-030405-")
    assert new_session_id(early) != new_session_id(early)
    assert session_folder(new_session_id()).name
