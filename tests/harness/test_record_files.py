import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from harness.errors import JudgeError, RefusedRecord
from harness.record.files import dump_record, new_eval_id, read_record, write_record
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
