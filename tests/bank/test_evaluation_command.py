"""`kernelseek bank evaluate-ranking` and the section of docs/ranking.md: text, JSON, refusals."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bank.bank import Bank
from bank.evaluation.folding import fold_states
from bank.evaluation.labels import read_states
from bank.evaluation.report import report_of
from bank.ranking import rank
from benchmarks.ranking import BEGIN, END, PAGE, section_of, with_section
from kernelseek_tui.cli.bank.group import bank
from sessions.archive.finding import by_id
from sessions.errors import RefusedInput
from sessions.state import SessionState
from sessions.transcript import TranscriptStream
from sessions.vocabulary import DecisionKind
from tests.bank.test_evaluation_folding import REHEARSAL, write_run

GONE = "gone\x1b[31m.jsonl"


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(bank, ["evaluate-ranking", *map(str, arguments)], catch_exceptions=False)


def _listed(place: int) -> list[str]:
    """The groups that are ranked at an entry of the bundled session, by another way than the command's."""
    path = by_id(REHEARSAL)
    assert path is not None
    state, stream = SessionState(), TranscriptStream(path)
    for event in stream:
        if stream.accounts[0].entries - 1 > place:
            break
        state.apply(event)
    return [s.group for s in rank(Bank.load(), state, DecisionKind.PLATEAU)]


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    write_run(tmp_path / "run.jsonl", "Reading the kernel.", "No more to be had: the limit is reached.")
    listed = _listed(60)
    base: dict[str, Any] = {"layers": ["host"], "task": "attention", "source": "rehearsal", "file": REHEARSAL}
    states = [
        base | {"id": "first", "where": {"entry": 60}, "kind": "plateau", "groups": [listed[0]]},
        base | {"id": "third", "where": {"entry": [9, 60]}, "kind": "plateau", "groups": [listed[2]]},
        {
            "id": "other",
            "file": "run.jsonl",
            "where": {"line": 2},
            "kind": "claimed_limit",
            "groups": ["limits-hypotheses-and-process"],
            "layers": ["process"],
            "next_gain": {"entry": 1, "layer": "process"},
        },
        {
            "id": "nothing",
            "file": "run.jsonl",
            "where": {"entry": 0},
            "kind": "none",
            "groups": ["scope-and-triage"],
        },
        {
            "id": "x",
            "file": "gone\x1b[31m.jsonl",
            "where": {"entry": 0},
            "kind": "scope",
            "groups": [listed[0]],
        },
    ]
    path = tmp_path / "states.json"
    path.write_text(json.dumps({"states": states}))
    return path


def test_as_json(labels: Path) -> None:
    found = json.loads(_run(labels, "--json").stdout)
    assert (found["states"], found["sessions"], found["kind_none"]) == (4, 2, ["nothing"])
    assert [one["file"] for one in found["refused"]] == [GONE]
    cases = {case["id"]: case for case in found["cases"]}
    assert [place["group"] for place in cases["first"]["top"]] == _listed(60)
    assert (cases["first"]["ranks"]["group"], cases["third"]["ranks"]["group"]) == (1, 3)
    ranker = found["methods"]["ranker"]["group"]
    assert (ranker["known_kinds"]["states"], ranker["all"]["states"]) == (3, 4)
    hits = sum(cases[name]["ranks"]["group"] == 1 for name in ("first", "third", "other"))
    assert ranker["known_kinds"]["hit@1"]["hits"] == hits
    assert found["methods"]["ranker"]["layer"]["all"]["states"] == 3  # one label has no layers
    assert "low" not in found["methods"]["chance"]["group"]["known_kinds"]["hit@3"]
    assert set(found["splits"]["task"]) == {"attention", "run"}
    assert found["splits"]["session"][REHEARSAL]["hit@3"]["hits"] == 2
    assert found["next_gain"]["cases"][-1]["layer"] == "process"
    assert not found["next_gain"]["cases"][-1]["derived"]


def test_as_text(labels: Path) -> None:
    result = _run(labels)
    assert result.stdout.startswith("4 states in 2 sessions, 3 of a known kind, 1 of kind none; bank ")
    assert "not read: gone␛[31m.jsonl: " in result.stdout
    assert "\x1b" not in result.stdout
    for name in ("ranker", "chance", "random entries", "most frequent of kind", "most frequent"):
        assert f"\n  {name:<26}     3  " in result.stdout
    assert "states of kind none among them" in result.stdout
    assert f"\n  {REHEARSAL}  " in result.stdout
    assert "named by the first three" in result.stdout
    assert "place of the first wanted" not in result.stdout
    assert not result.stderr


def test_cases_and_no_baselines(labels: Path) -> None:
    text = _run(labels, "--cases", "--no-baselines").stdout
    assert "random entries" not in text
    assert "  chance  " in text
    assert f"first  plateau  after entry 60 of {REHEARSAL}" in text
    assert "(place of the first wanted: group 1, " in text
    assert f"{_listed(60)[0]}*" in text


def test_another_root_and_another_bank(labels: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (tmp_path / "run.jsonl").rename(away / "run.jsonl")
    assert json.loads(_run(labels, "--json").stdout)["states"] == 2
    assert json.loads(_run(labels, "--root", away, "--json").stdout)["states"] == 4
    small = tmp_path / "bank"
    small.mkdir()
    kept = (Path(__file__).parents[2] / "bank" / "entries" / "host-and-launch-path.yaml").read_bytes()
    (small / "host.yaml").write_bytes(kept)
    found = json.loads(_run(labels, "--root", away, "--bank", small, "--json").stdout)
    groups = {place["group"] for case in found["cases"] for place in case["top"]}
    assert groups == {"host-and-launch-path"}
    assert "other" in found["out_of_reach"]


def test_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text("{}")
    with pytest.raises(RefusedInput, match="holds no labelled states"):
        _run(path)
    state = {
        "id": "a",
        "file": "gone.jsonl",
        "where": {"entry": 0},
        "kind": "scope",
        "groups": ["scope-and-triage"],
    }
    path.write_text(json.dumps({"states": [state]}))
    with pytest.raises(RefusedInput, match=r"none of the sessions it names can be read; the first: .*gone"):
        _run(path)


def test_the_section_says_what_the_command_says(labels: Path) -> None:
    states, refused = fold_states(read_states(labels), labels.parent)
    loaded = Bank.load()
    text = "\n".join(section_of("made", report_of(states, loaded), len(refused)))
    printed = " ".join(_run(labels).stdout.split())
    row = next(line for line in text.splitlines() if line.startswith("| ranker |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert " ".join(["ranker", "3", *cells[1:]]) in printed
    assert "Sessions not read: 1." in text
    assert f"Bank {loaded.version}." in text


def test_only_the_section_of_the_page_changes() -> None:
    page = PAGE.read_text(encoding="utf-8")
    made = with_section(page, "### new\n")
    assert made.partition(BEGIN)[0] == page.partition(BEGIN)[0]
    assert made.partition(END)[2] == page.partition(END)[2]
    assert with_section(made, "### new\n") == made
    assert "### new" in made
    with pytest.raises(ValueError, match="no marks"):
        with_section("# A page\n", "x")
