from pathlib import Path

import pytest

from kernelseek_tui.replay import BATCH, FIRST, ReadOnly, ReplayFeed
from sessions import events as ev
from sessions.errors import RefusedInput
from sessions.state import fold
from tests.cases import CASES, needs_cases
from tests.kernelseek_tui.app.fakes import story, suggestions
from tests.kernelseek_tui.app.screens import journal


def exhaust(feed: ReplayFeed) -> ReplayFeed:
    for _ in feed.read():
        pass
    for _ in feed.look():
        pass
    return feed


def test_a_journal_replays_its_own_history(tmp_path: Path) -> None:
    feed = exhaust(ReplayFeed(journal(tmp_path, story())))
    assert list(feed.events) == story()
    assert feed.recorded
    assert feed.rehearsed
    assert [moment.index for moment in feed.moments] == [15]
    assert tuple(feed.moments[0].suggestions) == suggestions()


def test_the_state_at_an_event_knows_nothing_later(tmp_path: Path) -> None:
    feed = exhaust(ReplayFeed(journal(tmp_path, story())))
    for index in range(len(story())):
        assert feed.state_at(index) == fold(story()[: index + 1])


def test_reading_comes_in_batches(tmp_path: Path) -> None:
    many: list[ev.AnyEvent] = [ev.Note(id=f"n{index}", text="x") for index in range(BATCH + 10)]
    feed = ReplayFeed(journal(tmp_path, many))
    assert list(feed.read()) == [FIRST, BATCH + 10]
    assert feed.read_done


def test_a_decision_point_without_suggestions_is_a_moment(tmp_path: Path) -> None:
    feed = exhaust(ReplayFeed(journal(tmp_path, story()[:15])))
    assert [moment.index for moment in feed.moments] == [14]
    assert feed.moments[0].suggestions == ()


def test_what_is_no_transcript_is_refused_before_anything_opens(tmp_path: Path) -> None:
    with pytest.raises(RefusedInput):
        ReplayFeed(tmp_path / "missing.jsonl")
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    with pytest.raises(RefusedInput, match="empty"):
        ReplayFeed(empty)


def test_entries_are_found_by_line(tmp_path: Path) -> None:
    feed = ReplayFeed(journal(tmp_path, story()))
    assert feed.at_entry(3) is None
    exhaust(feed)
    assert feed.at_entry(3) == 3
    assert feed.at_entry(999) == len(story()) - 1


async def test_nothing_can_be_done_to_the_past(tmp_path: Path) -> None:
    feed = exhaust(ReplayFeed(journal(tmp_path, story())))
    for action in (
        feed.ask("?", None, None, False),
        feed.dismiss("d", None, ""),
        feed.interrupt(),
        feed.pause(),
        feed.resume(),
    ):
        with pytest.raises(ReadOnly):
            await action
    await feed.close()
    assert len(feed.events) == len(story())


@needs_cases
def test_a_foreign_session_gets_todays_moments() -> None:
    assert CASES is not None
    feed = exhaust(ReplayFeed(CASES / "study" / "case1_gap_triage.jsonl"))
    assert not feed.recorded
    assert feed.moments is feed.today
    assert feed.moments
    entry = feed.events[5].source
    assert entry is not None
    assert feed.at_entry(entry.line) is not None
