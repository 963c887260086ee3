"""The browser on its own: what is shown at each size, filters and search."""

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from bank.bank import Bank
from kernelseek_tui.app import bank_panes
from kernelseek_tui.app.bank_browse import BankApp, browse_app
from kernelseek_tui.app.bank_help import BankHelp
from kernelseek_tui.app.bank_list import BankList
from kernelseek_tui.app.bank_panes import Site
from kernelseek_tui.app.bank_screen import BankScreen
from kernelseek_tui.app.bindings import bindings_of
from kernelseek_tui.app.glyphs import ASCII, UNICODE
from kernelseek_tui.app.keys import BANK_KEYS
from kernelseek_tui.app.prompt import Prompt
from tests.bank.builders import entry
from tests.kernelseek_tui.app.bank_cases import (
    ENTRIES,
    LAUNCH,
    OLD,
    SLOW,
    SPILL,
    WARP,
    at_rest,
    bank_app,
    browser,
    ids,
    many,
    selected,
)
from tests.kernelseek_tui.app.screens import SMALL, WIDE, screen_text

DOCS = Path(__file__).resolve().parents[3] / "docs"
SIZES = [WIDE, (120, 40), (100, 30), SMALL, (50, 14), (40, 10)]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


async def search(pilot: Pilot[Any], text: str) -> None:
    await pilot.press("slash")
    pilot.app.screen.query_one(Prompt).value = text
    await at_rest(pilot)


def test_every_key_has_an_action_and_means_one_thing() -> None:
    names = [name for key in BANK_KEYS for name in key.keys.split(",")]
    assert len(names) == len(set(names))
    for binding in bindings_of(BANK_KEYS):
        assert hasattr(BankScreen, f"action_{binding.action.partition('(')[0]}"), binding.action
    assert not {"ctrl+b", "ctrl+a", "ctrl+s", "ctrl+q", "ctrl+z"} & set(names)


def test_the_documentation_lists_every_key_and_has_a_picture() -> None:
    text = (DOCS / "keys.md").read_text(encoding="utf-8")
    for key in BANK_KEYS:
        assert f"| `{key.shown}` | {key.text} |" in text, key.text
    assert "(images/bank.svg)" in text
    assert "[plateau]" in (DOCS / "images" / "bank.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("size", SIZES)
async def test_list_and_entry_are_there_at_every_size(size: tuple[int, int]) -> None:
    async with bank_app().run_test(size=size) as pilot:
        await at_rest(pilot)
        shown = screen_text(pilot.app)
        assert "QUESTIONS 5" in shown
        assert "kq-host-901 experimental" in shown
        assert shown.count("How long does one launch take") == 2
        rows = shown.split("\n")
        assert len(rows) == size[1]
        assert rows[-1].startswith(" ? keys  1-6 filter")
        await pilot.press("down")
        assert selected(pilot) == SPILL.id
        await pilot.press("2")
        assert "[to kernel]" in screen_text(pilot.app)


async def test_a_wide_entry_says_all_there_is() -> None:
    async with bank_app().run_test(size=WIDE) as pilot:
        await at_rest(pilot)
        shown = screen_text(pilot.app)
        for words in (
            "asked at    plateau",
            "moves       kernel → host",
            "settled by  time it (with timeline-profiler)",
            "number      start time, in us",
            "answered by a trace of the current build",
            "if          long → look at the layer host",
            "if          short → the claim may stand",
            "effect      untested",
            "reviews     never reviewed",
            "group       host-and-launch-path; gap-triage",
            "for         any devices",
            "provenance  written 2026-11-29, without AI, by tests",
            "related     similar to kq-build-901",
            "source      occupancy was not the cause (2026-11-29)",
            "            https://github.com/some/project/issues/12",
            "5 entries: 3 core, 1 for one kind of device, 1 with an upstream",
        ):
            assert words in shown, words
        await pilot.press("down", "down")
        assert "promoted 2026-11-30, with AI, by A. Tester" in screen_text(pilot.app)
        # A parameter is filled as it would be sent.
        assert "What do the slowest scenarios have in common" in screen_text(pilot.app)
        await pilot.press("down")
        assert "for         any devices, with an upstream at hand" in screen_text(pilot.app)


async def test_a_row_of_the_list_in_ascii() -> None:
    async with bank_app(glyphs=ASCII).run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        await pilot.press("end")
        shown = screen_text(pilot.app)
        assert shown.isascii()
        assert "|kq-hopper-901   How many warps of this Hopper part" in shown
        assert "|hopper          " in shown
        assert " kq-upstream-901 Which counter differs most from the other implementation's, and" in shown
        assert " upstream        by what factor?" in shown
        await pilot.resize_terminal(*WIDE)
        await pilot.pause()
        shown = screen_text(pilot.app)
        assert "kq-upstream-901    kernel -> memory    untested . upstream" in shown
        assert "kq-hopper-901      kernel -> memory    untested . hopper" in shown


async def test_filters_cycle_with_counts_and_clear_with_one_key() -> None:
    async with bank_app().run_test(size=WIDE) as pilot:
        await at_rest(pilot)
        await pilot.press("3", "3")
        shown = screen_text(pilot.app).split("\n")
        assert shown[0].startswith(" 1 group  2 layer  3 [plateau]  4 effect  5 device  6 upstream")
        assert shown[1].startswith("  all 5   scope 1  [plateau 3]  claimed limit 1")
        assert "QUESTIONS 3 of 5" in shown[2]
        assert ids(pilot) == [LAUNCH.id, SLOW.id, WARP.id]
        await pilot.press("5")
        assert "  all 3  [any device 2]  hopper 1" in screen_text(pilot.app)
        assert ids(pilot) == [LAUNCH.id, SLOW.id]
        await pilot.press("right")
        assert ids(pilot) == [WARP.id]
        await pilot.press("left", "left")
        assert ids(pilot) == [LAUNCH.id, SLOW.id, WARP.id]
        await pilot.press("6", "6")
        assert ids(pilot) == []
        assert "No entry passes these filters: 0 clears them." in screen_text(pilot.app)
        await pilot.press("enter", "y", "down", "tab", "tab", "space")
        await pilot.press("0")
        assert ids(pilot) == [one.id for one in ENTRIES]
        assert "1 group  2 layer  3 moment" in screen_text(pilot.app)


@pytest.mark.parametrize("width", [80, 60, 50])
async def test_all_filters_at_once_stay_on_one_row(width: int) -> None:
    async with bank_app().run_test(size=(width, 24)) as pilot:
        await at_rest(pilot)
        screen = browser(pilot)
        for at, item in enumerate(screen.shelf.filters):
            longest = max(range(len(item.values)), key=lambda place: len(item.values[place].short))
            screen.shelf.chosen[at] = longest
        screen.show_list()
        await pilot.pause()
        row = screen_text(pilot.app).split("\n")[0]
        assert len(row) == width
        if width == 80:
            assert [f"{number} [" in row for number in range(1, 7)] == [True] * 6


async def test_the_selected_entry_stays_while_filters_change_around_it() -> None:
    async with bank_app().run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        await pilot.press("down", "down", "down", "down")
        assert selected(pilot) == WARP.id
        await pilot.press("3", "3")
        assert selected(pilot) == WARP.id
        await pilot.press("5")
        assert selected(pilot) == SLOW.id  # the nearest one left
        await pilot.press("0")
        assert selected(pilot) == WARP.id


async def test_search_finds_as_one_types_and_esc_ends_it() -> None:
    async with bank_app().run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        await pilot.press("slash", *"comp")
        await at_rest(pilot)
        assert ids(pilot) == [SPILL.id]
        assert "/ comp" in screen_text(pilot.app).split("\n")[0]
        assert "Enter keep what is found" in screen_text(pilot.app).split("\n")[-1]
        await pilot.press("enter")
        assert browser(pilot).query_one(BankList).has_focus
        await pilot.press("1")  # a filter now, no letter of the search
        assert ids(pilot) == []
        await pilot.press("left")
        assert ids(pilot) == [SPILL.id]
        await pilot.press("slash")
        assert browser(pilot).query_one(Prompt).value == "comp"
        await pilot.press("escape")
        await at_rest(pilot)
        assert len(ids(pilot)) == 5
        assert selected(pilot) == SPILL.id
        assert "/ comp" not in screen_text(pilot.app)


async def test_a_search_shows_the_best_first_and_arrows_walk_in_it() -> None:
    async with bank_app().run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        await pilot.press("end")
        await search(pilot, "how many")
        assert len(ids(pilot)) >= 2
        assert selected(pilot) == ids(pilot)[0]
        await pilot.press("down")
        assert selected(pilot) == ids(pilot)[1]
        await pilot.press("enter")
        await at_rest(pilot)
        assert selected(pilot) == ids(pilot)[1]


async def test_esc_takes_one_step_back_at_a_time() -> None:
    app = bank_app()
    async with app.run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        await search(pilot, "compiler")
        await pilot.press("enter")
        await at_rest(pilot)
        await pilot.press("4")
        assert "Esc back" in screen_text(app)
        assert ids(pilot) == [SPILL.id]
        await pilot.press("escape")
        await at_rest(pilot)
        assert len(ids(pilot)) == 5
        assert "4 [untested]" in screen_text(app)
        await pilot.press("escape")
        await at_rest(pilot)
        assert "4 effect" in screen_text(app)
        assert "Esc close" in screen_text(app)
        assert selected(pilot) == SPILL.id
        await pilot.press("escape")
        await pilot.pause()
        assert not app.is_running


@pytest.mark.parametrize("key", ["b", "q"])
async def test_b_and_q_close_whatever_is_set(key: str) -> None:
    app = bank_app()
    async with app.run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        await pilot.press("4", key)
        await pilot.pause()
        assert not app.is_running


async def test_it_begins_with_the_groups_in_the_order_of_the_pages() -> None:
    first = entry(id="kq-scope-902", group="scope-and-triage", question="What is lost?")
    async with bank_app([*reversed(ENTRIES), first]).run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        assert ids(pilot) == [first.id, *(one.id for one in ENTRIES)]
    shipped = Bank.load()
    async with browse_app(shipped, UNICODE).run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        assert selected(pilot) == "kq-scope-001"
        assert len(ids(pilot)) == len(shipped.select())
        shown = screen_text(pilot.app)
        assert f"QUESTIONS {len(shipped.select())}" in shown
        assert f"{len(shipped.select())} entries" in shown
        assert f": {len(shipped.select(core=True))} core" in shown
        # at 80x24 six of them have room, most of them whole
        rows = shown.split("\n")[3:15]
        assert sum(row[1:4] == "kq-" for row in rows) == 6


async def test_deprecated_ones_are_found_by_id_and_by_their_filter() -> None:
    async with bank_app([*ENTRIES, OLD]).run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        assert len(ids(pilot)) == 5
        assert "5 entries (1 deprecated hidden): 3 core" in screen_text(pilot.app)
        await search(pilot, "launch")
        assert ids(pilot) == [LAUNCH.id]
        await search(pilot, "host-909")
        assert ids(pilot) == [OLD.id]
        assert "kq-host-909 deprecated" in screen_text(pilot.app)
        await pilot.press("escape", "left")
        await at_rest(pilot)
        await pilot.press("4", "left", "left")
        assert "[deprecated 1]" in screen_text(pilot.app)
        assert ids(pilot) == [OLD.id]
        # a related one is gone to, though it is hidden; and the list shows where it is
        await pilot.press("0", "tab", "end", "tab")
        browser(pilot).go(browser(pilot)._places[LAUNCH.id])
        browser(pilot).follow(OLD.id)
        assert selected(pilot) == OLD.id
        assert "replaced by kq-host-901" in "".join(
            text for row in browser(pilot).detail._rows for text, _ in row
        )
        browser(pilot).follow(LAUNCH.id)
        assert "replaces kq-host-909" in "".join(
            text for row in browser(pilot).detail._rows for text, _ in row
        )


async def test_the_selected_one_is_in_view_after_a_search_is_cleared() -> None:
    app = BankApp(lambda glyphs: BankScreen(many(300), glyphs, Site(alone=True)), glyphs=UNICODE)
    async with app.run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        await search(pilot, "number 217")
        await pilot.press("enter")
        await at_rest(pilot)
        wanted = selected(pilot)
        await pilot.press("escape")
        await at_rest(pilot)
        assert len(ids(pilot)) == 300
        assert f"▌{wanted}" in screen_text(app)


async def test_resizing_keeps_selection_filters_and_place() -> None:
    app = BankApp(lambda glyphs: BankScreen(many(300), glyphs, Site(alone=True)), glyphs=UNICODE)
    async with app.run_test(size=WIDE) as pilot:
        await at_rest(pilot)
        browser(pilot)._select(217)
        before = selected(pilot)
        for size in (SMALL, (50, 14), (120, 40), (39, 9), (100, 30), WIDE):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert selected(pilot) == before
            if size == (39, 9):
                assert "smaller than 40×10" in " ".join(screen_text(app).split())
                await pilot.press("down", "3", "slash")
                assert selected(pilot) == before
            else:
                shown = screen_text(app)
                assert f"{before} experimental" in shown
                assert f"▌{before}" in shown


async def test_a_thousand_entries_are_written_only_where_they_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: set[str] = set()
    write = bank_panes.column_rows

    def counting(one: Any, *more: Any) -> Any:
        drawn.add(one.id)
        return write(one, *more)

    monkeypatch.setattr(bank_panes, "column_rows", counting)
    app = BankApp(lambda glyphs: BankScreen(many(1000), glyphs, Site(alone=True)), glyphs=UNICODE)
    async with app.run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        assert len(ids(pilot)) == 1000
        assert 0 < len(drawn) < 20
        await pilot.press("end", "pageup", "home", "pagedown")
        await pilot.pause()
        assert 0 < len(drawn) < 60
        await search(pilot, "number 77")
        await pilot.press("enter")
        await at_rest(pilot)
        assert "number 77 of" in screen_text(app)


async def test_standing_alone_nothing_is_sent_and_q_quits() -> None:
    app = bank_app()
    async with app.run_test(size=SMALL) as pilot:
        await at_rest(pilot)
        assert "Enter write" not in screen_text(app)
        await pilot.press("enter")
        assert "There is no session here: y copies the question." in screen_text(app)
        await pilot.press("q")
        await pilot.pause()
        assert not app.is_running


async def test_help_and_palette_have_every_key() -> None:
    app = bank_app()
    async with app.run_test(size=(120, 90)) as pilot:
        await at_rest(pilot)
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, BankHelp)
        shown = " ".join(screen_text(app).replace("│", " ").split())
        for key in BANK_KEYS:
            assert f"{key.shown} {key.text}" in shown, key.text
        await pilot.press("escape", "colon")
        await pilot.press(*"filter the bank by device")
        for _ in range(100):
            await pilot.pause(0.02)
            if "Filter the bank by device: next value" in screen_text(app):
                break
        await pilot.press("enter")
        for _ in range(100):
            await pilot.pause(0.02)
            if "[any device]" in screen_text(app):
                break
        assert "5 [any device]" in screen_text(app)
