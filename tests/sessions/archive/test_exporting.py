"""An export is redacted and opens."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sessions import events as ev
from sessions.archive.exporting import export
from sessions.archive.redactor import Redactor
from sessions.errors import RefusedInput
from sessions.home import JOURNAL
from sessions.transcript import open_transcript
from tests.sessions.archive.recorded import evaluation, record, started

NOW = datetime(2026, 12, 29, tzinfo=UTC)
FAKE = "a1B2" * 12


def test_an_export_is_redacted_and_opens(tmp_path: Path) -> None:
    folder = record(
        "s1",
        [
            started(cwd="/home/ann/kernel", candidate="/home/ann/kernel/candidate.cpp"),
            ev.ToolResult(id="", call="c", output="ann@gpu-07:~/w$ ls\n/scratch/ann"),
            evaluation(),
        ],
    )
    told = export(folder / JOURNAL, tmp_path / "x.jsonl.xz", "xz", Redactor())
    found = open_transcript(tmp_path / "x.jsonl.xz")
    assert found.format.name == "kernelseek"
    before = open_transcript(folder)
    assert [event.id for event in found.events] == [event.id for event in before.events]
    assert found.events[0].cwd == "~/kernel"  # type: ignore[union-attr]
    assert found.events[1].output == "user1@host1:~/w$ ls\n/scratch/user1"  # type: ignore[union-attr]
    assert told.redacted == {"home path": 2, "user name": 2, "host name": 1}
    assert told.sha256 == hashlib.sha256((tmp_path / "x.jsonl.xz").read_bytes()).hexdigest()
    assert told.events == 3


def test_a_damaged_line_is_left_out_and_told(tmp_path: Path) -> None:
    folder = record("s1", [started()])
    with (folder / JOURNAL).open("ab") as file:
        file.write(f"{{broken /home/ann sk-{FAKE}}}\n".encode())
    told = export(folder / JOURNAL, tmp_path / "x.jsonl", "jsonl", Redactor())
    assert told.damaged == 1
    assert FAKE not in (tmp_path / "x.jsonl").read_text()
    assert [event.kind for event in open_transcript(tmp_path / "x.jsonl").events] == [
        "session_started",
        "reader_problem",
    ]


def test_what_is_no_transcript_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("words")
    with pytest.raises(RefusedInput):
        export(tmp_path / "x", tmp_path / "y", "gz", None)
    assert not (tmp_path / "y").exists()
