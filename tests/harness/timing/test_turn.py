import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from harness.errors import JudgeError
from harness.timing import turn as turns
from harness.timing.turn import turn

HOLD = """
import pathlib, sys
from harness.timing import turn as turns
turns.SHARED = pathlib.Path(sys.argv[1])
from harness.timing.turn import turn
with turn("cpu", lambda: None):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_two_judges_take_turns_and_a_dead_one_lets_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "SHARED", tmp_path)
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    waited = []

    def waiting() -> None:
        waited.append(True)
        other.kill()

    with turn("cpu", waiting):
        assert waited == [True]
    with turn("cpu", waiting):
        assert waited == [True]
    other.communicate()


def test_where_no_lock_can_be_had_timing_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "SHARED", tmp_path / "absent")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    reached = False
    with turn("cpu", lambda: None):
        reached = True
    assert reached


def test_nobody_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "SHARED", tmp_path)
    monkeypatch.setattr(turns, "MOST_SECONDS", 0.2)
    monkeypatch.setattr(turns, "TELL_SECONDS", 0.05)
    told = []
    again = turn("cpu", lambda: told.append(True))
    with turn("cpu", lambda: None), pytest.raises(JudgeError, match="end it and evaluate again"), again:
        pass
    assert len(told) > 1


def test_who_lost_its_parent_stops_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "SHARED", tmp_path)
    parents = iter([7, 7, 1])
    monkeypatch.setattr("harness.timing.turn.os.getppid", lambda: next(parents, 1))
    with turn("cpu", lambda: None), pytest.raises(KeyboardInterrupt), turn("cpu", lambda: None):
        pass


def test_judges_with_other_temporary_folders_take_turns_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "SHARED", tmp_path)
    monkeypatch.setattr(turns, "MOST_SECONDS", 0.1)
    with turn("cpu", lambda: None):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "elsewhere"))
        with pytest.raises(JudgeError, match="Another judge"), turn("cpu", lambda: None):
            pass
        with turn("other-device", lambda: None):
            pass


def test_a_lock_that_was_cleaned_away_keeps_others_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who waited for a file that is gone by then must take the one that the others see."""
    monkeypatch.setattr(turns, "SHARED", tmp_path)
    monkeypatch.setattr(turns, "MOST_SECONDS", 0.1)
    opened = os.open

    def open_and_lose(path: Path, *how: int) -> int:
        descriptor = opened(path, *how)
        monkeypatch.setattr("harness.timing.turn.os.open", opened)
        path.unlink()
        return descriptor

    monkeypatch.setattr("harness.timing.turn.os.open", open_and_lose)
    with (
        turn("cpu", lambda: None),
        pytest.raises(JudgeError, match="Another judge"),
        turn("cpu", lambda: None),
    ):
        pass
