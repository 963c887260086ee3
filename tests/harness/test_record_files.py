import hashlib
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from harness.errors import JudgeError, RefusedRecord
from harness.record import files
from harness.record.files import (
    MAX_RECORD_BYTES,
    digest_of,
    dump_record,
    new_eval_id,
    read_record,
    read_regular,
    sealed,
    write_record,
)
from tests.made_records import made_record


def test_a_record_survives_the_round_trip_and_leaves_nothing_else(tmp_path: Path) -> None:
    record = made_record()
    path = tmp_path / "records" / "one.json"
    write_record(record, path)
    write_record(record, path)
    assert read_record(path) == record
    assert [entry.name for entry in path.parent.iterdir()] == ["one.json"]


def changed(path: Path, change: dict[str, Any]) -> None:
    path.write_text(json.dumps({**json.loads(dump_record(made_record())), **change}))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"extra": 1}, "extra: Extra inputs"),
        ({"schema_version": 1}, "schema_version"),
        ({"status": "FINE"}, "status"),
        ({"seconds": float("nan")}, "seconds"),
        ({"scenarios": [{"id": "a"}]}, "scenarios.0.family"),
        ({"aggregate": None}, "aggregate"),
    ],
)
def test_anything_off_is_refused_with_its_place(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    path = tmp_path / "record.json"
    changed(path, change)
    with pytest.raises(RefusedRecord) as refused:
        read_record(path)
    assert words in str(refused.value)
    assert refused.value.exit_code == 3


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"kind": "other"}', "\xff"])
def test_what_is_no_record_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(RefusedRecord, match=r"is not a record"):
        read_record(path)


def test_a_record_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RefusedRecord, match=r"cannot be read: No such file"):
        read_record(tmp_path / "none.json")


def test_a_cut_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(dump_record(made_record())[:-200])
    with pytest.raises(RefusedRecord):
        read_record(path)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JudgeError, match=r"could not be written"):
        write_record(made_record(), tmp_path / "file" / "record.json")


def test_names_sort_by_time_and_do_not_repeat() -> None:
    early = new_eval_id(datetime(2026, 1, 2, 3, 4, 5, 6000, tzinfo=UTC))
    late = new_eval_id(datetime(2026, 1, 2, 3, 4, 5, 7000, tzinfo=UTC))
    assert early.startswith("20260102T030405006-")
    assert early < late
    assert len({new_eval_id() for _ in range(100)}) == 100


class Clock:
    """In place of `datetime`: says the time in UTC, and only there."""

    @staticmethod
    def now(zone: object) -> datetime:
        assert zone is UTC
        return datetime(2026, 5, 6, 7, 8, 9, 10_999, tzinfo=UTC)


def test_a_name_is_the_time_in_utc_and_eight_random_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "datetime", Clock)
    assert re.fullmatch(r"20260506T070809010-[0-9a-f]{8}", new_eval_id())


def test_a_digest_is_over_the_rest_with_keys_sorted_and_without_spaces_in_utf8() -> None:
    said = {"b": [1, 2], "a": {"d": "é", "c": 1.5}, "digest": "x"}
    text = '{"a":{"c":1.5,"d":"é"},"b":[1,2]}'
    assert digest_of(said) == hashlib.sha256(text.encode("utf-8")).hexdigest()
    lone = b'{"a":"\xed\xa0\x80"}'  # half of a pair, as a damaged file may have it
    assert digest_of({"a": "\ud800"}) == hashlib.sha256(lone).hexdigest()


def test_a_sealed_record_has_the_digest_of_what_its_file_says() -> None:
    record = sealed(made_record().model_copy(update={"notes": ("größer",)}))
    text = dump_record(record)
    assert record.digest == digest_of(json.loads(text))
    assert text.startswith('{\n "schema_version": ')
    assert text.endswith("}\n")


def test_a_record_is_written_beside_its_place_and_then_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new" / "deep" / "record.json"
    beside: list[str] = []

    def fails(descriptor: int) -> None:
        beside.extend(entry.name for entry in path.parent.iterdir())
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(JudgeError) as said:
        write_record(made_record(), path)
    assert str(said.value) == f"The record could not be written to {path}: No space left on device."
    (part,) = beside
    assert re.fullmatch(r"\.record\.json\..+\.part", part)
    assert list(path.parent.iterdir()) == []


def test_a_part_that_is_gone_hides_no_other_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(descriptor: int) -> None:
        for entry in tmp_path.iterdir():
            entry.unlink()
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(KeyboardInterrupt):
        write_record(made_record(), tmp_path / "record.json")


def test_a_file_over_the_limit_is_no_record_and_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MAX_RECORD_BYTES == 64 << 20
    path = tmp_path / "record.json"
    write_record(made_record(), path)
    size = path.stat().st_size
    monkeypatch.setattr(files, "MAX_RECORD_BYTES", size)
    assert read_record(path) == made_record()
    path.write_bytes(b" " * (2 << 20) + path.read_bytes())
    assert len(read_regular(path)) == size + 1
    monkeypatch.setattr(files, "MAX_RECORD_BYTES", 2 << 20)
    with pytest.raises(RefusedRecord) as said:
        read_record(path)
    assert str(said.value) == f"{path} is over 2 MB and no record of this judge."


def test_what_is_no_record_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text("{")
    with pytest.raises(RefusedRecord) as said:
        read_record(path)
    assert str(said.value).startswith(f"{path} is not a record of this judge: the file: Invalid JSON")
    changed(path, {"schema_version": True})
    with pytest.raises(RefusedRecord, match="is not a record of this judge: schema_version: "):
        read_record(path)
    changed(path, {"schema_version": 1})
    with pytest.raises(RefusedRecord, match=r"is of an older judge \(schema_version 1, this one writes "):
        read_record(path)


def test_a_pipe_is_no_record_and_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    os.mkfifo(path)
    with pytest.raises(RefusedRecord) as said:
        read_record(path)
    assert str(said.value) == f"{path} is not a plain file."
