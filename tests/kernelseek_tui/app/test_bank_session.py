"""The browser over a live session and over a replay: what it opens on, and what it may send."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from bank.bank import Bank
from bank.errors import BankError
from kernelseek_tui.app.bank_screen import BankScreen
from kernelseek_tui.app.composer import Composer
from kernelseek_tui.app.help import Help
from kernelseek_tui.app.live_screen import LiveScreen
from kernelseek_tui.app.replay_screen import ReplayScreen
from kernelseek_tui.app.transcript import Transcript
from sessions import events as ev
from sessions.vocabulary import DecisionKind
from tests.kernelseek_tui.app.bank_cases import LAUNCH, SLOW, SPILL, WARP, at_rest, browser, ids, selected
from tests.kernelseek_tui.app.fakes import FakeFeed, story
from tests.kernelseek_tui.app.screens import (
    SMALL,
    WIDE,
    journal,
    live_app,
    ready,
    replay_app,
    screen_text,
    settle,
    type_into,
)

ENTRIES = (LAUNCH, SPILL, SLOW, WARP)


@pytest.fixture(autouse=True)
def banks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Bank | BankError]:
    """A bank of ours in the place of the shipped one; the first of the list is loaded, or raised once."""
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))
    given: list[Bank | BankError] = [Bank(ENTRIES)]

    def load(names: Sequence[str] = ()) -> Bank:
        if isinstance(given[0], BankError):
            raise given.pop(0)  # type: ignore[misc]
        return given[0]

    monkeypatch.setattr("bank.sources.load_banks", load)
    return given


async def opened(pilot: Pilot[Any]) -> BankScreen:
    await pilot.press("b")
    for _ in range(200):
        await pilot.pause(0.01)
        if isinstance(pilot.app.screen, BankScreen):
            break
    await at_rest(pilot)
    return browser(pilot)


def below(pilot: Pilot[Any]) -> LiveScreen:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, LiveScreen)
    return screen


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_b_opens_it_on_the_kind_of_the_moment_and_closes_it(size: tuple[int, int]) -> None:
    async with live_app(FakeFeed(story())).run_test(size=size) as pilot:
        await pilot.pause()
        await opened(pilot)
        assert ids(pilot) == [LAUNCH.id, SLOW.id, WARP.id]
        shown = screen_text(pilot.app)
        assert "3 [plateau]" in shown
        assert "Enter write" in shown
        await pilot.press("b")
        await pilot.pause()
        assert pilot.app.screen is below(pilot)
        assert below(pilot).query_one(Transcript).has_focus
        await opened(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.screen is below(pilot)


async def test_the_bank_of_the_session_is_the_one_that_is_browsed() -> None:
    class Chosen(FakeFeed):
        bank = Bank((WARP,))

    async with live_app(Chosen(story())).run_test(size=SMALL) as pilot:
        await pilot.pause()
        await opened(pilot)
        await pilot.press("0")
        assert ids(pilot) == [WARP.id]


async def test_without_a_moment_it_opens_on_all() -> None:
    async with live_app(FakeFeed(story()[:5])).run_test(size=SMALL) as pilot:
        await pilot.pause()
        await opened(pilot)
        assert len(ids(pilot)) == 4


async def test_enter_puts_the_question_into_the_composer_and_the_journal_has_its_id() -> None:
    feed = FakeFeed(story())
    async with live_app(feed).run_test(size=WIDE) as pilot:
        await pilot.pause()
        await opened(pilot)
        await pilot.press("enter")
        await pilot.pause()
        composer = below(pilot).query_one(Composer)
        assert pilot.app.screen is below(pilot)
        assert composer.draft.has_focus
        assert composer.draft.text == LAUNCH.question
        assert f"editing {LAUNCH.id}" in screen_text(pilot.app)
        assert feed.asked == []
        await pilot.press("enter")
        await settle(pilot)
        assert feed.asked == [(LAUNCH.question, LAUNCH.id, "decision-1", False)]
        assert composer.draft.text == ""


async def test_an_edited_one_is_marked_edited_and_a_draft_comes_back() -> None:
    feed = FakeFeed(story())
    async with live_app(feed).run_test(size=WIDE) as pilot:
        await pilot.pause()
        await pilot.press("i", "h", "a", "escape")
        await opened(pilot)
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("end", "!", "enter")
        await settle(pilot)
        assert feed.asked == [(LAUNCH.question + "!", LAUNCH.id, "decision-1", True)]
        assert below(pilot).query_one(Composer).draft.text == "ha"


async def test_a_question_for_other_moments_answers_none() -> None:
    feed = FakeFeed(story())
    async with live_app(feed).run_test(size=WIDE) as pilot:
        await pilot.pause()
        await opened(pilot)
        await pilot.press("0", "down")
        assert selected(pilot) == SPILL.id
        assert DecisionKind.PLATEAU not in SPILL.decision_kinds
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("enter")
        await settle(pilot)
        wanted = "How many values does the compiler keep in memory on this device?"
        assert feed.asked == [(wanted, SPILL.id, None, False)]
        assert feed.events[-2].parent is None


async def test_parameters_are_filled_from_the_scoreboard() -> None:
    async with live_app(FakeFeed(story())).run_test(size=WIDE) as pilot:
        await pilot.pause()
        await opened(pilot)
        await pilot.press("down")
        assert selected(pilot) == SLOW.id
        await pilot.press("enter")
        await pilot.pause()
        text = below(pilot).query_one(Composer).draft.text
        assert text == "What do gqa-causal-s2048 have in common, as a share of the time lost?"


async def test_what_was_asked_here_is_marked() -> None:
    feed = FakeFeed(story())
    async with live_app(feed).run_test(size=WIDE) as pilot:
        await pilot.pause()
        for number in range(2):
            feed.add(ev.QuestionAsked(id=f"q{number}", questioner="human", text="x", entry=WARP.id))
        await settle(pilot)
        await opened(pilot)
        await pilot.press("end")
        shown = screen_text(pilot.app)
        assert "asked here 2×" in shown
        assert "asked 2 times in this session" in shown


async def test_after_the_end_nothing_is_taken_and_it_is_said_in_the_browser() -> None:
    feed = FakeFeed(story())
    async with live_app(feed).run_test(size=SMALL) as pilot:
        await pilot.pause()
        await opened(pilot)
        feed.add(ev.SessionEnded(id="z", reason="killed"))
        await settle(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, BankScreen)
        assert "This session has ended; nothing can be sent." in screen_text(pilot.app)
        assert below(pilot).query_one(Composer).draft.text == ""


async def test_the_session_goes_on_below_and_says_when_the_agent_waits() -> None:
    feed = FakeFeed(story())
    async with live_app(feed).run_test(size=SMALL) as pilot:
        await pilot.pause()
        await opened(pilot)
        feed.add(ev.PermissionRequested(id="p1", request="r1", tool="Bash", input={"command": "ls"}))
        await settle(pilot)
        assert "The agent asks to be allowed something: b leads back to it." in screen_text(pilot.app)
        await pilot.press("y", "a", "d")  # here they allow and deny nothing
        await pilot.pause()
        assert feed.answered == []
        await feed.answer("r1", "allow", "")
        await settle(pilot)
        assert "asks to be allowed" not in screen_text(pilot.app)
        await pilot.press("b")
        await pilot.pause()
        assert pilot.app.screen is below(pilot)


async def test_a_replay_sends_nothing_and_knows_nothing_that_came_later(tmp_path: Path) -> None:
    events = story()
    events.append(
        ev.QuestionAsked(id="q", questioner="human", text="x", entry=LAUNCH.id, parent="decision-1")
    )
    app, feed = replay_app(journal(tmp_path, events))
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, feed)
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        screen.go(3)
        await opened(pilot)
        assert len(ids(pilot)) == 4
        assert "asked here" not in screen_text(app)
        assert "Enter write" not in screen_text(app)
        await pilot.press("enter")
        await pilot.pause()
        assert "A replay sends nothing: y copies the question." in screen_text(app)
        await pilot.press("escape")
        screen.go(len(events) - 1)
        await opened(pilot)
        assert "3 [plateau]" in screen_text(app)
        assert "asked here" in screen_text(app)
        assert screen.clock == len(events) - 1


async def test_a_bank_that_cannot_be_read_is_said(banks: list[Bank | BankError]) -> None:
    banks.insert(0, BankError("is not valid YAML", file="/x/[/]/a.yaml"))
    async with live_app(FakeFeed(story())).run_test(size=WIDE) as pilot:
        await pilot.pause()
        await pilot.press("b")
        await settle(pilot)
        assert pilot.app.screen is below(pilot)
        assert "The bank cannot be opened: /x/[/]/a.yaml" in screen_text(pilot.app)
        await opened(pilot)  # and can be, once it is mended
        assert LAUNCH.id in ids(pilot)


async def test_letters_go_to_who_writes() -> None:
    async with live_app(FakeFeed(story())).run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("i", "b")
        await settle(pilot)
        assert pilot.app.screen is below(pilot)
        await pilot.press("escape")
        await type_into(pilot, "slash", "b")
        await settle(pilot)
        assert pilot.app.screen is below(pilot)


async def test_the_palette_and_the_help_of_a_session_have_it() -> None:
    async with live_app(FakeFeed(story())).run_test(size=(120, 120)) as pilot:
        await pilot.pause()
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Help)
        shown = screen_text(pilot.app)
        assert "in the bank" in shown
        assert "Clear every filter and the search" in shown
        await pilot.press("escape", "colon")
        await pilot.press(*"browse the bank")
        for _ in range(100):
            await pilot.pause(0.02)
            if "Browse the bank" in screen_text(pilot.app):
                break
        await pilot.press("enter")
        for _ in range(100):
            await pilot.pause(0.02)
            if isinstance(pilot.app.screen, BankScreen):
                break
        assert isinstance(pilot.app.screen, BankScreen)
