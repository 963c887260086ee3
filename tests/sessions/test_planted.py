"""No place of any event is passed over: a secret planted in all of them is in none of the lines written."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions import events as ev
from sessions.archive.exporting import export
from sessions.archive.redactor import Redactor
from sessions.clean import Cleaner
from sessions.home import JOURNAL
from sessions.journal import Journal
from sessions.transcript import open_transcript
from tests.sessions.planted import planted, strings

FAKE = "a1B2" * 12
KEYS = [f"ghp_{FAKE[:36]}", f"sk-ant-api03-{FAKE}", f"glpat-{FAKE[:20]}"]
PERSONAL = ["/home/annika/rows", "annika.lee@corp.io", "%2Fhome%2Fannika%2Frows", "annika%40corp.io"]


def test_every_place_is_planted() -> None:
    events = planted("X")
    assert {event.kind for event in events[:-1]} == {model.model_fields["kind"].default for model in ev.KNOWN}
    evaluation = next(event for event in events if isinstance(event, ev.Evaluation))
    assert evaluation.scenarios[0].id == "X"


@given(st.sampled_from(KEYS), st.sampled_from(["", "row ", "/x/", '"']), st.sampled_from(["", " end", '"']))
@settings(max_examples=15, deadline=None)
def test_no_key_is_left_anywhere(key: str, before: str, after: str) -> None:
    for cleaner in (Cleaner(), Cleaner((key,)), Redactor()):
        for event in planted(before + key + after):
            line = ev.dump_event(cleaner.event(event))
            assert not [text for text in strings(json.loads(line)) if key[6:] in text], line
            ev.parse_event(line)


@pytest.mark.parametrize("personal", PERSONAL)
def test_nothing_personal_is_left_by_an_export(personal: str) -> None:
    redactor = Redactor()
    events = planted(personal)
    for event in events:
        redactor.learn_event(event)
    for event in events:
        line = ev.dump_event(redactor.event(event))
        assert "annika" not in line
        ev.parse_event(line)


def test_from_a_journal_to_its_export(tmp_path: Path) -> None:
    secret = KEYS[0]
    with Journal(tmp_path / "s", secrets=()) as journal:
        for event in planted(f"{secret} /home/annika"):
            journal.append(event.model_copy(update={"id": f"{secret}-{event.kind}", "parent": None}))
            assert journal.holds(f"{secret}-{event.kind}")
    assert secret not in (tmp_path / "s" / JOURNAL).read_text()
    export(tmp_path / "s" / JOURNAL, tmp_path / "x.jsonl", "jsonl", Redactor())
    written = (tmp_path / "x.jsonl").read_text()
    assert secret not in written
    assert "annika" not in written
    assert len(open_transcript(tmp_path / "x.jsonl").events) == len(ev.KNOWN) + 1


def test_answers_still_find_what_they_answer() -> None:
    one, two = f"{KEYS[0]}-1", f"{KEYS[0]}-2"
    cleaner = Cleaner()
    first = cleaner.event(ev.Note(id=one, text="a"))
    second = cleaner.event(ev.Note(id=two, parent=one, text="b"))
    assert second.parent == first.id != second.id
    assert KEYS[0] not in first.id
    assert cleaner.event(first) == first
    point = ev.Evidence(event=one, quote="q")
    assert cleaner.event(point).event == first.id


def test_keys_that_become_the_same_are_all_kept() -> None:
    call = ev.ToolCall(id="e1", call="c", tool="t", input={KEYS[0]: 1, f"ghp_{FAKE[4:40]}x": 2})
    assert Cleaner().event(call).input == {"[github-token]": 1, "[github-token]-2": 2}
