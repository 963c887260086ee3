from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from kernelseek_tui.annotate.desk import About, Desk
from kernelseek_tui.annotate.places import Places, blinded, said
from kernelseek_tui.hindsight import Moment
from sessions import events as ev
from sessions.errors import StorageError
from sessions.labels import Label
from sessions.vocabulary import DecisionKind
from tests.sessions.test_labels import label

ABOUT = About("run.jsonl", "a" * 64, "ada")
START = datetime(2026, 1, 2, tzinfo=UTC)


def source(line: int, file: str = "run.jsonl") -> ev.Source:
    return ev.Source(file=file, line=line)


EVENTS: list[ev.AnyEvent] = [
    ev.HumanMessage(id="l0", text="go", source=source(0)),
    ev.AgentText(id="l1", text="done", source=source(1)),
    ev.ToolCall(id="l1.1", call="c", tool="Bash", source=source(1)),
    ev.AgentText(id="a:l1", text="sub", source=source(1, "agent-a.jsonl")),
    ev.HumanMessage(id="l4", text="why?", source=source(4)),
    ev.AgentText(id="l5", text="because", source=source(5)),
]


class Disk:
    """What was saved, newest last; full when told so."""

    def __init__(self) -> None:
        self.saved: list[list[Label]] = []
        self.full = False

    def __call__(self, labels: Sequence[Label]) -> None:
        if self.full:
            raise StorageError("The labels could not be written.")
        self.saved.append(list(labels))


def desk(disk: Disk, kept: Sequence[Label] = (), journal: bool = False) -> Desk:
    places = Places("run.jsonl", journal)
    for index, event in enumerate(EVENTS):
        places.take(event, index)
    times = iter(START + timedelta(minutes=minute) for minute in range(99))
    made = Desk(ABOUT, places, kept, disk, clock=lambda: next(times))
    made.candidates = places.candidates([raised("l1")])
    made.place()
    return made


def raised(event: str) -> Moment:
    evidence = (ev.Evidence(event=event, quote="done"),)
    decision = ev.DecisionPoint(
        id="d", decision=DecisionKind.CLAIMED_COMPLETION, evidence=evidence, confidence=1, reason=""
    )
    return Moment(5, decision, ())


def fill(made: Desk, index: int, keys: str) -> None:
    for key in keys:
        answered = made.begin(index, said(EVENTS[index])).choose(key)
        assert answered is not None
        made.change(answered)


def test_candidates_are_messages_and_what_raised_a_flag() -> None:
    assert desk(Disk()).candidates == [0, 1, 4]


def test_a_label_is_saved_with_its_place_and_who_made_it() -> None:
    disk = Disk()
    made = desk(disk)
    fill(made, 3, "34613")
    assert disk.saved == []
    assert made.keep() == 3
    (saved,) = disk.saved[-1]
    assert saved.where.model_dump(exclude_defaults=True) == {
        "entry": 1,
        "event": "a:l1",
        "part": "agent-a.jsonl",
    }
    assert (saved.file, saved.sha256, saved.annotator) == ("run.jsonl", "a" * 64, "ada")
    assert (saved.kind, saved.certainty, saved.when) == (DecisionKind.CLAIMED_LIMIT, 3, START)
    assert not made.unsaved


def test_other_transcripts_labels_stay_as_they_are() -> None:
    disk = Disk()
    other = label(1, file="other.jsonl")
    lost = label(99, note="no such entry any more")
    moved = label(5, file="before/it/moved.jsonl", sha256="a" * 64)
    made = desk(disk, [other, lost, moved])
    assert made.labels == {5: moved}
    fill(made, 1, "02")
    made.keep()
    assert disk.saved[-1][:2] == [other, lost]
    assert [item.where.entry for item in disk.saved[-1][2:]] == [1, 5]


def test_labels_find_their_events_by_id_else_by_entry() -> None:
    by_id = label(1, where={"entry": 77, "event": "l1.1"})
    by_entry = label(1)
    part = label(1, where={"entry": 1, "part": "agent-a.jsonl"})
    assert desk(Disk(), [by_id, by_entry, part]).labels == {2: by_id, 1: by_entry, 3: part}


def test_two_labels_of_one_event_are_both_kept() -> None:
    disk = Disk()
    made = desk(disk, [label(1), label(1, "none", note="twin")])
    fill(made, 4, "02")
    made.keep()
    assert len(disk.saved[-1]) == 3


def test_a_journals_lines_are_its_events() -> None:
    made = desk(Disk(), journal=True)
    assert [made.places.where(index).entry for index in range(6)] == [0, 1, 2, 3, 4, 5]
    assert made.places.where(3).part is None


def test_undo_takes_back_answers_then_labels() -> None:
    disk = Disk()
    made = desk(disk)
    fill(made, 1, "02")
    made.keep()
    fill(made, 1, "2")
    assert made.undo() == 1
    assert not made.unsaved
    fill(made, 4, "02")
    made.keep()
    assert made.undo() == 4
    assert [item.where.entry for item in disk.saved[-1]] == [1]
    assert made.undo() == 1
    assert disk.saved[-1] == []
    assert made.undo() is None


def test_undo_brings_a_replaced_and_a_removed_label_back() -> None:
    made = desk(Disk(), [label(1)])
    fill(made, 1, "0")
    made.keep()
    assert made.labels[1].kind == "none"
    made.undo()
    assert made.labels == {1: label(1)}
    assert made.remove(1)
    assert not made.remove(1)
    made.undo()
    assert made.labels == {1: label(1)}


def test_a_full_disk_keeps_the_draft_and_every_label() -> None:
    disk = Disk()
    made = desk(disk, [label(5)])
    fill(made, 1, "2")
    disk.full = True
    with pytest.raises(StorageError):
        made.keep()
    assert made.unsaved
    assert made.labels == {5: label(5)}
    with pytest.raises(StorageError):
        made.remove(5)
    assert made.labels == {5: label(5)}
    disk.full = False
    assert made.keep() == 1
    disk.full = True
    with pytest.raises(StorageError):
        made.undo()
    disk.full = False
    assert made.undo() == 1


def test_a_draft_stays_with_its_event_until_it_is_dropped() -> None:
    made = desk(Disk())
    fill(made, 1, "2")
    assert made.at == 1
    assert made.drop()
    assert not made.drop()
    assert made.begin(4, True).empty


def test_opening_a_field_is_nothing_to_lose() -> None:
    made = desk(Disk())
    made.change(made.begin(1, False).open("truth"))
    assert not made.unsaved


def test_labelling_goes_on_after_the_newest_label() -> None:
    assert desk(Disk()).resume() == 0
    newest = label(1, when=START)
    assert desk(Disk(), [newest, label(5, when=START - timedelta(days=1))]).resume() == 4
    assert desk(Disk(), [label(4, when=START), label(1)]).resume() == 0
    assert desk(Disk(), [label(0), label(1), label(4)]).resume() is None


def test_candidates_before_and_after() -> None:
    made = desk(Disk(), [label(4)])
    assert [made.next_candidate(1, 1), made.next_candidate(1, -1), made.next_candidate(4, 1)] == [4, 0, None]
    assert [made.next_unlabelled(0), made.next_unlabelled(1)] == [1, 0]
    assert made.left() == [0, 1]


def test_the_blind_see_nothing_of_detectors() -> None:
    decision = raised("l1").decision
    hidden = [
        decision,
        ev.Claim(id="c", claim="limit", quote="x"),
        ev.SuggestionsShown(id="s", suggestions=(), bank_version="1"),
        ev.SuggestionDismissed(id="x"),
        ev.Note(id="n", text="Not asked: cool-down."),
    ]
    assert [blinded(event) for event in hidden] == [None] * len(hidden)
    asked = ev.QuestionAsked(id="q", questioner="bank", text="Why?", entry="kq-1", parent="d")
    shown = blinded(asked)
    assert isinstance(shown, ev.QuestionAsked)
    assert (shown.text, shown.entry, shown.parent) == ("Why?", None, None)
    assert all(blinded(event) is event for event in EVENTS)
