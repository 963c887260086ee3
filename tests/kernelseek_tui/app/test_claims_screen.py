import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from kernelseek_tui.app import following_screen
from kernelseek_tui.app.claim_list import ClaimList
from kernelseek_tui.app.claims_screen import ClaimsScreen
from kernelseek_tui.app.following_screen import FollowingScreen
from kernelseek_tui.app.glyphs import ASCII
from kernelseek_tui.app.replay_screen import ReplayScreen
from kernelseek_tui.app.scoreboard import Scoreboard
from kernelseek_tui.app.tabs import Tabs
from kernelseek_tui.app.transcript import Transcript
from sessions import events as ev
from tests.kernelseek_tui.app.fakes import FakeFeed, evaluation
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


def claiming(claims: int = 4) -> list[ev.AnyEvent]:
    """Claims #1#, #2# … with a kernel edit and a better score between them, each with its number."""
    made: list[ev.AnyEvent] = [
        ev.SessionStarted(id="start", session="s", agent_name="agent", candidate="k.cu")
    ]
    for number in range(1, claims + 1):
        kind = "This is the hardware limit" if number % 2 else "The work is done"
        made += [
            evaluation(number, (1.0 + number / 2,) * 4, unmet=(f"clause #{number}#",)),
            ev.AgentText(id=f"claim-{number}", text=f"{kind} #{number}#."),
            ev.AgentText(id=f"text-{number}", text="Reading on. " * 12),
            ev.Edit(id=f"edit-{number}", path="k.cu", candidate=True, diff="@@ -1 +1 @@\n-a\n+b\n"),
        ]
    return made


def at_claim(number: int) -> int:
    return 4 * number - 2


def below(pilot: Pilot[Any]) -> FollowingScreen:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, FollowingScreen)
    return screen


async def followed(pilot: Pilot[Any]) -> None:
    """Wait until all events were looked through."""
    screen = below(pilot)
    for _ in range(500):
        if screen.followed == len(screen.feed.events):
            break
        await asyncio.sleep(0.01)
    assert screen.followed == len(screen.feed.events)
    await pilot.pause()


def numbers(pilot: Pilot[Any]) -> set[int]:
    return {int(number) for number in re.findall(r"#(\d+)#", screen_text(pilot.app))}


@pytest.mark.parametrize("size", [WIDE, SMALL, (50, 14)])
async def test_c_lists_the_claims_and_esc_closes_them(size: tuple[int, int]) -> None:
    async with live_app(FakeFeed(claiming(2))).run_test(size=size) as pilot:
        await followed(pilot)
        await pilot.press("c")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ClaimsScreen)
        shown = screen_text(pilot.app)
        assert "limit      beaten later" in shown
        assert "completion contradicted" in shown
        assert "2 claims up to event 9" in shown
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.screen is below(pilot)


async def test_enter_goes_to_the_claim_and_the_ledger_opens_there_again() -> None:
    async with live_app(FakeFeed(claiming())).run_test(size=SMALL) as pilot:
        await followed(pilot)
        await pilot.press("c", "up", "up", "enter")
        await pilot.pause()
        transcript = below(pilot).query_one(Transcript)
        assert pilot.app.screen is below(pilot)
        assert transcript.cursor == at_claim(2)
        assert transcript.has_focus
        await pilot.press("c")
        await pilot.pause()
        chosen = pilot.app.screen.query_one(ClaimList)
        assert (chosen.at, len(chosen.places)) == (1, 4)
        await pilot.press("g", "up", "enter")
        await pilot.pause()
        assert transcript.cursor == at_claim(1)


async def test_a_click_goes_to_the_claim() -> None:
    async with live_app(FakeFeed(claiming())).run_test(size=WIDE) as pilot:
        await followed(pilot)
        await pilot.press("c")
        await pilot.pause()
        await pilot.click(ClaimList, offset=(20, 5))
        await pilot.pause()
        assert below(pilot).query_one(Transcript).cursor == at_claim(3)


async def test_the_mouse_opens_it_from_the_score_and_from_the_tabs() -> None:
    async with live_app(FakeFeed(claiming())).run_test(size=(160, 60)) as pilot:
        await followed(pilot)
        board = below(pilot).query_one(Scoreboard)
        rows = ["".join(text for text, _ in row) for row in board._rows]
        place = next(at for at, row in enumerate(rows) if "claims 4" in row)
        await pilot.click(Scoreboard, offset=(3, place + 1))
        await pilot.pause()
        assert isinstance(pilot.app.screen, ClaimsScreen)
        await pilot.press("escape")
        await pilot.resize_terminal(*SMALL)
        await pilot.pause()
        row = screen_text(pilot.app).split("\n")[1]
        assert "Claims 4" in row
        await pilot.click(Tabs, offset=(row.index("Claims"), 0))
        await pilot.pause()
        assert isinstance(pilot.app.screen, ClaimsScreen)


async def test_the_palette_has_it() -> None:
    async with live_app(FakeFeed(claiming())).run_test(size=WIDE) as pilot:
        await followed(pilot)
        await pilot.press("colon")
        await pilot.pause()
        await pilot.press(*"claim ledger")
        for _ in range(100):
            await pilot.pause(0.02)
            if "what became of it" in screen_text(pilot.app):
                break
        await pilot.press("enter")
        for _ in range(100):
            await pilot.pause(0.02)
            if isinstance(pilot.app.screen, ClaimsScreen):
                break
        assert isinstance(pilot.app.screen, ClaimsScreen)


async def test_nothing_that_came_after_the_cursor_shows(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, claiming()))
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, feed)
        await followed(pilot)
        screen = below(pilot)
        for number in (1, 3, 4, 2):
            screen.go(at_claim(number))
            await pilot.press("c")
            await pilot.pause()
            shown = screen_text(app)
            assert max(numbers(pilot)) == number
            assert len(pilot.app.screen.query_one(ClaimList).places) == number
            assert f"up to event {at_claim(number) + 1}" in shown
            # The first claim is a limit that the second evaluation beats.
            assert ("beaten later" in shown) == (number > 1)
            await pilot.press("escape")
            board = "".join(text for row in screen.query_one(Scoreboard)._rows for text, _ in row)
            assert f"claims {number}" in board


async def test_reading_back_in_a_replay_leaves_its_clock(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, claiming()))
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot, feed)
        await followed(pilot)
        screen = below(pilot)
        assert isinstance(screen, ReplayScreen)
        screen.go(at_claim(3))
        screen.speed = 1 / 64
        await pilot.press("p", "c", "g", "enter")
        await pilot.pause()
        assert screen.query_one(Transcript).cursor == at_claim(1)
        assert not screen.playing
        assert screen.clock == at_claim(3)
        await pilot.press("c")
        await pilot.pause()
        assert len(app.screen.query_one(ClaimList).places) == 3


async def test_kinds_are_shown_in_turn() -> None:
    async with live_app(FakeFeed(claiming())).run_test(size=SMALL) as pilot:
        await followed(pilot)
        await pilot.press("c", "f")
        await pilot.pause()
        assert "2 completions up to event 17" in screen_text(pilot.app)
        assert numbers(pilot) == {2, 4}
        await pilot.press("f")
        await pilot.pause()
        assert numbers(pilot) == {1, 3}
        await pilot.press("f")
        await pilot.pause()
        assert numbers(pilot) == {1, 2, 3, 4}


async def test_an_open_ledger_takes_in_what_comes() -> None:
    feed = FakeFeed(claiming(1))
    async with live_app(feed).run_test(size=SMALL) as pilot:
        await followed(pilot)
        await pilot.press("c")
        await pilot.pause()
        assert "limit      stands" in screen_text(pilot.app)
        for event in claiming(2)[5:]:
            feed.add(event)
        for _ in range(200):
            await asyncio.sleep(0.01)
            if "2 claims up to event 9" in screen_text(pilot.app):
                break
        await pilot.pause()
        shown = screen_text(pilot.app)
        assert "limit      beaten later" in shown
        assert pilot.app.screen.query_one(ClaimList).at == 0
        await pilot.press("escape")
        await settle(pilot)
        assert "Claims 2" in screen_text(pilot.app)


async def test_many_events_are_taken_in_a_little_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following_screen, "WORK", 0.0)  # one event a turn
    monkeypatch.setattr(following_screen, "REST", 3600.0)  # and the turns are ours
    async with live_app(FakeFeed(claiming(20))).run_test(size=SMALL) as pilot:
        screen = below(pilot)
        await pilot.press("c")
        await pilot.pause()
        assert "Looking for claims: 0 of 81 events so far." in screen_text(pilot.app)
        for turn in range(1, 82):
            screen._follow()
            assert screen.followed == turn
        await pilot.pause()
        assert "20 claims up to event 81" in screen_text(pilot.app)
        assert "looked through" not in screen_text(pilot.app)


async def test_only_claims_that_are_drawn_are_judged() -> None:
    async with live_app(FakeFeed(claiming(60))).run_test(size=SMALL) as pilot:
        await followed(pilot)
        await pilot.press("c")
        await pilot.pause()
        found = pilot.app.screen.query_one(ClaimList)
        assert found._view is not None
        assert 0 < len(found._view._rows) < 20
        await pilot.press("g", "pagedown", "pageup", "j", "k", "G")
        await pilot.pause()
        assert numbers(pilot) >= {59, 60}
        assert 0 < len(found._view._rows) < 40


async def test_hostile_words_are_no_markup() -> None:
    feed = FakeFeed([ev.AgentText(id="x", text="The work is done [bold red]now[/] \x1b[31m.")])
    async with live_app(feed, ASCII).run_test(size=SMALL) as pilot:
        await followed(pilot)
        await pilot.press("c")
        await pilot.pause()
        shown = screen_text(pilot.app)
        assert "[bold red]now[/]" in shown
        assert "\x1b" not in shown
        assert shown.isascii()


async def test_letters_go_to_who_writes() -> None:
    async with live_app(FakeFeed(claiming(1))).run_test(size=SMALL) as pilot:
        await followed(pilot)
        await pilot.press("i", "c")
        await pilot.pause()
        assert pilot.app.screen is below(pilot)
        await pilot.press("escape")
        await type_into(pilot, "slash", "c")
        await pilot.pause()
        assert pilot.app.screen is below(pilot)
