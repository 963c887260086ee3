import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sessions.errors import RefusedInput, StorageError
from sessions.labels import Label, Where, merge, read_labels, same_file, same_path, write_labels
from sessions.vocabulary import DecisionKind, Truth
from tests.cases import CASES, needs_cases


def label(entry: int = 3, kind: str = "plateau", annotator: str = "ada", **more: Any) -> Label:
    fields = {"file": "run.jsonl", "where": {"entry": entry}, "kind": kind, "annotator": annotator}
    return Label.model_validate(fields | more)


FULL = label(
    7,
    "claimed_limit",
    id="M1",
    sha256="0" * 64,
    where={"entry": 7, "event": "a1:l7.1", "part": "agent-a1.jsonl", "also": (8,)},
    layer="host",
    act="question",
    form="interrogative",
    category="challenge-a-limit",
    truth="WRONG_ACROSS_RUNS",
    certainty=3,
    evidence=(9, 12),
    not_kind=("plateau",),
    when=datetime(2026, 1, 2, tzinfo=UTC),
    note="a line,\nanother \u2028 and “quotes”",
)


@pytest.mark.parametrize("labels", [[], [label()], [FULL, label(0, "none")]])
def test_what_is_written_is_read_again(tmp_path: Path, labels: list[Label]) -> None:
    path = tmp_path / "new" / "labels.jsonl"
    write_labels(path, labels)
    assert read_labels(path) == labels
    assert len(path.read_text(encoding="utf-8").split("\n")) == len(labels) + 1


def test_a_json_list_a_mark_of_byte_order_and_blank_lines_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text("\ufeff" + json.dumps([FULL.model_dump(mode="json")]), encoding="utf-8")
    assert read_labels(path) == [FULL]
    path.write_text("\r\n" + FULL.model_dump_json() + "\r\n\r\n", encoding="utf-8")
    assert read_labels(path) == [FULL]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"kind": "plateau"', "line 0 is no label: it is not JSON"),
        ('{"kind": "plateau"}', "line 0 is no label: file: field required"),
        ("7", "line 0 is no label: "),
        ('["x"]', "label 0 is no label: "),
        ("[" * 3000, "line 0 is no label: it is not JSON"),
        ('{"schema_version": 2, "new": 1}', "line 0 is a label of version 2; this program reads version 1"),
        (label().model_dump_json().replace("plateau", "plateu"), "kind"),
        (label().model_dump_json().replace('"note"', '"notes"'), "notes: extra inputs"),
        (label().model_dump_json().replace('"certainty":null', '"certainty":4'), "certainty: "),
        (label().model_dump_json() + "\n{}", "line 1 is no label"),
        ('{"positives": 1}', "positives is not a list"),
        ('{"positives": [1]}', r"positives\[0\] is no label"),
        ('{"negatives": [{"file": "a"}]}', "where names no entry, line or row"),
        ('{"negatives": [{"file": "a", "where": {"line": [0]}}]}', "line 0 is no number from 1"),
        ('{"negatives": [{"file": "a", "where": {"entry": [true]}}]}', "entry True"),
    ],
)
def test_what_is_no_label_is_refused_with_its_place(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RefusedInput, match=what) as no:
        read_labels(path)
    assert "\n" not in str(no.value)
    assert path.read_text(encoding="utf-8") == text


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedInput, match="cannot be read"):
        read_labels(tmp_path)
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RefusedInput, match="not UTF-8"):
        read_labels(tmp_path / "x")


OLDER = {
    "positives": [
        {
            "id": "M1",
            "file": "a.jsonl",
            "where": {"line": [201, 203]},
            "kind": "claimed_completion",
            "verdict": "WRONG",
            "what": "done",
            "truth": "it was not",
            "evidence": {"line": [202]},
            "second": {"kind": "claimed_limit", "verdict": "RIGHT", "certainty": 2},
        },
        {"id": "M2", "file": "b.jsonl", "where": {"row": 4}, "kind": "plateau", "verdict": "NOT_A_MOMENT"},
    ],
    "negatives": [
        {
            "id": "N1",
            "file": "a.jsonl",
            "where": {"entry": [9]},
            "verdict": "NOT_A_MOMENT",
            "tempting_text": "near peak",
            "not_kind": ["claimed_limit"],
            "second": {"kind": "none", "verdict": None, "certainty": 3},
        }
    ],
    "left_out": [{"id": "M3"}],
}


def test_the_older_shape_gives_two_annotators(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text(json.dumps(OLDER), encoding="utf-8")
    one, other, second, negative, blind = read_labels(path)
    assert (one.annotator, one.where, one.evidence) == ("first", Where(entry=200, also=(202,)), (201,))
    assert (one.truth, one.note) == (Truth.WRONG, "done / it was not")
    assert (other.annotator, other.id, other.kind) == ("second", "M1", DecisionKind.CLAIMED_LIMIT)
    assert (second.kind, second.not_kind, second.where.entry) == ("none", (DecisionKind.PLATEAU,), 4)
    assert (negative.kind, negative.truth) == ("none", Truth.NOT_A_MOMENT)
    assert negative.not_kind == (DecisionKind.CLAIMED_LIMIT,)
    assert (blind.kind, blind.truth, blind.certainty) == ("none", Truth.NOT_A_MOMENT, 3)
    write_labels(tmp_path / "new.jsonl", read_labels(path))
    assert read_labels(tmp_path / "new.jsonl") == read_labels(path)


@needs_cases
def test_the_recorded_labels_are_read_whole() -> None:
    assert CASES is not None
    path = CASES / "traces" / "labels.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    labels = read_labels(path)
    first = [found for found in labels if found.annotator == "first"]
    assert [found.id for found in first] == [row["id"] for row in rows["positives"] + rows["negatives"]]
    assert len(labels) == 2 * len(first)
    assert all((path.parent / found.file).is_file() for found in labels)


def test_merging_keeps_both_annotators_and_the_newest_of_each() -> None:
    early, late = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
    old = label(3, "plateau", when=early)
    new = label(3, "none", when=late)
    unknown = label(3, "scope")
    ben = label(3, "plateau", "ben")
    merged = merge([new, label(1)], [ben, old, unknown])
    assert merged == [label(1), new, ben]
    twins = [label(3, id="M1"), label(3, "none", id="N1")]
    assert merge(twins, twins) == twins


def test_the_same_file_is_known_by_its_bytes_else_by_the_end_of_its_path() -> None:
    bytes_ = label(sha256="a" * 64)
    assert same_file(bytes_, label(file="moved/elsewhere.jsonl", sha256="a" * 64))
    assert not same_file(bytes_, label(sha256="b" * 64))
    assert same_file(bytes_, label(file="../data/run.jsonl"))
    assert same_path("s1/events.jsonl", "../home/s1/events.jsonl")
    assert not same_path("s1/events.jsonl", "../home/s2/events.jsonl")
    assert not same_path("..", "..")


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "labels.jsonl"
    write_labels(path, [label()])
    path.chmod(0o640)

    def full(file: int) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(
            StorageError, match=r"could not be written to .* \(No space left on device\)"
        ) as no:
            write_labels(path, [label(), FULL])
    assert no.value.exit_code == 4
    assert read_labels(path) == [label()]
    assert [item.name for item in tmp_path.iterdir()] == ["labels.jsonl"]
    write_labels(path, [FULL])
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.jsonl").write_text("")
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    write_labels(tmp_path / "link.jsonl", [label()])
    assert (tmp_path / "link.jsonl").is_symlink()
    assert read_labels(tmp_path / "real.jsonl") == [label()]
