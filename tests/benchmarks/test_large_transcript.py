import json
from pathlib import Path

import pytest

from benchmarks.large_transcript import inspected
from benchmarks.made_transcripts import SHAPES, write


@pytest.mark.parametrize("shape", SHAPES)
def test_a_made_transcript_has_the_size_that_was_asked_for(shape: str, tmp_path: Path) -> None:
    path, again = tmp_path / "x.jsonl", tmp_path / "y.jsonl"
    lines = write(shape, path, 300_000)
    rows = path.read_text().splitlines()
    assert len(rows) == lines
    assert 300_000 <= path.stat().st_size < 300_000 + max(map(len, rows)) + 1
    assert all(isinstance(json.loads(row), dict) for row in rows)
    write(shape, again, 300_000)
    assert again.read_bytes() == path.read_bytes()


def test_the_command_is_run_in_a_child_and_measured(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write("small", path, 20_000)
    run = inspected(path)
    assert run.exit_code == 0
    assert run.peak > 10_000_000
    assert run.processor > 0
    assert inspected(tmp_path / "none").exit_code == 3
