import pytest

from kernelseek_tui.app.glyphs import ASCII
from kernelseek_tui.app.help import Help
from kernelseek_tui.app.keys import keys_for
from kernelseek_tui.app.notice import Notice
from kernelseek_tui.app.scoreboard import Scoreboard
from kernelseek_tui.app.suggestions import Suggestions
from kernelseek_tui.app.transcript import Transcript
from sessions import events as ev
from tests.kernelseek_tui.app.fakes import FakeFeed, story
from tests.kernelseek_tui.app.screens import SMALL, WIDE, live_app, screen_text, settle, title


async def test_small_screens_show_one_pane_and_tab_goes_round() -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        shown = screen_text(app)
        assert "Transcript" in shown.split("\n")[1]
        assert "Score 1.15×" in shown
        assert "Ask ⚑1" in shown
        assert "by time lost" not in shown
        await pilot.press("s")
        await pilot.pause()
        assert "by time lost" in screen_text(app)
        assert app.screen.query_one(Scoreboard).has_focus
        await pilot.press("a")
        await pilot.pause()
        assert "questions that fit" in screen_text(app)
        assert app.screen.query_one(Suggestions).has_focus
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen.query_one(Transcript).has_focus
        await pilot.press("tab", "tab", "tab")
        await pilot.pause()
        assert app.screen.query_one(Transcript).has_focus


async def test_every_footer_key_of_a_live_session_fits_eighty_columns() -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        last = screen_text(app).split("\n")[-1]
        for label in ("keys", "choose", "send", "edit", "dismiss", "pause"):
            assert label in last


@pytest.mark.parametrize("width", [40, 57, 80, 81, 100])
async def test_the_bottom_row_is_cut_at_whole_keys(width: int) -> None:
    whole = [key.label for key in keys_for(True) if key.footer]
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        last = screen_text(app).split("\n")[-1].split()
        shown = [label for label in whole if label in last]
        assert shown == whole[: len(shown)]
        assert last[-1] == shown[-1]


@pytest.mark.parametrize("size", [SMALL, (40, 10)])
async def test_the_top_row_keeps_the_flags_and_the_rehearsal(size: tuple[int, int]) -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert "⚑ 1" in title(app)
        assert "REHEARSED" in title(app)


async def test_the_bottom_row_shows_the_keys_of_what_is_written() -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("i")
        await pilot.pause()
        last = screen_text(app).split("\n")[-1]
        assert "Ctrl+J new line" in last
        assert "pause" not in last
        await pilot.press("escape", "slash")
        await pilot.pause()
        assert "Enter find" in screen_text(app).split("\n")[-1]
        await pilot.press("escape")
        await pilot.pause()
        assert "pause" in screen_text(app).split("\n")[-1]


async def test_a_click_on_the_bottom_row_presses_the_key() -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.click("#keys", offset=(2, 0))
        await pilot.pause()
        assert isinstance(app.screen, Help)


async def test_notices_stand_in_the_bottom_row_one_at_a_time_and_hide_nothing() -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        before = screen_text(app).split("\n")
        for text in ("first notice", "second notice"):
            app.notify(text)
        await pilot.pause()
        after = screen_text(app).split("\n")
        assert after[:-1] == before[:-1]
        assert "second notice" in after[-1]
        assert "first notice" not in after[-1]
        app.screen.query_one(Notice).hush()
        await pilot.pause()
        assert screen_text(app).split("\n") == before


async def test_choosing_on_a_small_screen_shows_the_suggestions() -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("1")
        await pilot.pause()
        assert "how many microseconds" in screen_text(app)


@pytest.mark.parametrize("size", [(39, 24), (80, 9)])
async def test_too_small_says_which_size_is_needed(size: tuple[int, int]) -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert "40×10" in " ".join(screen_text(app).split())
        await pilot.resize_terminal(*WIDE)
        await pilot.pause()
        assert "TRANSCRIPT" in screen_text(app)


async def test_no_color_draws_the_same_words_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = live_app(FakeFeed(story()))
    assert app.no_color
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        shown = screen_text(app)
        for words in ("FASTER", "WRONG", "⚑ PLATEAU", "REHEARSED", "FOLLOW"):
            assert words in shown


async def test_without_utf8_the_panes_are_ascii() -> None:
    app = live_app(FakeFeed(story()), glyphs=ASCII)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        rows = screen_text(app).split("\n")
        assert "! PLATEAU" in "\n".join(rows)
        app.screen.tell("Choose a question with 1–9 first…")  # type: ignore[attr-defined]
        await pilot.pause()
        rows += screen_text(app).split("\n")
        odd = [row for row in rows if not row.isascii()]
        assert odd == []


async def test_hostile_text_on_every_pane() -> None:
    text = "[ [/] [b + \x1b[2J [@click=app.quit]x[/] \u202e\x00\ud800"
    feed = FakeFeed(story())
    feed.title = f"title {text}"
    feed.activity = text
    app = live_app(feed)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        safe = text.encode("utf-8", "replace").decode()
        feed.add(ev.AgentText(id="x", text=f"hostile {safe}"))
        feed.add(
            ev.DecisionPoint(
                id="dx",
                decision="claimed_limit",
                evidence=(ev.Evidence(event="x", quote=safe),),
                confidence=1,
                reason=safe,
            )
        )
        feed.add(
            ev.SuggestionsShown(
                id="sx",
                parent="dx",
                bank_version="t",
                suggestions=(ev.Suggestion(entry="e", group="g", question=safe, score=1, reasons=(safe,)),),
            )
        )
        await settle(pilot)
        await pilot.press("1", "e")
        await pilot.pause()
        shown = screen_text(app)
        assert "\x1b" not in shown
        assert "hostile [ [/] [b + ␛[2J [@click=app.quit]x[/] ‹U+202E›␀?" in shown
        app.screen.tell(safe)
        await pilot.pause()


async def test_help_and_palette_list_the_keys() -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("question_mark")
        await pilot.pause()
        assert "Dismiss the chosen suggestion" in screen_text(app)
        await pilot.press("escape", "colon")
        await pilot.pause(0.2)
        await pilot.press(*"hold")
        await pilot.pause(0.3)
        assert "Hold the agent before its next step" in screen_text(app)


async def test_a_click_selects_and_the_timeline_seeks() -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        transcript = app.screen.query_one(Transcript)
        await pilot.click("#timeline", offset=(2, 0))
        await pilot.pause()
        assert transcript.cursor == 0
        await pilot.click("#transcript", offset=(5, 3))
        await pilot.pause()
        assert transcript.pinned is not None


async def test_expanding_in_place() -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        transcript = app.screen.query_one(Transcript)
        transcript.select(5)
        await pilot.press("space")
        await pilot.pause()
        assert transcript.book.is_expanded(5)
        assert len(transcript.window.rows(5)) == 40
        await pilot.press("space", "E")
        await pilot.pause()
        assert transcript.book.all_expanded
        assert not transcript.book.is_expanded(5) or 5 not in transcript.book.expanded


async def test_copy_writes_the_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX", "x")
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        written: list[str] = []
        driver = app._driver
        assert driver is not None
        monkeypatch.setattr(driver, "write", written.append)
        app.screen.query_one(Transcript).select(12)
        await pilot.press("y")
        await pilot.pause()
        (copied,) = [item for item in written if "\x1b]52;" in item]
        assert copied.startswith("\x1b]52;")  # for a tmux that sets its clipboard from programs
        assert "\x1bPtmux;" in copied  # for one that passes it on


async def test_the_help_can_be_read_to_its_end_on_a_small_screen() -> None:
    app = live_app(FakeFeed(story()))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("question_mark")
        await pilot.pause()
        assert "not known yet at the cursor" not in screen_text(app)
        for _ in range(6):
            await pilot.press("pagedown")
        await pilot.pause(0.1)
        assert "not known yet at the cursor" in screen_text(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "KEYS AND SIGNS" not in screen_text(app)
