"""No word that a person wrote is lost, and what cannot be done is said."""

import asyncio

import pytest

from kernelseek_tui.agents.protocol import AgentError
from kernelseek_tui.app import live_screen
from kernelseek_tui.app.composer import Composer
from sessions import events as ev
from sessions.errors import StorageError
from tests.kernelseek_tui.app.fakes import FakeFeed, story, suggestions
from tests.kernelseek_tui.app.screens import SMALL, WIDE, live_app, screen_text, settle

OVER = "This session has ended; nothing can be sent. q leaves."


class Refusing(FakeFeed):
    """Every message is refused with this error."""

    def __init__(self, error: Exception) -> None:
        super().__init__(story())
        self.error = error

    async def ask(self, text: str, entry: str | None, decision: str | None, edited: bool) -> None:
        raise self.error


@pytest.mark.parametrize("error", [AgentError("The agent is gone."), StorageError("The disk is full.")])
async def test_a_message_that_is_refused_stays_in_the_composer(error: Exception) -> None:
    app = live_app(Refusing(error))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("i", *"hello", "enter")
        await settle(pilot)
        composer = app.screen.query_one(Composer)
        assert composer.draft.text == "hello"
        assert composer.draft.has_focus
        assert str(error) in screen_text(app)


async def test_a_failed_receipt_keeps_the_draft_and_a_second_try_sends_it() -> None:
    feed = FakeFeed(story())
    feed.receipt = ev.QuestionReceipt(id="", receipt="failed", detail="The client closed its input.")
    app = live_app(feed)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await pilot.press("1", "e", "!", "enter")
        await settle(pilot)
        composer = app.screen.query_one(Composer)
        assert composer.draft.text == suggestions()[0].question + "!"
        assert "Not sent: The client closed its input." in screen_text(app)
        feed.receipt = None
        await pilot.press("enter")
        await settle(pilot)
        assert composer.draft.text == ""
        assert feed.asked[-1] == (suggestions()[0].question + "!", "kq-host-001", "decision-1", True)


async def test_after_the_end_nothing_is_tried_and_nothing_lost() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("i", *"hello")
        feed.add(ev.SessionEnded(id="z", reason="The agent was killed."))
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert feed.asked == []
        assert app.screen.query_one(Composer).draft.text == "hello"
        assert OVER in screen_text(app)
        await pilot.press("escape", "1", "enter", "x", "p", "escape", "escape", "escape")
        await settle(pilot)
        assert (feed.asked, feed.dismissed, feed.calls) == ([], [], [])


async def test_a_journal_that_closed_under_the_message_says_that_the_session_ended() -> None:
    feed = Refusing(StorageError("/a/very/long/path/events.jsonl is closed."))
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()

        async def late(*_: object) -> None:
            feed.add(ev.SessionEnded(id="z", reason="killed"))
            raise feed.error

        feed.ask = late  # type: ignore[method-assign]
        await pilot.press("i", *"hi", "enter")
        await settle(pilot)
        assert OVER in screen_text(app)
        assert "/a/very" not in screen_text(app)
        assert app.screen.query_one(Composer).draft.text == "hi"


async def test_a_message_under_way_is_not_sent_twice_and_what_is_added_stays() -> None:
    feed = FakeFeed(story())
    gate = asyncio.Event()
    send = feed.ask

    async def slow(text: str, entry: str | None, decision: str | None, edited: bool) -> None:
        await gate.wait()
        await send(text, entry, decision, edited)

    feed.ask = slow  # type: ignore[method-assign]
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("i", "a", "enter")
        await pilot.pause()
        await pilot.press("enter", "b")
        gate.set()
        await settle(pilot)
        assert [text for text, *_ in feed.asked] == ["a"]
        assert app.screen.query_one(Composer).draft.text == "ab"


async def test_what_the_agent_writes_grows_at_the_end_and_becomes_an_event() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        words = [f"word{number}" for number in range(300)]
        for stop in (10, 150, 300):
            feed.write(" ".join(words[:stop]))
            await settle(pilot)
            assert words[stop - 1] in screen_text(app)
            assert len(feed.events) == len(story())
        feed.add(ev.AgentText(id="whole", text="the whole text"))
        feed.write("")
        await settle(pilot)
        assert "the whole text" in screen_text(app)
        assert "word299" not in screen_text(app)
        assert "writing" not in screen_text(app)


async def test_unfinished_text_that_becomes_nothing_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_screen, "HOLD", 0.01)
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        feed.write("half a sentence")
        await settle(pilot)
        assert "half a sentence" in screen_text(app)
        feed.write("")
        for _ in range(200):
            await pilot.pause(0.01)
            if "half a sentence" not in screen_text(app):
                break
        assert "half a sentence" not in screen_text(app)


async def test_growing_text_does_not_move_a_reader() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("g")
        await pilot.pause()
        before = [row[:70] for row in screen_text(app).split("\n")[3:10]]  # without the scrollbar
        feed.write("new text " * 200)
        await settle(pilot)
        assert [row[:70] for row in screen_text(app).split("\n")[3:10]] == before
