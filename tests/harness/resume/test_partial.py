"""What is kept of a broken evaluation: damage and forgery give fewer lines, never others."""

import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.correctness.gate import StartError
from harness.record.files import write_record
from harness.record.samples import SameAgainstSame
from harness.resume.lines import (
    MAX_AGE,
    CheckedLine,
    Found,
    Line,
    TimedLine,
    decode,
    encode,
    seal,
    unseal,
)
from harness.resume.partial import KEY_BYTES, Keeping, Partial, file_key
from harness.verdict import Status
from tests.made_records import SCENARIOS, made_record, made_scenario

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
KEY, NAME = b"k" * KEY_BYTES, "n" * 32
START = {"out": {"rel_rms": 1e-7, "row_rel_rms": 2e-7, "max_abs": 3e-7}}


def checked(number: int, at: datetime = NOW) -> CheckedLine:
    record = made_scenario(SCENARIOS[number], interval=None)
    return CheckedLine(
        at=at, run=NOW, record=record, sealed="0" * 16, start=START, start_ns=1, candidate_ns=2
    )


def timed(number: int) -> TimedLine:
    return TimedLine(at=NOW, run=NOW, record=made_scenario(SCENARIOS[number]))


def written(lines: list[Line], key: bytes = KEY, name: str = NAME) -> list[bytes]:
    """The lines as one judge writes them."""
    made, head = [], ""
    for line in lines:
        data, head = encode(line, key, name, head)
        made.append(data)
    return made


LINES: list[Line] = [checked(0), checked(1), checked(2), timed(0), timed(1)]
ENCODED = written(LINES)
FILE = b"".join(ENCODED)
WHOLE = decode(FILE, KEY, NAME, NOW)


def within(found: Found) -> bool:
    """Whether every line that is left is one that was written."""
    return (
        found.checked.items() <= WHOLE.checked.items()
        and found.timed.items() <= WHOLE.timed.items()
        and found.timed.keys() <= found.checked.keys()
    )


def test_what_is_written_is_read() -> None:
    assert list(WHOLE.checked.values()) == LINES[:3]
    assert list(WHOLE.timed.values()) == LINES[3:]
    assert not WHOLE.dropped
    assert [(one.checked, one.timed) for one in WHOLE.resumed()] == [(3, 2)]


@given(st.integers(0, len(FILE)))
def test_a_file_cut_anywhere_holds_a_part(length: int) -> None:
    assert within(decode(FILE[:length], KEY, NAME, NOW))


@given(st.integers(0, len(FILE) - 1), st.integers(1, 255))
def test_a_changed_byte_loses_its_lines_and_changes_none(at: int, flip: int) -> None:
    found = decode(FILE[:at] + bytes([FILE[at] ^ flip]) + FILE[at + 1 :], KEY, NAME, NOW)
    assert within(found)
    assert found.count < WHOLE.count
    assert found.dropped


@given(st.permutations(ENCODED))
def test_lines_out_of_place_are_none(lines: list[bytes]) -> None:
    found = decode(b"".join(lines), KEY, NAME, NOW)
    assert within(found)
    assert (found.count == WHOLE.count) is (lines == ENCODED)


@given(st.integers(0, len(ENCODED)), st.integers(0, len(ENCODED)))
def test_lines_of_two_attempts_cannot_be_put_together(first: int, second: int) -> None:
    """Else the luckier timing of each scenario could be chosen."""
    later = written([checked(3), *LINES[1:]])
    found = decode(b"".join(ENCODED[:first] + later[second:]), KEY, NAME, NOW)
    if first:
        assert within(found)
        assert found.count <= first
    else:
        assert found.count == (len(later) - 1 if second == 0 else 0)  # `timed(0)` is without its check


@given(st.lists(st.one_of(st.sampled_from(ENCODED), st.binary(max_size=300)), max_size=12))
def test_any_file_is_read_without_an_error(parts: list[bytes]) -> None:
    assert within(decode(b"".join(parts), KEY, NAME, NOW))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (written([checked(0)], key=b"x" * KEY_BYTES), "out of place"),
        (written([checked(0)], name="m" * 32), "out of place"),
        (written([checked(0, NOW - MAX_AGE - timedelta(seconds=1))]), "60 minutes"),
        (written([checked(0, NOW + timedelta(hours=1))]), "60 minutes"),
        (written([timed(0)]), "without the check"),
    ],
)
def test_a_line_that_is_none_of_ours_is_dropped_and_counted(data: list[bytes], why: str) -> None:
    found = decode(data[0], KEY, NAME, NOW)
    assert found.count == 0
    assert [why in reason for reason in found.dropped] == [True]


def test_of_a_line_that_is_there_twice_the_first_holds() -> None:
    other = checked(0).model_copy(update={"start_ns": 99})
    found = decode(b"".join(written([*LINES, other])), KEY, NAME, NOW)
    assert found.checked == WHOLE.checked
    assert found.dropped == {"said twice": 1}


@given(st.integers(0, 2**64 - 1))
def test_a_seed_is_opened_by_its_key_alone(seed: int) -> None:
    sealed = seal(seed, KEY, NAME, "one")
    assert unseal(sealed, KEY, NAME, "one") == seed
    assert unseal(sealed, KEY, NAME, "other") != seed
    assert unseal(sealed, b"x" * KEY_BYTES, NAME, "one") != seed


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Partial]:
    """Opens the file of one evaluation, again and again."""

    def open_it(identity: str = "one", started: datetime = NOW, **keeping: object) -> Partial:
        return Partial(Keeping(tmp_path / "partial", **keeping), {"what": identity}, started)  # type: ignore[arg-type]

    return open_it


def keep(partial: Partial, number: int, seed: int = 7) -> None:
    record = made_scenario(SCENARIOS[number], interval=None).model_copy(update={"seed": f"{seed:016x}"})
    partial.checked(record, seed, {"out": StartError(1e-7, 2e-7, 3e-7)}, 1, 2)


def files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "partial").glob("*.jsonl"))


def test_the_next_run_goes_on_and_no_seed_lies_open(opened: Callable[..., Partial], tmp_path: Path) -> None:
    first = opened()
    keep(first, 0, seed=0x1234567890ABCDEF)
    first.timed(made_scenario(SCENARIOS[0]), SameAgainstSame(scenario="toy-n8", **samples()))
    first.close()
    [path] = files(tmp_path)
    assert b"1234567890abcdef" not in path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    second = opened()
    line = second.found.checked["toy-n8"]
    assert second.seed_of(line) == 0x1234567890ABCDEF
    assert line.record.status is Status.CORRECT
    assert second.found.timed["toy-n8"].aa is not None
    assert second.notes == []
    second.remove()
    assert files(tmp_path) == []


def samples() -> dict[str, Any]:
    timing = made_scenario(SCENARIOS[0]).timing
    assert timing is not None
    return {name: getattr(timing, name) for name in SameAgainstSame.model_fields if hasattr(timing, name)}


def test_a_torn_line_does_not_take_the_next_with_it(opened: Callable[..., Partial], tmp_path: Path) -> None:
    first = opened()
    keep(first, 0)
    first.close()
    [path] = files(tmp_path)
    path.write_bytes(path.read_bytes() + b'{"mac":"12')
    second = opened()
    assert "1 damaged" in second.notes[0]
    keep(second, 1)
    second.close()
    assert opened().found.checked.keys() == {"toy-n8", "toy-n16"}


def test_what_is_of_something_else_is_not_found(opened: Callable[..., Partial]) -> None:
    first = opened()
    keep(first, 0)
    first.close()
    assert opened("two").found.count == 0
    assert opened(key=b"o" * KEY_BYTES).found.count == 0
    assert opened().found.count == 1


def test_fresh_starts_anew(opened: Callable[..., Partial]) -> None:
    first = opened()
    keep(first, 0)
    first.close()
    second = opened(fresh=True)
    assert (second.found.count, second.notes) == (0, [])
    second.close()
    assert opened().found.count == 0


def test_lines_that_were_taken_away_cost_all(opened: Callable[..., Partial], tmp_path: Path) -> None:
    """Else whoever kills a judge could keep the lucky timings and have the others measured again."""
    told: list[str] = []
    first = opened(key=KEY, told=told.append)
    for number in range(3):
        keep(first, number)
    first.close()
    [path] = files(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    second = opened(key=KEY, expected=told[2])
    assert second.found.count == 0
    assert "was changed" in second.notes[0]
    second.close()
    path.write_bytes(b"".join(lines))
    assert opened(key=KEY, expected=told[1]).found.count == 3  # a line that nobody had been told of yet


def test_lines_whose_record_is_written_are_used_up(opened: Callable[..., Partial], tmp_path: Path) -> None:
    """A judge that died between the record and the removal must not make the same record twice."""
    record, path = made_record(), tmp_path / "record.json"
    for written in (False, True):
        first = opened()
        keep(first, 0)
        first.ending(record.eval_id, path)
        if written:
            write_record(record, path)
        first.close()
        second = opened()
        assert second.found.count == (0 if written else 1)
        second.remove()


def test_one_judge_at_a_time_keeps(opened: Callable[..., Partial]) -> None:
    first = opened()
    second = opened()
    assert "another judge" in second.notes[0]
    keep(second, 0)
    first.close()
    assert opened().found.count == 0


@pytest.mark.parametrize("what", ["link", "fifo", "folder"])
def test_what_is_no_file_of_ours_is_not_used(
    opened: Callable[..., Partial], tmp_path: Path, what: str
) -> None:
    first = opened()
    first.close()
    [path] = files(tmp_path)
    path.unlink()
    if what == "link":
        (tmp_path / "elsewhere").write_text("mine")
        path.symlink_to(tmp_path / "elsewhere")
    elif what == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    second = opened()
    assert "not kept" in second.notes[0]
    keep(second, 0)
    second.remove()
    assert path.is_symlink() or path.exists()
    if what == "link":
        assert (tmp_path / "elsewhere").read_text() == "mine"


def test_a_full_disk_is_no_reason_to_stop(
    opened: Callable[..., Partial], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    first = opened()
    monkeypatch.setattr("harness.resume.partial.os.write", full)
    keep(first, 0)
    keep(first, 1)
    assert len(first.notes) == 1
    assert "No space left" in first.notes[0]


def test_a_damaged_key_is_replaced(tmp_path: Path) -> None:
    first = file_key(tmp_path)
    assert len(first) == KEY_BYTES
    assert file_key(tmp_path) == first
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    (tmp_path / "key").write_bytes(b"short")
    assert len(file_key(tmp_path)) == KEY_BYTES
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_old_files_are_swept(opened: Callable[..., Partial], tmp_path: Path) -> None:
    first = opened()
    keep(first, 0)
    first.close()
    [path] = files(tmp_path)
    long_ago = datetime.now(UTC).timestamp() - 2 * MAX_AGE.total_seconds()
    os.utime(path, (long_ago, long_ago))
    opened("two").close()
    assert path not in files(tmp_path)
