"""One entry in the browser: links, copying, the mouse, effects, and words of strangers."""

import asyncio
import base64
import re
from pathlib import Path

import pytest
from textual.events import MouseScrollDown

from bank.bank import Bank
from kernelseek_tui.app.bank_bar import FilterBar
from kernelseek_tui.app.bank_browse import BankApp
from kernelseek_tui.app.bank_detail import BankDetail
from kernelseek_tui.app.bank_known import Known
from kernelseek_tui.app.bank_list import BankList
from kernelseek_tui.app.bank_panes import Site
from kernelseek_tui.app.bank_screen import BankScreen
from kernelseek_tui.app.glyphs import ASCII, UNICODE
from tests.bank.builders import entry
from tests.kernelseek_tui.app.bank_cases import (
    ENTRIES,
    LAUNCH,
    SLOW,
    SPILL,
    asked,
    at_rest,
    bank_app,
    browser,
    ids,
    keep,
    many,
    selected,
)
from tests.kernelseek_tui.app.screens import SMALL, WIDE, screen_text


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What goes to the clipboard."""
    found: list[str] = []
    take = lambda text, environment: found.append(text) or ""  # type: ignore[func-returns-value] # noqa: E731
    monkeypatch.setattr("kernelseek_tui.app.bank_screen.osc52", take)
    return found


async def test_tab_walks_the_links_and_y_copies_what_is_marked(written: list[str]) -> None:
    async with bank_app().run_test(size=WIDE) as pilot:
        await at_rest(pilot)
        await pilot.press("y", "tab", "y", "down", "down", "y", "down", "y", "down", "y")
        assert written == [
            LAUNCH.question,
            LAUNCH.question,
            "https://github.com/some/project/issues/12",
            "https://example.org/notes",
            "https://example.org/notes",
        ]
        shown = screen_text(pilot.app)
        assert "▌            https://example.org/notes" in shown
        assert "The link was sent to the terminal's clipboard (OSC 52)." in shown
        await pilot.press("tab", "down", "y")
        assert written[-1] == "How many values does the compiler keep in memory on this device?"


async def test_copying_writes_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.delenv("STY", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    async with bank_app().run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        sent: list[str] = []
        driver = pilot.app._driver
        assert driver is not None
        monkeypatch.setattr(driver, "write", sent.append)
        await pilot.press("y")
        payload = re.search(r"\x1b\]52;c;([^\a]*)\a", "".join(sent))
        assert payload is not None
        assert base64.b64decode(payload[1]).decode() == LAUNCH.question


async def test_related_entries_are_gone_to_and_come_back_from() -> None:
    async with bank_app().run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        await pilot.press("1", *["right"] * 4, "tab", "down", "enter")  # only the host group
        assert selected(pilot) == SPILL.id
        assert "filters hid that entry" in screen_text(pilot.app)
        assert "similar to kq-host-901" in "".join(
            text for row in browser(pilot).detail._rows for text, _ in row
        )
        await pilot.press("backspace")
        assert selected(pilot) == LAUNCH.id
        await pilot.press("backspace")
        assert selected(pilot) == LAUNCH.id


async def test_a_related_entry_that_is_not_there_is_said() -> None:
    lost = entry(related=[{"id": "kq-gone-001", "type": "merged"}])
    async with bank_app([lost]).run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        await pilot.press("tab", "down", "enter")
        assert "There is no kq-gone-001 in this bank." in screen_text(pilot.app)
        assert selected(pilot) == lost.id


async def test_space_reads_on_and_round() -> None:
    async with bank_app().run_test(size=(50, 14)) as pilot:
        await at_rest(pilot)
        detail = browser(pilot).detail
        tops = [0]
        for _ in range(40):
            await pilot.press("space")
            await pilot.pause()
            tops.append(int(detail.scroll_offset.y))
            if tops[-1] == 0:
                break
        assert tops[-1] == 0
        assert len(tops) > 3
        assert selected(pilot) == LAUNCH.id


async def test_the_mouse_selects_scrolls_filters_and_follows() -> None:
    async with bank_app().run_test(size=WIDE) as pilot:
        await at_rest(pilot)
        await pilot.click(BankList, offset=(10, 6))
        assert selected(pilot) == SLOW.id
        row = screen_text(pilot.app).split("\n")[0]
        await pilot.click(FilterBar, offset=(row.index("layer"), 0))
        assert "[to kernel]" in screen_text(pilot.app)
        last = screen_text(pilot.app).split("\n")[-1]
        await pilot.click("#bank-keys", offset=(last.index("0 all"), 0))
        assert len(ids(pilot)) == 5
        await pilot.click(BankList, offset=(10, 2))
        rows = ["".join(text for text, _ in row) for row in browser(pilot).detail._rows]
        at = next(number for number, text in enumerate(rows) if text.startswith(" related"))
        await pilot.click(BankDetail, offset=(20, at + 1))
        await pilot.pause()
        assert selected(pilot) == SPILL.id


async def test_the_wheel_scrolls_without_selecting() -> None:
    app = BankApp(lambda glyphs: BankScreen(many(100), glyphs, Site(alone=True)), glyphs=UNICODE)
    async with app.run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        found = browser(pilot).shown
        before = selected(pilot)
        for _ in range(5):
            found.post_message(MouseScrollDown(found, 5, 5, 0, 1, 0, False, False, False))
        await pilot.pause()
        assert found.scroll_offset.y > 0
        assert selected(pilot) == before
        await pilot.press("down")
        assert found.scroll_offset.y <= 2


async def test_effects_come_after_the_first_frame(home: Path) -> None:
    number = {"calls": 1, "measured": ["host"], "new_number": True, "first_measured": ["host"]}
    keep(home, asked(LAUNCH, "s1", outcome=number), asked(SPILL, "s1"))
    async with bank_app().run_test(size=WIDE) as pilot:
        await at_rest(pilot)
        shown = screen_text(pilot.app)
        assert "kernel → host      moved a layer" in shown
        assert "kernel → build     asked" in shown
        assert "a number came back: 1 of 1 (21–100 %)" in shown
        await pilot.press("4")
        assert "  all 5  [untested 3]  asked 2   with a number 1   moved a layer 1" in screen_text(pilot.app)
        await pilot.press("4")
        assert ids(pilot) == [LAUNCH.id, SPILL.id]


async def test_what_is_known_may_come_late_or_when_the_screen_has_gone() -> None:
    gate = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(bank: Bank) -> Known:
        asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
        return Known(read=True)

    bank = Bank(ENTRIES)
    app = bank_app()
    async with app.run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        late = BankScreen(bank, UNICODE, Site(learn=slow))
        await app.push_screen(late)
        await pilot.pause()
        await pilot.press("down", "3")
        assert "are being read" in "".join(text for row in late.detail._rows for text, _ in row)
        await pilot.press("escape", "escape")  # the filter, then the browser
        await pilot.pause()
        assert app.screen is not late
        gate.set()
        await at_rest(pilot)
        assert len(ids(pilot)) == 5


async def test_hostile_entries_are_no_markup_and_an_empty_bank_is_empty() -> None:
    hostile = entry(
        question="Is [bold red]this[/] a number, and [@click=app.exit]how large[/] is it?",
        answered_when="a [31mred[0m [/] record back",
        sources=[{"ref": "https://x/[/][0m", "lesson": "[b +", "seen": "2026-11-29"}],
    )
    for glyphs in (UNICODE, ASCII):
        app = bank_app([hostile], glyphs)
        async with app.run_test(size=WIDE) as pilot:
            await at_rest(pilot)
            shown = screen_text(app)
            assert "[bold red]this[/]" in shown
            assert "[b +" in shown
            assert "\x1b" not in shown
            assert "\u202e" not in shown
            await pilot.press("tab", "end", "y", "slash", "[", "slash", "]")
            await at_rest(pilot)
            assert "/ [/]" in screen_text(app).split("\n")[0]
    app = bank_app([])
    async with app.run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        await pilot.press("down", "end", "enter", "y", "tab", "down", "enter", "space", "1", "slash", "a")
        await at_rest(pilot)
        assert "QUESTIONS 0 of 0" in screen_text(app)
