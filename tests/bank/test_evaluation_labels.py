"""Labelled states: the shapes that are read, which place counts, what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from bank.evaluation.labels import Gain, LabelledState, read_states, task_of
from bank.question import Group
from sessions.errors import RefusedInput
from sessions.vocabulary import DecisionKind, Layer
from tests.cases import CASES, needs_cases

STATE: dict[str, Any] = {
    "id": "a",
    "file": "runs/a.jsonl",
    "where": {"entry": [3]},
    "kind": "plateau",
    "groups": ["host-and-launch-path", "scope-and-triage"],
    "layers": ["host"],
    "why": "for people",
}


def _write(folder: Path, document: object) -> Path:
    path = folder / "states.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def _one(folder: Path, **changes: Any) -> LabelledState:
    (state,) = read_states(_write(folder, {"note": "", "states": [STATE | changes]}))
    return state


def test_a_state(tmp_path: Path) -> None:
    assert _one(tmp_path) == LabelledState(
        "a",
        "runs/a.jsonl",
        3,
        DecisionKind.PLATEAU,
        (Group.HOST, Group.SCOPE),
        (Layer.HOST,),
        "a",
    )


@pytest.mark.parametrize(
    ("where", "place"),
    [
        ({"entry": 7}, 7),
        ({"entry": [93, 80]}, 93),
        ({"line": [201]}, 200),
        ({"line": 1}, 0),
        ({"row": [3, 4, 5]}, 5),
        ({"entry": 4, "line": 9, "row": [2]}, 8),
    ],
)
def test_the_last_place_counts(tmp_path: Path, where: object, place: int) -> None:
    assert _one(tmp_path, where=where).place == place


def test_what_may_be_added(tmp_path: Path) -> None:
    found = _one(
        tmp_path,
        kind="none",
        layers=[],
        task="softmax",
        source="rehearsal",
        next_gain={"entry": 9, "layer": "routing"},
    )
    assert (found.kind, found.layers, found.task, found.rehearsed) == (None, (), "softmax", True)
    assert found.next_gain == Gain(Layer.ROUTING, 9)
    looked = _one(tmp_path, next_gain=None, source="traces")
    assert (looked.next_gain, looked.no_gain) == (None, True)
    assert not found.no_gain
    assert not _one(tmp_path).no_gain


def test_the_state_of_a_case_is_that_before_its_question(tmp_path: Path) -> None:
    case = {
        "file": "case.jsonl",
        "question_entry": 12,
        "decision_kind": "claimed_limit",
        "acceptable_groups": ["bounds-and-differencing"],
        "layers": ["host"],
        "published_question": "not looked at",
    }
    (found,) = read_states(_write(tmp_path, {"cases": [case]}))
    assert (found.place, found.kind, found.groups) == (11, DecisionKind.CLAIMED_LIMIT, (Group.BOUNDS,))
    (first,) = read_states(_write(tmp_path, {"cases": [case | {"question_entry": 0}]}))
    assert first.place == -1


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"where": {}}, r"states\[0\] is no labelled state: where names no entry"),
        ({"where": {"line": [0]}}, r"where\.line"),
        ({"where": {"entry": [-1]}}, r"where\.entry"),
        ({"where": {"entry": True}}, r"where\.entry"),
        ({"kind": "despair"}, "kind"),
        ({"groups": []}, "groups"),
        ({"groups": ["host"]}, r"groups\.0"),
        ({"layers": ["gpu"]}, r"layers\.0"),
        ({"id": ""}, "id"),
        ({"next_gain": {"layer": "gpu"}}, r"next_gain\.layer"),
    ],
)
def test_what_is_no_state_is_refused_with_its_place(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    with pytest.raises(RefusedInput, match=told):
        _one(tmp_path, **changes)


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ([], "no object with a list"),
        ({"positives": []}, "no object with a list"),
        ({"states": []}, "its list is empty"),
        ({"states": [STATE, STATE]}, "two states with the id 'a'"),
        ({"states": ["a"]}, r"states\[0\]"),
    ],
)
def test_what_holds_no_states_is_refused(tmp_path: Path, document: object, told: str) -> None:
    with pytest.raises(RefusedInput, match=told):
        read_states(_write(tmp_path, document))


def test_no_json_and_no_file(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_bytes(b'{"a": 1}\n{"b": 2}\n')
    with pytest.raises(RefusedInput, match="not one JSON document"):
        read_states(path)
    path.write_bytes(b"\xff\xfe\x00{")
    with pytest.raises(RefusedInput, match="not one JSON document"):
        read_states(path)
    path.write_text("[" * 200_000)
    with pytest.raises(RefusedInput, match="not one JSON document"):
        read_states(path)
    with pytest.raises(RefusedInput, match="cannot be read"):
        read_states(tmp_path / "gone.json")


def test_tasks_by_name() -> None:
    assert task_of("x/20260428_110049_kimi_k2.6_03_paged_attention.jsonl") == "03_paged_attention"
    assert task_of("scores/F39_interleaved.jsonl") == "F39_interleaved"
    assert task_of("rehearsed-attention-bank") == "rehearsed-attention-bank"


@needs_cases
def test_the_recorded_labels_are_read() -> None:
    assert CASES is not None
    assert len(read_states(CASES / "study" / "study_labels.json")) == 4
    traces = read_states(CASES / "traces" / "ranking_labels.json")
    assert len(traces) == 37
    assert next(state.place for state in traces if state.id == "M27") == 200
