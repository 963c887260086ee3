"""Dismissing with a reason, terminals too small for anything, and a journal that cannot be written."""

from pathlib import Path

import pytest

from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.decision_bar import DecisionBar
from kernelseek_tui.app.reason_bar import REASONS, ReasonBar
from kernelseek_tui.app.transcript import Transcript
from sessions import events as ev
from tests.kernelseek_tui.app.fakes import FakeFeed, decision, story, suggestions
from tests.kernelseek_tui.app.screens import (
    SMALL,
    WIDE,
    journal,
    live_app,
    ready,
    replay_app,
    screen_text,
    settle,
)


def reasons(feed: FakeFeed) -> list[str]:
    return [event.reason for event in feed.events if isinstance(event, ev.SuggestionDismissed)]


def hint_of(app: KernelSeekApp) -> str:
    bar = app.screen.query_one(DecisionBar)
    return " ".join("".join(text for text, _ in row).strip() for row in bar.rows(200))


async def test_the_reason_is_asked_for_and_escape_keeps_the_suggestion() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("1", "x")
        await pilot.pause()
        shown = screen_text(app)
        assert "dismiss kq-host-001?" in shown
        assert all(f"{key} {words}" in shown for key, words in REASONS.items())
        assert "Esc keep it" in shown.split("\n")[-1]
        await pilot.press("enter", "7", "0")
        await settle(pilot)
        assert (feed.asked, feed.dismissed) == ([], [])
        await pilot.press("escape")
        await settle(pilot)
        assert "dismiss kq-host-001?" not in screen_text(app)
        assert feed.dismissed == []
        await pilot.press("x", "4")
        await settle(pilot)
        assert reasons(feed) == ["wrong"]


async def test_other_words_are_written_and_none_is_no_reason() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await pilot.press("x", "5", "enter")
        await settle(pilot)
        assert feed.dismissed == []
        assert "Write why" in screen_text(app)
        await pilot.press(*"x [b]", "enter")
        await settle(pilot)
        assert reasons(feed) == ["x [b]"]
        assert "x [b]." in screen_text(app)
        assert app.screen.query_one(Transcript).has_focus


async def test_escape_in_the_words_keeps_it_too() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await pilot.press("x", "5", "a", "escape")
        await settle(pilot)
        assert feed.dismissed == []
        assert app.screen.query_one(ReasonBar).aside is None
        await pilot.press("slash", *"measure", "enter")  # the same line searches again
        await settle(pilot)
        assert feed.dismissed == []


async def test_what_is_dismissed_is_what_was_asked_about() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await pilot.press("x")
        feed.add(decision(2))
        feed.add(
            ev.SuggestionsShown(id="s2", parent="decision-2", suggestions=suggestions(), bank_version="t")
        )
        await settle(pilot)
        await pilot.press("1")
        await settle(pilot)
        assert feed.dismissed == [("decision-1", None)]


async def test_a_click_gives_the_reason() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("x")
        await pilot.pause()
        bar = app.screen.query_one(ReasonBar)
        row, start, _, _ = next(edge for edge in bar._edges if edge[3] == "3")
        await pilot.click(bar, offset=(start + 1, row))
        await settle(pilot)
        assert reasons(feed) == ["too early"]


@pytest.mark.parametrize("width", [40, 57, 80, 200])
def test_no_choice_is_cut_in_two(width: int) -> None:
    from kernelseek_tui.app.glyphs import UNICODE
    from kernelseek_tui.app.lines import text_of, width_of
    from kernelseek_tui.app.reason_bar import Aside

    bar = ReasonBar(UNICODE)
    bar.aside = Aside("d", "kq-" + "long" * 20)
    rows = bar.rows(width)
    assert max(width_of(row) for row in rows) <= width
    assert all(any(f"{key} {words}" in text_of(row) for row in rows) for key, words in REASONS.items())


async def test_a_replay_shows_why_it_was_dismissed(tmp_path: Path) -> None:
    events = [
        *story(),
        ev.SuggestionDismissed(id="a1", parent="decision-1", entry="kq-host-001", reason="asked already"),
        ev.Note(id="n1", text="between"),
        ev.SuggestionDismissed(id="a2", parent="decision-1", reason="too early"),
    ]
    app, feed = replay_app(journal(tmp_path, events), at=len(story()) + 1)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, feed)
        assert "dismissed: asked already  From the call" in screen_text(app)
        assert "too early" not in screen_text(app)
        await pilot.press("end")
        await pilot.pause()
        assert "decision point dismissed: too early" in screen_text(app)
        assert "was dismissed: too early" in hint_of(app)


async def test_a_replay_dismisses_nothing_and_says_where_an_opinion_goes(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, story()), at=len(story()) - 1)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, feed)
        await pilot.press("1", "x")
        await pilot.pause()
        assert "A replay keeps its history; `kernelseek sessions annotate" in screen_text(app)
        assert len(feed.events) == len(story())


@pytest.mark.parametrize("size", [(20, 5), (1, 1)])
async def test_a_tiny_terminal_does_nothing_but_say_so_and_recovers(size: tuple[int, int]) -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        if size == (20, 5):
            words = " ".join(screen_text(app).split())
            assert words == "This terminal is smaller than 40×10. Make it larger to go on."
        await pilot.press(
            "1", "enter", "x", "1", "question_mark", "i", *"hi", "enter", "p", "escape", "escape"
        )
        feed.add(ev.PermissionRequested(id="p", request="r", tool="Bash"))
        await settle(pilot)
        await pilot.press("y", "tab", "s", "slash")
        await settle(pilot)
        assert (feed.asked, feed.dismissed, feed.answered, feed.calls) == ([], [], [], [])
        await pilot.resize_terminal(*WIDE)
        await settle(pilot)
        assert "TRANSCRIPT" in screen_text(app)
        await pilot.press("1", "x", "1")
        await settle(pilot)
        assert feed.dismissed == [("decision-1", "kq-host-001")]


async def test_a_terminal_made_tiny_in_the_middle_keeps_draft_and_help() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("i", *"draft")
        await pilot.resize_terminal(20, 5)
        await pilot.pause()
        await pilot.press("enter")
        await settle(pilot)
        assert feed.asked == []
        await pilot.resize_terminal(*SMALL)
        await settle(pilot)
        assert "draft" in screen_text(app)
        await pilot.press("escape", "question_mark")
        await pilot.resize_terminal(20, 5)
        await pilot.pause()
        await pilot.resize_terminal(*SMALL)
        await pilot.press("escape")
        await pilot.pause()
        assert "Transcript" in screen_text(app)


async def test_a_tiny_replay_says_so_and_recovers(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, story()))
    async with app.run_test(size=(20, 5)) as pilot:
        await ready(pilot, feed)
        assert "Make it larger" in " ".join(screen_text(app).split())
        before = app.screen.clock  # type: ignore[attr-defined]
        await pilot.press("end", "right", "t", "4", "enter")
        await pilot.pause()
        assert app.screen.clock == before  # type: ignore[attr-defined]
        await pilot.resize_terminal(*WIDE)
        await pilot.pause()
        assert "TRANSCRIPT" in screen_text(app)
