from contextvars import Context

import pytest
from textual.events import MouseScrollUp

from kernelseek_tui.app.composer import Composer
from kernelseek_tui.app.scoreboard import Scoreboard
from kernelseek_tui.app.transcript import Transcript
from sessions import events as ev
from tests.kernelseek_tui.app.fakes import FakeFeed, decision, story, suggestions
from tests.kernelseek_tui.app.screens import SMALL, WIDE, live_app, screen_text, settle, title


async def test_a_live_session_opens_at_its_end_with_everything_on_it() -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        shown = screen_text(app)
        for words in (
            "WORKING",
            "REHEARSED",
            "attention · rehearsal",
            "turn 2",
            "FOLLOW",
            "questioner human",
        ):
            assert words in title(app)
        for words in (
            "TRANSCRIPT",
            "SCORE",
            "ASK",
            "⚑ PLATEAU",
            "1.15× FASTER",
            "questions that fit",
            "17/17",
        ):
            assert words in shown
        assert "Enter send" in shown


async def test_a_session_without_a_workspace_promises_no_evaluation() -> None:
    feed = FakeFeed([ev.HumanMessage(id="m1", text="Hello.")])
    feed.judged = False
    app = live_app(feed)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        shown = screen_text(app)
        assert "works in no workspace" in shown
        assert "The first one brings" not in shown


async def test_number_then_enter_sends_the_exact_question() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert feed.asked == []
        await pilot.press("2", "enter")
        await settle(pilot)
        wanted = suggestions()[1]
        assert feed.asked == [(wanted.question, wanted.entry, "decision-1", False)]
        shown = screen_text(app)
        assert "ASKED by human" in shown
        assert "sent exactly" in shown
        assert "PLATEAU at event 15 was answered" in shown
        assert "questions that fit" not in shown


async def test_editing_lints_warns_and_never_blocks() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("1", "e")
        composer = app.screen.query_one(Composer)
        assert composer.draft.has_focus
        assert composer.draft.text == suggestions()[0].question
        assert "Q12" not in screen_text(app)
        composer.draft.load_text("Should you cache the plan?")
        await pilot.pause()
        shown = screen_text(app)
        assert "Q12" in shown
        assert "cache" in shown
        await pilot.press("enter")
        await settle(pilot)
        assert feed.asked == [("Should you cache the plan?", "kq-host-001", "decision-1", True)]
        assert composer.draft.text == ""


async def test_an_unchanged_edit_is_not_marked_edited() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("1", "e", "enter")
        await settle(pilot)
        assert feed.asked == [(suggestions()[0].question, "kq-host-001", "decision-1", False)]


async def test_the_draft_is_kept_when_left_and_while_a_suggestion_is_edited() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("i", "h", "a", "escape")
        composer = app.screen.query_one(Composer)
        assert app.screen.query_one(Transcript).has_focus
        assert composer.draft.text == "ha"
        await pilot.press("1", "e")
        assert composer.draft.text == suggestions()[0].question
        await pilot.press("escape")
        assert composer.draft.text == "ha"
        await pilot.press("i", "l", "f", "ctrl+j", "x", "enter")
        await settle(pilot)
        assert feed.asked == [("half\nx", None, None, False)]


async def test_dismissing_one_and_then_the_moment() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("1", "x", "2")
        await settle(pilot)
        assert feed.dismissed == [("decision-1", "kq-host-001")]
        assert "dismissed: asked already" in screen_text(app)
        await pilot.press("1", "enter")
        await settle(pilot)
        assert feed.asked == []
        await pilot.press("x", "3")
        await settle(pilot)
        assert feed.dismissed[-1] == ("decision-1", None)
        assert "Nothing to decide" in screen_text(app)
        assert "too early." in screen_text(app)


async def test_pause_resume_and_what_the_agent_cannot_do() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("p")
        await settle(pilot)
        assert "PAUSED" in title(app)
        await pilot.press("p")
        await settle(pilot)
        assert feed.calls == ["pause", "resume"]
        feed.capabilities = type(feed.capabilities)()
        await pilot.press("p", "escape", "escape")
        await settle(pilot)
        assert feed.calls == ["pause", "resume"]
        assert "cannot be interrupted" in screen_text(app)


async def test_escape_twice_interrupts_and_once_does_not() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert feed.calls == []
        assert "Esc again interrupts" in screen_text(app)
        await pilot.press("escape")
        await settle(pilot)
        assert feed.calls == ["interrupt"]


async def test_escape_on_a_waiting_agent_says_that_nothing_runs() -> None:
    feed = FakeFeed([*story(), ev.TurnEnded(id="over")])
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert "Nothing is running: the agent waits" in screen_text(app)
        assert "Esc again interrupts" not in screen_text(app)


async def test_a_refused_send_is_a_notice() -> None:
    feed = FakeFeed(story(), failing=True)
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("1", "enter")
        await settle(pilot)
        assert "The agent is gone." in screen_text(app)


async def test_follow_stops_when_scrolled_up_and_counts_what_is_new() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        transcript = app.screen.query_one(Transcript)
        assert transcript.window.follow
        feed.add(ev.AgentText(id="more", text="one more line"))
        await settle(pilot)
        assert "one more line" in screen_text(app)
        await pilot.press("pageup")
        before = transcript.window.locate(0)
        assert not transcript.window.follow
        assert "FOLLOW" not in title(app)
        for number in range(37):
            feed.add(ev.AgentText(id=f"new-{number}", text=f"news {number}"))
        await settle(pilot)
        assert transcript.window.locate(0) == before
        assert "▼ 37 new (G)" in screen_text(app)
        await pilot.press("G")
        await pilot.pause()
        assert transcript.window.follow
        assert "news 36" in screen_text(app)
        assert "new (G)" not in screen_text(app)


async def test_the_wheel_stops_following_too() -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        transcript = app.screen.query_one(Transcript)
        await pilot._post_mouse_events([MouseScrollUp], transcript, button=0)
        await pilot.pause()
        assert not transcript.window.follow


async def test_one_cursor_moves_transcript_and_score() -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        for _ in range(9):
            await pilot.press("up")
        await pilot.pause()
        transcript = app.screen.query_one(Transcript)
        board = app.screen.query_one(Scoreboard)
        assert transcript.pinned == 6
        assert "as of event 7" in str(board.border_subtitle)
        assert "evaluation 1" in screen_text(app)
        await pilot.press("G")
        await pilot.pause()
        assert str(board.border_subtitle) == ""
        assert "evaluation 4" in screen_text(app)


async def test_a_new_moment_shows_while_reading_elsewhere() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("g")
        feed.add(decision(2))
        feed.add(
            ev.SuggestionsShown(
                id="s2", parent="decision-2", suggestions=suggestions()[2:], bank_version="test"
            )
        )
        await settle(pilot)
        assert "at event 18" in screen_text(app)
        assert "⚑ 2" in title(app)


async def test_many_events_in_a_frame_are_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        drawn = []
        absorb = app.screen.absorb
        monkeypatch.setattr(app.screen, "absorb", lambda: (drawn.append(1), absorb()))
        for number in range(500):
            feed.add(ev.AgentText(id=f"n{number}", text="x"))
        await settle(pilot)
        assert len(drawn) == 1
        assert app.screen.query_one(Transcript).known == len(feed.events)


async def test_an_end_and_idleness_are_said() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        feed.add(ev.TurnEnded(id="t"))
        await settle(pilot)
        assert "IDLE" in title(app)
        feed.add(ev.SessionEnded(id="e", reason="done"))
        await settle(pilot)
        assert "ENDED" in title(app)


async def test_the_judges_activity_is_shown() -> None:
    feed = FakeFeed(story())
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        feed.activity = "judge: timing 3/4 [b"
        for listener in feed._activity_listeners:
            Context().run(listener)
        await settle(pilot)
        assert "judge: timing 3/4 [b" in screen_text(app)


async def test_ctrl_c_twice_ends() -> None:
    ended = []
    app = live_app(FakeFeed(story()))
    app._end = lambda: ended.append(1)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.press("ctrl+c")
        assert ended == []
        await pilot.press("ctrl+c")
        assert ended == [1]
