"""`kernelseek detect evaluate`: text, JSON, refusals."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelseek_tui.cli.detect import detect
from sessions.errors import RefusedInput
from sessions.labels import Label, Where, write_labels
from sessions.vocabulary import DecisionKind, Truth


def entry(text: str, at: int) -> dict[str, object]:
    message = {"id": f"m{at}", "role": "assistant", "model": "x", "content": [{"type": "text", "text": text}]}
    return {
        "type": "assistant",
        "message": message,
        "session_id": "s",
        "uuid": f"u{at}",
        "parent_tool_use_id": None,
    }


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    texts = [
        "Reading the CUDA kernel; the benchmark prints speedup.",
        "Let me measure.",
        "The work is done: 3.1x.",
    ]
    (tmp_path / "run.jsonl").write_text(
        "\n".join(json.dumps(entry(text, at)) for at, text in enumerate(texts)) + "\n"
    )
    path = tmp_path / "labels.jsonl"
    done = DecisionKind.CLAIMED_COMPLETION
    write_labels(
        path,
        [
            Label(
                id="m", file="run.jsonl", where=Where(entry=2), kind=done, truth=Truth.WRONG, annotator="ada"
            ),
            Label(id="n", file="run.jsonl", where=Where(entry=0), kind="none", annotator="ada"),
            Label(id="x", file="gone.jsonl", where=Where(entry=0), kind=done, annotator="ada"),
        ],
    )
    return path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(detect, ["evaluate", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_as_json(labels: Path) -> None:
    found = json.loads(run(str(labels), "--json"))
    assert set(found) == {"annotator", "refused", "detectors", "keywords", "tfidf"}
    assert found["detectors"]["wrong"] | {"low": 0, "high": 0} == {
        "hits": 1,
        "total": 1,
        "low": 0,
        "high": 0,
        "missed": [],
    }
    assert found["detectors"]["hard_negatives"]["total"] == 1
    assert [row["file"] for row in found["refused"]] == ["gone.jsonl"]
    assert set(found["detectors"]["kinds"]) == {kind.value for kind in DecisionKind}


def test_as_text(labels: Path) -> None:
    text = run(str(labels), "--no-baselines")
    assert "2 moments and 1 hard negatives by ada in 2 files" in text
    assert "not read: gone.jsonl" in text
    assert "proved wrong   1 of 1" in text
    assert "keywords" not in text


def test_transcripts_elsewhere(labels: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved" / "labels.jsonl"
    moved.parent.mkdir()
    moved.write_bytes(labels.read_bytes())
    assert "proved wrong   1 of 1" in run(str(moved), "--no-baselines", "--root", str(tmp_path))
    with pytest.raises(RefusedInput, match="none of the transcripts"):
        run(str(moved), "--no-baselines")


def test_refusals(tmp_path: Path, labels: Path) -> None:
    with pytest.raises(RefusedInput, match="cannot be read"):
        run(str(tmp_path / "missing.jsonl"))
    with pytest.raises(RefusedInput, match="eve"):
        run(str(labels), "--annotator", "eve")
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    with pytest.raises(RefusedInput, match="holds no labels"):
        run(str(empty))
