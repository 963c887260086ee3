"""Replay of a file that goes on growing, and of places that are not there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.notice import Notice
from kernelseek_tui.app.replay_screen import ReplayScreen
from kernelseek_tui.replay import ReplayFeed
from sessions import events as ev
from sessions.errors import RefusedInput
from tests.cases import CASES, needs_cases
from tests.kernelseek_tui.app.fakes import story
from tests.kernelseek_tui.app.screens import (
    SMALL,
    WIDE,
    journal,
    ready,
    replay_app,
    screen_text,
    title,
    type_into,
)


def grow(path: Path, *events: ev.AnyEvent) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(ev.dump_event(event) + "\n" for event in events)


def exhaust(feed: ReplayFeed) -> ReplayFeed:
    for stage in (feed.read(), feed.look()):
        for _ in stage:
            pass
    return feed


async def until(pilot: Pilot[None], count: int, feed: ReplayFeed) -> None:
    for _ in range(500):
        await pilot.pause(0.01)
        if len(feed.events) >= count and feed.look_done:
            break
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def shown(pilot: Pilot[None], app: KernelSeekApp, words: str) -> None:
    """Wait until the screen shows it: what was read is drawn a frame later."""
    for _ in range(500):
        if words in screen_text(app):
            return
        await pilot.pause(0.01)
    assert words in screen_text(app)


def test_what_a_file_got_is_read_on_once(tmp_path: Path) -> None:
    path = journal(tmp_path, story())
    feed = exhaust(ReplayFeed(path))
    assert not feed.grew()
    for number in range(3):
        grow(path, ev.AgentText(id=f"more-{number}", text="x"), ev.Note(id=f"note-{number}", text="y"))
        assert feed.grew()
        for stage in (feed.read_on(), feed.look()):
            for _ in stage:
                pass
        assert not feed.grew()
        assert len(feed.events) == len(story()) + 2 * (number + 1)
    assert len({event.id for event in feed.events}) == len(feed.events)
    assert feed.state.count == len(feed.events)


def test_a_half_line_at_the_end_is_not_read_on(tmp_path: Path) -> None:
    path = journal(tmp_path, story())
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    feed = exhaust(ReplayFeed(path))
    path.write_bytes(whole)
    with pytest.raises(RefusedInput, match="open it again"):
        list(feed.read_on())


def test_a_file_that_was_cut_is_not_read_on(tmp_path: Path) -> None:
    path = journal(tmp_path, story())
    feed = exhaust(ReplayFeed(path))
    grow(path, ev.Note(id="a", text="x"))
    list(feed.read_on())
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(RefusedInput, match="truncated since it was opened; open it again"):
        list(feed.read_on())


async def test_growth_is_said_and_f_follows_it_until_the_reader_moves(tmp_path: Path) -> None:
    path = journal(tmp_path, story())
    app, feed = replay_app(path, at=0)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, feed)
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        grow(path, ev.AgentText(id="more", text="the first that came"))
        screen._watch()
        await pilot.pause()
        assert "the file grew: f reads on" in title(app)
        assert screen.clock == 0
        await pilot.press("f")
        await until(pilot, len(story()) + 1, feed)
        await shown(pilot, app, "the first that came")
        assert "FOLLOW" in title(app)
        assert "grew" not in title(app)
        grow(path, ev.AgentText(id="again", text="the second that came"))
        screen._watch()
        await until(pilot, len(story()) + 2, feed)
        await shown(pilot, app, "the second that came")
        await pilot.press("left")
        assert "FOLLOW" not in title(app)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:200])


def replace(path: Path) -> None:
    other = path.with_name("other.jsonl")
    more = [ev.Note(id=f"other-{number}", text="not the same " * 20) for number in range(200)]
    other.write_text("".join(ev.dump_event(event) + "\n" for event in more), encoding="utf-8")
    other.replace(path)


GONE = [(cut, "truncated"), (replace, "replaced"), (Path.unlink, "removed")]


@pytest.mark.parametrize(("does", "what"), GONE)
def test_what_became_of_the_file_is_known(tmp_path: Path, does: Callable[[Path], None], what: str) -> None:
    path = journal(tmp_path, story())
    feed = exhaust(ReplayFeed(path))
    assert feed.lost() == ""
    grow(path, ev.Note(id="a", text="x"))
    assert feed.lost() == ""
    list(feed.read_on())
    count = len(feed.events)
    does(path)
    words = f"The file was {what} since it was opened; open it again to see what it holds now."
    assert feed.lost() == words
    with pytest.raises(RefusedInput, match=what):
        list(feed.read_on())
    assert len(feed.events) == count
    if what == "removed":
        assert not feed.grew()


def test_a_file_saved_again_as_it_was_or_longer_goes_on(tmp_path: Path) -> None:
    path = journal(tmp_path, story())
    feed = exhaust(ReplayFeed(path))
    whole = path.read_bytes()
    path.unlink()
    assert "removed" in feed.lost()
    path.write_bytes(whole)
    assert feed.lost() == ""
    grow(path, ev.Note(id="a", text="x"))
    list(feed.read_on())
    assert len(feed.events) == len(story()) + 1


@pytest.mark.parametrize(("does", "what"), GONE)
def test_what_happens_while_it_is_read_is_said_afterwards(
    tmp_path: Path, does: Callable[[Path], None], what: str
) -> None:
    many: list[ev.AnyEvent] = [ev.Note(id=f"n{number}", text="x") for number in range(100)]
    path = journal(tmp_path, many)
    feed = ReplayFeed(path)
    reading = feed.read()
    next(reading)
    does(path)
    for _ in reading:
        pass
    assert f"was {what} " in feed.lost()


@pytest.mark.parametrize(("does", "what"), GONE)
async def test_a_file_that_is_no_more_what_it_was_is_not_followed(
    tmp_path: Path, does: Callable[[Path], None], what: str
) -> None:
    path = journal(tmp_path, story())
    app, feed = replay_app(path)
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot, feed)
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await pilot.press("f")
        await pilot.pause()
        assert "FOLLOW" in title(app)
        does(path)
        screen._watch()
        await pilot.pause()
        screen.query_one(Notice).hush()
        await pilot.pause()
        shown = " ".join(screen_text(app).split())
        assert f"The file was {what} since it was opened; open it again to see what it holds now." in shown
        assert "FOLLOW" not in title(app)
        await pilot.press("f")
        await pilot.pause()
        assert "FOLLOW" not in title(app)
        assert "grew" not in title(app)
        assert len(feed.events) == len(story())


async def test_what_cannot_be_read_on_in_place_is_not_followed(tmp_path: Path) -> None:
    path = journal(tmp_path, story())
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    app, feed = replay_app(path)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, feed)
        path.write_bytes(whole)
        await pilot.press("f")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        app.screen.query_one(Notice).hush()
        await pilot.pause()
        assert "changed where it ended; open it again" in screen_text(app)
        assert "FOLLOW" not in title(app)


async def test_an_entry_beyond_the_end_is_said(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, story()), at=99_999)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, feed)
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        assert f"Entry 99999 is beyond the end: the last is {len(story()) - 1}." in screen_text(app)
        assert screen.clock == len(story()) - 1


async def test_the_last_entry_is_not_beyond_the_end(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, story()), at=len(story()) - 1)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, feed)
        assert "beyond" not in screen_text(app)


async def test_counts_are_those_of_the_cursor(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, story()), at=0)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, feed)
        assert "⚑ 0" in title(app)
        assert "turn 0" in title(app)
        assert "event 1/17" in title(app)
        assert "0/1" not in title(app)
        assert "/2" not in title(app)


async def test_a_moment_has_one_flag_on_the_timeline(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, story()), at=len(story()) - 1)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, feed)
        row = app.screen.query_one("#timeline").region.y
        assert screen_text(app).split("\n")[row].count("⚑") == 1


async def test_a_search_that_goes_round_says_so(tmp_path: Path) -> None:
    texts = [
        ev.AgentText(id=f"e{number}", text=f"needle {number}" if number in (2, 5) else "hay")
        for number in range(8)
    ]
    app, feed = replay_app(journal(tmp_path, [story()[0], *texts]), at=8)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, feed)
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await type_into(pilot, "slash", "needle")
        await pilot.pause()
        assert screen.clock == 3
        assert "Round from the end to the start." in screen_text(app)
        await pilot.press("n")
        await pilot.pause()
        assert "This is the only hit." in screen_text(app)


@needs_cases
async def test_a_foreign_transcript_never_promises_an_evaluation() -> None:
    assert CASES is not None
    path = CASES / "traces" / "claude_code" / "F11_tiny.jsonl"
    app, feed = replay_app(path)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, feed)
        shown = " ".join(screen_text(app).replace("│", " ").split())
        assert "holds no evaluation by our judge" in shown
        assert "No evaluation yet" not in shown
