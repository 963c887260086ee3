"""Folding to places: nothing later is known, each file is read once, what cannot be read is named."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bank.evaluation import folding
from bank.evaluation.folding import FoldedState, fold_states
from bank.evaluation.labels import Gain, LabelledState
from bank.question import Group
from sessions.archive.finding import BUNDLED
from sessions.events import AnyEvent
from sessions.state import SessionState, fold
from sessions.transcript import TranscriptStream
from sessions.vocabulary import DecisionKind, Layer

REHEARSAL = "rehearsed-attention-bank"


def said(text: str, at: int) -> dict[str, object]:
    message = {"id": f"m{at}", "role": "assistant", "model": "x", "content": [{"type": "text", "text": text}]}
    return {
        "type": "assistant",
        "message": message,
        "session_id": "s",
        "uuid": f"u{at}",
        "parent_tool_use_id": None,
    }


def write_run(path: Path, *texts: str) -> None:
    path.write_text("\n".join(json.dumps(said(text, at)) for at, text in enumerate(texts)) + "\n")


def label(id_: str, file: str, place: int, gain: Gain | None = None) -> LabelledState:
    return LabelledState(
        id_, file, place, DecisionKind.PLATEAU, (Group.HOST,), (Layer.HOST,), file, next_gain=gain
    )


def _texts(one: FoldedState) -> list[str]:
    return [seen.event.text for seen in one.state.texts]


def test_a_state_knows_its_place_and_nothing_later(tmp_path: Path) -> None:
    write_run(tmp_path / "run.jsonl", "one", "two", "three")
    labels = [
        label("c", "run.jsonl", 2),
        label("a", "run.jsonl", 0),
        label("none", "run.jsonl", -1),
        label("b", "run.jsonl", 1),
    ]
    states, refused = fold_states(labels, tmp_path)
    assert not refused
    assert [_texts(one) for one in states] == [["one", "two", "three"], ["one"], [], ["one", "two"]]
    assert [one.label.id for one in states] == ["c", "a", "none", "b"]


@pytest.mark.parametrize("place", [0, 20, 44, 86])
def test_a_state_equals_one_folded_up_to_there(place: int) -> None:
    (one,), _ = fold_states([label("a", REHEARSAL, place)], Path("nowhere"))
    stream = TranscriptStream(BUNDLED / f"{REHEARSAL}.jsonl.xz")
    events: list[AnyEvent] = []
    for event in stream:
        if stream.accounts[0].entries - 1 > place:
            break
        events.append(event)
    assert events
    assert one.state == fold(events)


def test_each_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    class Counting(TranscriptStream):
        def __init__(self, path: Path) -> None:
            opened.append(path.name)
            super().__init__(path)

    monkeypatch.setattr(folding, "TranscriptStream", Counting)
    write_run(tmp_path / "a.jsonl", "one", "two")
    write_run(tmp_path / "b.jsonl", "one")
    labels = [label("1", "a.jsonl", 0), label("2", "b.jsonl", 0), label("3", "a.jsonl", 1)]
    told: list[tuple[int, int, str]] = []
    states, _ = fold_states(labels, tmp_path, progress=lambda *where: told.append(where))
    assert len(states) == 3
    assert opened == ["a.jsonl", "b.jsonl"]
    assert told == [(1, 2, "a.jsonl"), (2, 2, "b.jsonl")]


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    write_run(tmp_path / "run.jsonl", "one")
    (tmp_path / "prose.txt").write_text("no session\n")
    labels = [
        label("a", "run.jsonl", 0),
        label("b", "gone.jsonl", 0),
        label("c", "prose.txt", 0),
    ]
    states, refused = fold_states(labels, tmp_path)
    assert [one.label.id for one in states] == ["a"]
    assert set(refused) == {"gone.jsonl", "prose.txt"}


def test_a_place_behind_the_end_is_a_wrong_file(tmp_path: Path) -> None:
    write_run(tmp_path / "run.jsonl", "one")
    states, refused = fold_states([label("a", "run.jsonl", 0), label("b", "run.jsonl", 1)], tmp_path)
    assert not states
    assert "has 1 entries, and b names entry 1" in refused["run.jsonl"]


class _Finder:
    """Says that the next event after any is a gain."""

    def __init__(self) -> None:
        self.taken = 0

    def take(self, state: SessionState, event: AnyEvent) -> None:
        assert state.count == self.taken + 1  # right after the state took it in
        self.taken += 1

    def after(self, state: SessionState, index: int) -> tuple[Layer, int] | None:
        assert state.count == self.taken  # the whole session
        return (Layer.MEMORY, index + 1) if index + 1 < state.count else None


def _gains(labels: Sequence[LabelledState], root: Path) -> list[Gain | None]:
    return [one.next_gain for one in fold_states(labels, root, _Finder)[0]]


def test_the_next_gain_is_the_annotators_or_found(tmp_path: Path) -> None:
    write_run(tmp_path / "run.jsonl", "one", "two", "three")
    given = Gain(Layer.ROUTING, 2)
    labels = [
        label("a", "run.jsonl", 0, given),
        label("b", "run.jsonl", 0),
        label("c", "run.jsonl", 2),
        replace(label("d", "run.jsonl", 0), no_gain=True),
    ]
    assert _gains(labels, tmp_path) == [given, Gain(Layer.MEMORY, 1, derived=True), None, None]
    assert [one.next_gain for one in fold_states(labels, tmp_path)[0]] == [given, None, None, None]


def test_a_file_name_that_no_path_can_be_is_one_sentence(tmp_path: Path) -> None:
    labels = [label("long", "x" * 5_000, 0), label("null", "a\0b", 0)]
    states, refused = fold_states(labels, tmp_path)
    assert states == []
    assert all("and no path is that" in why and len(why) < 200 for why in refused.values())
    assert len(refused) == 2
