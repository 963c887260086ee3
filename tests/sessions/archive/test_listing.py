"""A list shows every session, the damaged ones among them."""

import json
from datetime import UTC, datetime, timedelta

from sessions import events as ev
from sessions.archive.finding import own_sessions
from sessions.archive.listing import all_rows, own_row
from sessions.home import JOURNAL, sessions_folder
from sessions.journal import Journal
from tests.sessions.archive.recorded import BEGAN, evaluation, record, started

NOW = datetime(2026, 12, 29, tzinfo=UTC)
FAKE = "a1B2" * 12


def test_a_row_says_what_the_journal_holds() -> None:
    events: list[ev.AnyEvent] = [
        started(questioner="bank", operator="attention", workspace="/w"),
        evaluation(2.0),
        evaluation(3.0, evaluation="v2"),
        evaluation(9.0, evaluation="v3", correct=1),
        evaluation(5.0, evaluation="v4", baseline="other", total=1, correct=1),
        ev.GoalVerdict(id="", met=False),
        ev.Note(id="", text="look", author="human"),
        ev.Note(id="", text="said by the program"),
        ev.SessionEnded(id="", reason="done", exit_code=10),
    ]
    row = own_row(record("s1", events))
    assert (row.when, row.agent, row.questioner, row.operator) == (
        BEGAN,
        "rehearsal",
        "bank",
        "attention",
    )
    assert (row.evaluations, row.geomean, row.baseline, row.goal) == (4, 3.0, "start", False)
    assert (row.events, row.notes, row.ended, row.exit_code) == (len(events), 1, True, 10)
    assert row.rehearsed
    assert row.wrong == ""
    assert json.loads(json.dumps(row.as_object()))["when"] == BEGAN.isoformat()


def test_damaged_ones_stand_in_the_list() -> None:
    folder = record("s1", [started(), evaluation()])
    with (folder / JOURNAL).open("ab") as file:
        file.write(b"{broken}\n")
    (sessions_folder() / "empty").mkdir()
    (sessions_folder() / "empty" / JOURNAL).touch()
    (sessions_folder() / "nothing").mkdir()
    rows = {row.id: row for row in all_rows() if row.where != "bundled"}
    assert rows["s1"].wrong.startswith("1 line is damaged, the first line 2: not JSON")
    assert rows["s1"].geomean == 2.0
    assert "is empty" in rows["empty"].wrong
    assert "holds no events.jsonl" in rows["nothing"].wrong


def test_a_mended_end_is_no_damage_of_now() -> None:
    folder = record("s1", [started()])
    with (folder / JOURNAL).open("ab") as file:
        file.write(b'{"schema_version":1,"id":"e2","kind":"no')
    Journal(folder).close()
    assert own_row(folder).wrong == ""


def test_no_sessions_folder_is_an_empty_list() -> None:
    assert own_sessions() == []
    assert {row.where for row in all_rows()} <= {"bundled"}


def test_the_order_is_that_of_the_dates_shown() -> None:
    for session, days in (("s1", 0), ("s2", 9), ("s3", -9), ("s4", 0)):
        record(session, [started(time=BEGAN + timedelta(days=days))])
    record("s5", [started(time=BEGAN.replace(tzinfo=None) + timedelta(days=5))])
    (sessions_folder() / "s6").mkdir()
    assert [row.id for row in all_rows() if row.where != "bundled"] == ["s2", "s5", "s4", "s1", "s3", "s6"]
