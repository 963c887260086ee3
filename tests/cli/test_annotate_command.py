"""`kernelseek sessions annotate` without a screen: usage, refusals, comparison."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelseek_tui.cli.annotate import annotate
from sessions.errors import RefusedInput
from sessions.labels import read_labels, write_labels
from tests.sessions.test_labels import OLDER, label


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    ada, ben = tmp_path / "ada.jsonl", tmp_path / "ben.jsonl"
    write_labels(ada, [label(1, layer="host"), label(2, "none", layer="host"), label(3), label(9)])
    write_labels(
        ben,
        [
            label(1, annotator="ben", layer="host"),
            label(2, annotator="ben", layer="kernel"),
            label(3, annotator="ben"),
            label(12, annotator="ben"),
        ],
    )
    return str(ada), str(ben)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(annotate, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_the_comparison_as_text(files: tuple[str, str]) -> None:
    text = run("--compare", *files)
    assert "3 places labelled by both ada and ben; only by ada: 1, only by ben: 1" in text
    assert "kind           3   67 %   0.00" in text
    assert "Fleiss, Cohen and Everitt 1969" in text
    assert "fewer than 30 places" in text
    assert "run.jsonl  entry 2  kind: none | plateau" in text
    assert "run.jsonl  entry 2  layer: host | kernel" in text


def test_the_comparison_as_json(files: tuple[str, str]) -> None:
    found = json.loads(run("--compare", *files, "--json", "--within", "3"))
    assert found["annotators"] == ["ada", "ben"]
    assert found["places"] == 4
    assert found["only"] == [[], []]
    assert found["fields"]["kind"]["n"] == 4
    assert found["fields"]["act"] == {
        "n": 0,
        "agreed": 0,
        "one_sided": 0,
        "kappa": None,
        "low": None,
        "high": None,
    }
    assert found["overall"]["n"] == 6
    assert {row["field"] for row in found["disagreements"]} == {"kind", "layer"}


def test_both_files_are_merged(files: tuple[str, str], tmp_path: Path) -> None:
    run("--compare", *files, "--merged", str(tmp_path / "both.jsonl"))
    merged = read_labels(tmp_path / "both.jsonl")
    assert [(item.where.entry, item.annotator) for item in merged][:3] == [(1, "ada"), (1, "ben"), (2, "ada")]
    both = str(tmp_path / "both.jsonl")
    assert json.loads(run("--compare", both, both, "--json"))["places"] == 3


def test_merging_replaces_no_file(files: tuple[str, str]) -> None:
    before = Path(files[0]).read_bytes()
    result = CliRunner().invoke(annotate, ["--compare", *files, "--merged", files[0]])
    assert result.exit_code == 2
    assert "is there already" in " ".join(result.output.split())
    assert Path(files[0]).read_bytes() == before


def test_a_file_of_two_annotators_is_compared_with_itself(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text(json.dumps(OLDER), encoding="utf-8")
    found = json.loads(run("--compare", str(path), str(path), "--json"))
    assert found["annotators"] == ["first", "second"]
    assert found["places"] == 2


def test_whose_labels_are_meant_must_be_clear(files: tuple[str, str], tmp_path: Path) -> None:
    older = tmp_path / "labels.json"
    older.write_text(json.dumps(OLDER), encoding="utf-8")
    same = tmp_path / "same.jsonl"
    write_labels(same, [label()])
    for pair, what in (
        ((str(older), files[0]), "holds labels by first, second; each file"),
        ((files[0], files[0]), "holds labels by ada; a comparison needs two annotators"),
        ((files[0], str(same)), "Both files hold labels by ada"),
        ((files[0], str(tmp_path / "none")), "cannot be read"),
    ):
        with pytest.raises(RefusedInput, match=what):
            run("--compare", *pair)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ([], "name a transcript to label"),
        (["run.jsonl", "--json"], "are for --compare"),
        (["run.jsonl", "--compare", "a", "b"], "opens no transcript"),
        (["run.jsonl"], "needs a terminal; `kernelseek inspect`"),
    ],
)
def test_what_cannot_be_is_said(arguments: list[str], what: str) -> None:
    result = CliRunner().invoke(annotate, arguments)
    assert result.exit_code == 2
    assert what in " ".join(result.output.split())
