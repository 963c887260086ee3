"""What counts as an asking, and what as a moment where nothing was asked."""

from sessions import events as ev
from sessions.vocabulary import DecisionKind
from tests.kernelseek_tui.effects.stories import (
    HOST,
    HOST_TEXT,
    ROUTING,
    TRACE,
    WORDINGS,
    Story,
)


def scored() -> Story:
    story = Story()
    story.scores(1.2, 1.4)
    return story


def test_a_record_says_who_asked_what_of_whom() -> None:
    story = scored()
    decision = story.flag()
    story.take(
        ev.SuggestionsShown(id=story.next_id, parent=decision, suggestions=(), bank_version="2026-11-30+abc")
    )
    asked = story.ask(decision=decision, propensity=0.25)
    record = story.one()
    assert (record.session, record.event, record.kind, record.by) == ("s1", asked, "plateau", "bank")
    assert (record.agent, record.model, record.operator) == ("claude", "model-1", "attention")
    assert (record.entry, record.group) == (HOST, "host-and-launch-path")
    assert record.wording == WORDINGS.hashes[HOST]
    assert record.propensity == 0.25
    assert record.tokens == 16  # 12 words
    assert record.bank == "2026-11-30+abc"
    assert not record.rehearsed
    assert HOST_TEXT not in record.model_dump_json()


def test_a_question_that_was_never_delivered_is_no_asking() -> None:
    story = scored()
    decision = story.flag()
    story.ask(decision=decision, receipt="failed")
    story.ask(decision=decision, receipt="queued")
    story.scores(1.5)
    found = story.measured()
    assert [record.what for record in found.records] == ["matched"]
    assert found.not_arrived == 2
    assert found.records[0].outcome.evaluations == 1  # nor does it end a window


def test_a_failed_question_that_arrived_after_all_is_one() -> None:
    story = scored()
    asked = story.ask(decision=story.flag(), receipt="failed")
    story.receive(asked, "delivered")
    assert story.one().event == asked


def test_a_journal_without_receipts_and_propensity() -> None:
    story = scored()
    asked = story.ask(decision=story.flag(), receipt=None)
    old = [event for line in map(ev.dump_event, story.events) if (event := ev.parse_event(line))]
    assert "propensity" not in ev.dump_event(old[-1])
    record = story.one()
    assert (record.event, record.propensity) == (asked, None)


def test_two_questions_in_one_window() -> None:
    story = scored()
    story.ask(decision=story.flag())
    story.scores(1.5)
    story.ask("How many scenarios take the general path on this device?", ROUTING, story.flag())
    story.scores(1.8)
    first, second = story.records()
    assert (first.entry, first.outcome.ended, first.outcome.evaluations) == (HOST, "message", 1)
    assert (second.entry, second.outcome.base, second.outcome.evaluations) == (ROUTING, 1.5, 1)
    assert story.records("matched") == []


def test_a_message_of_the_agents_own_choice_holds_several_entries() -> None:
    story = scored()
    text = (
        "The score has stopped moving.\n\n"
        f"1. {HOST_TEXT}\n2. How many scenarios take the general path on H200 of 132 units?\n\nPick one."
    )
    story.ask(text, None, story.flag(), by="self")
    story.run(TRACE, "41.7 us")
    story.says("It is 41.7 us.")
    one, other = story.records()
    assert (one.entry, other.entry) == (HOST, ROUTING)
    assert (one.together, other.together, one.by) == (2, 2, "self")
    assert one.outcome == other.outcome
    assert one.outcome.new_number
    assert other.wording == WORDINGS.hashes[ROUTING]


def test_edited_and_reworded_entries_do_not_have_the_banks_wording() -> None:
    story = scored()
    story.ask(f"{HOST_TEXT} In the worst scenario.", HOST, story.flag(), edited=True)
    story.ask("Where does the time before the launch go?", HOST, story.flag())
    edited, reworded = story.records()
    assert (edited.edited, edited.wording) == (True, None)
    assert (reworded.edited, reworded.wording) == (False, None)


def test_an_entry_that_the_bank_no_longer_has_keeps_its_group() -> None:
    story = scored()
    decision = story.flag()
    shown = ev.Suggestion(entry="kq-gone-001", group="old-group", question="x?", score=1, reasons=())
    story.take(
        ev.SuggestionsShown(id=story.next_id, parent=decision, suggestions=(shown,), bank_version="old")
    )
    story.ask("x?", "kq-gone-001", decision)
    record = story.one()
    assert (record.entry, record.group, record.wording, record.bank) == (
        "kq-gone-001",
        "old-group",
        None,
        "old",
    )


def test_typed_messages_are_own_words_and_the_task_is_none() -> None:
    story = scored()
    story.flag()
    story.human("Where does the time go?")
    story.ask("Is that a limit of the hardware?", None, None, by="human")
    story.human("Is that a limit of the hardware?")  # its echo
    story.ask("Not met: every scenario above 1.8.", None, None, by="goal")
    assert [(one.by, one.kind, one.entry) for one in story.records("own_words")] == [
        ("human", "plateau", None),
        ("human", None, None),
    ]
    assert [one.by for one in story.records("program")] == ["goal"]
    story.ask("Fix the tail loop now.", None, None, by="human")
    assert [one.asks for one in story.records("own_words")] == [True, True, False]
    assert story.records("asked") == []


def test_moments_where_nothing_was_asked() -> None:
    story = Story(questioner="none")
    story.scores(1.2)
    decision = story.flag()
    story.silent(decision)
    story.scores(1.3, 1.4)
    record = story.one("matched")
    assert (record.event, record.kind, record.by) == (decision, "plateau", "none")
    assert record.silent == "questioner none asks nothing."
    assert (record.outcome.base, record.outcome.evaluations) == (1.2, 2)


def test_a_moment_with_a_message_in_its_window_is_none_of_them() -> None:
    story = scored()
    story.flag()
    story.scores(1.41)
    story.human("Go on.")
    assert story.records("matched") == []
    late = scored()
    late.flag()
    late.scores(1.41, 1.42, 1.43, 1.44, 1.45)  # the window is over
    late.human("Go on.")
    assert len(late.records("matched")) == 1


def test_nor_is_one_that_lies_in_the_window_of_a_question() -> None:
    story = scored()
    story.ask(decision=story.flag())
    story.scores(1.5)
    story.flag(DecisionKind.SUSPICIOUS_WIN)
    assert story.records("matched") == []
    story.scores(1.6, 1.7, 1.8, 1.9)
    decision = story.flag()
    assert [one.event for one in story.records("matched")] == [decision]


def test_one_that_was_answered_late_is_none() -> None:
    story = scored()
    decision = story.flag()
    story.scores(1.41, 1.42, 1.43, 1.44, 1.45)
    story.ask(decision=decision)
    assert story.records("matched") == []


def test_a_rehearsed_session_says_so() -> None:
    story = Story(rehearsed=True)
    story.scores(1.2)
    story.ask(decision=story.flag())
    assert story.one().rehearsed


def test_hostile_text_stays_out_of_records() -> None:
    nasty = "\x1b[2J\ud800 [bold]x[/bold]\u202e" + "x" * 5000
    story = scored()
    story.take(
        ev.SessionStarted(
            id=story.next_id, session="s\x00" + "y" * 900, agent_name=nasty, model=nasty, operator=nasty
        )
    )
    story.ask(nasty, "kq-host-901\x1b[2J" + "z" * 900, story.flag(), by=nasty, edited=True)
    story.human(nasty + "!")
    records = story.measured().records
    assert len(records) == 2
    for record in records:
        kept = record.model_dump_json()
        assert len(kept) < 3000
        assert type(record).model_validate_json(kept) == record
