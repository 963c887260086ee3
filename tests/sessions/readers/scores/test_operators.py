"""Journals with interleaved operators: a series each, and no ratio for what is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from sessions import events as ev
from sessions.state import fold
from sessions.transcript import open_transcript
from tests.cases import CASES, needs_cases


def row(**changes: Any) -> dict[str, Any]:
    good = {
        "node_id": "n1",
        "arm": "beam",
        "operator": "rope",
        "strategy": "seed",
        "correct": True,
        "error_type": "",
        "error_msg": "",
        "pytorch_ms": 2.0,
        "triton_ms": 0.5,
        "speedup": 4.0,
        "bw_utilization": 0.5,
        "max_abs_err": 0.001,
    }
    return good | changes


def read(tmp_path: Path, *rows: dict[str, Any]) -> list[ev.Evaluation]:
    path = tmp_path / "journal.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    transcript = open_transcript(path)
    assert str(transcript.format) == "operator-journal"
    return [event for event in transcript.events if isinstance(event, ev.Evaluation)]


def test_a_right_row(tmp_path: Path) -> None:
    (found,) = read(tmp_path, row())
    assert (found.source_kind, found.counts) == ("parsed", False)
    assert (found.status, found.geomean, found.correct, found.total) == ("CORRECT", 4.0, 1, 1)
    assert (found.scenario_set, found.baseline) == ("beam/rope", "pytorch")
    (scenario,) = found.scenarios
    assert (scenario.baseline_ns, scenario.candidate_ns, scenario.bound_ns) == (2e6, 5e5, 2.5e5)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"correct": False, "error_type": "wrong_output", "speedup": 8.4}, "WRONG"),
        ({"correct": False, "error_type": "", "speedup": 8.4}, "WRONG"),
        ({"correct": False, "error_type": "cheat", "speedup": 0.0, "triton_ms": 0.0}, "POLICY"),
        ({"correct": True, "error_type": "runtime", "speedup": 0.0}, "CRASH"),
        ({"correct": True, "speedup": 0.0}, "NOT_RUN"),
        ({"correct": False, "error_type": "something new", "speedup": 3.0}, "WRONG"),
    ],
)
def test_what_is_not_right_has_no_ratio(tmp_path: Path, changes: dict[str, Any], status: str) -> None:
    (found,) = read(tmp_path, row(**changes))
    assert (found.status, found.geomean, found.scenarios[0].ratio) == (status, None, None)


def test_the_words_of_a_wrong_row_keep_its_number(tmp_path: Path) -> None:
    (found,) = read(tmp_path, row(correct=False, error_type="wrong_output", speedup=8.4, bw_utilization=4.35))
    assert "8.4x does not count" in found.detail
    assert "4.35 of peak" in found.detail


def test_why_is_a_note_behind_its_row(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text(json.dumps(row(error_msg="x" * 5_000 + "at the end")) + "\n")
    started, found, note = open_transcript(path).events
    assert isinstance(started, ev.SessionStarted)
    assert isinstance(note, ev.Note)
    assert note.parent == found.id
    assert note.text.startswith("seed")
    assert note.text.endswith("at the end")
    assert len(note.text) < 500


def test_operators_are_series_of_their_own(tmp_path: Path) -> None:
    rows = [row(operator=name, speedup=value) for name, value in [("a", 9.0), ("b", 1.0), ("b", 1.5)]]
    path = tmp_path / "journal.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    state = fold(open_transcript(path).events)
    assert [seen.event.geomean for seen in state.series] == [1.0, 1.5]
    assert state.best is not None
    assert state.best.event.geomean == 1.5


@needs_cases
def test_recorded_journals() -> None:
    assert CASES is not None
    counts = {}
    for path in sorted((CASES / "traces" / "scores").glob("F[34]*journal.jsonl")):
        transcript = open_transcript(path)
        state = fold(transcript.events)
        scored = sum(seen.event.geomean is not None for seen in state.evaluations)
        sets = {seen.event.scenario_set for seen in state.evaluations}
        counts[path.name[:3]] = (transcript.entries, len(state.evaluations), scored, len(sets))
        assert transcript.read == transcript.entries
    assert counts == {"F39": (164, 164, 119, 7), "F40": (138, 138, 69, 12), "F41": (14, 14, 9, 1)}
