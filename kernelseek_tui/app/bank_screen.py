"""The browser of a bank: what its keys do. Over a session it can hand a question to the composer."""

from __future__ import annotations

import os
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType

from kernelseek_tui.app.bank_bar import CountBar, FilterBar
from kernelseek_tui.app.bank_detail import BankDetail
from kernelseek_tui.app.bank_help import BankCommands, BankHelp
from kernelseek_tui.app.bank_list import BankList
from kernelseek_tui.app.bank_panes import BankPanes
from kernelseek_tui.app.bank_search import unfinished
from kernelseek_tui.app.bindings import bindings_of
from kernelseek_tui.app.clipboard import osc52
from kernelseek_tui.app.key_bar import KeyBar
from kernelseek_tui.app.keys import BANK_KEYS
from kernelseek_tui.app.prompt import Prompt


class BankScreen(BankPanes):
    """Filters, search, reading, copying; `site.ask` takes what Enter hands over."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", show=False),  # before `close`, which it also is
        *bindings_of(BANK_KEYS),
    ]
    COMMANDS = {BankCommands}  # noqa: RUF012 - as Textual declares it

    # moving

    def _select(self, at: int) -> None:
        self.shown.select(at)
        self.keep()
        self.show_entry()

    def action_move(self, step: int) -> None:
        """One entry up or down, or one link of the entry."""
        if self.detail.has_focus:
            self.detail.step(step)
        else:
            self._select(self.shown.at + step)

    def action_page(self, step: int) -> None:
        """A page up or down."""
        if self.detail.has_focus:
            self.detail.page(step)
        else:
            self.shown.page(step)
            self.keep()
            self.show_entry()

    def action_end(self, last: int) -> None:
        """The first entry, or the last."""
        if self.detail.has_focus:
            self.detail.choose(len(self.detail.spots) - 1 if last else 0)
        else:
            self._select(len(self.shown.places) - 1 if last else 0)

    def action_read(self) -> None:
        """Read on in the entry."""
        self.detail.read_on()

    def action_side(self) -> None:
        """From the list to the entry, and back."""
        self.query_one(Prompt).done()
        (self.shown if self.detail.has_focus else self.detail).focus()
        self.show_keys()

    @on(BankList.Selected)
    def _clicked(self) -> None:
        self.keep()
        self.show_entry()

    # filters and search

    def action_filter(self, at: int) -> None:
        """The next value of a filter."""
        self._step(at, 1)

    def action_filter_step(self, step: int) -> None:
        """The next value of the filter used last, or the one before."""
        used = self.query_one(CountBar).filter
        if used is None:
            self.tell("1 to 6 set a filter first.")
        else:
            self._step(used, step)

    def _step(self, at: int, step: int) -> None:
        self.query_one(CountBar).filter = at
        self.shelf.step(at, step)
        self.show_list()

    @on(FilterBar.Pressed)
    def _filter_clicked(self, message: FilterBar.Pressed) -> None:
        self._step(message.at, 1)

    def action_clear(self) -> None:
        """Every entry again; the selected one stays selected."""
        self.query_one(CountBar).filter = None
        self.shelf.clear()
        self.search("")
        self.query_one(Prompt).done()
        self.shown.focus()

    def action_search(self) -> None:
        """Ask what to search."""
        prompt = self.query_one(Prompt)
        prompt.ask("search", "search the bank; Enter keeps what is found, Esc ends the search")
        if self.text:
            prompt.value = self.text
        self.show_keys()

    @on(Prompt.Answered)
    def _answered(self, message: Prompt.Answered) -> None:
        if message.final:
            if unfinished(message.text):
                self.search(message.text, whole=True)
            self.query_one(Prompt).done()
            self.shown.focus()
            self.show_keys()
        elif message.text != self.text:
            self.search(message.text)

    @on(Prompt.GivenUp)
    def _given_up(self) -> None:
        self.query_one(Prompt).done()
        self.search("")
        self.shown.focus()
        self.show_keys()

    # using an entry

    def action_take(self) -> None:
        """Go to the related entry that is marked; else hand the question over."""
        spot, place = self.detail.spot, self.shown.selected
        if spot is not None and spot.entry is not None:
            self.follow(spot.entry)
        elif place is None:
            self.tell("There is no question to take.")
        elif self.site.ask is None:
            self.tell(f"{self.site.nowhere} y copies the question.")
        elif self.site.ask(self.bank.entries[place], self.words(place)):
            self.dismiss()

    @on(BankDetail.Picked)
    def _link_clicked(self, message: BankDetail.Picked) -> None:
        entry = self.detail.spots[message.at].entry
        if entry is not None:
            self.follow(entry)
        self.show_keys()

    def action_before(self) -> None:
        """Back along the related entries."""
        if self.trail:
            self.go(self.trail.pop())
        else:
            self.tell("No related entry was gone to.")

    def action_copy(self) -> None:
        """Copy the question, or the marked link."""
        spot, driver = self.detail.spot, self.app._driver
        if spot is not None and driver is not None:
            driver.write(osc52(spot.copied, os.environ))
            # Nothing answers: that it was sent is all that is known.
            self.tell(f"The {spot.what} was sent to the terminal's clipboard (OSC 52).")

    # the rest

    @on(KeyBar.Pressed)
    async def _pressed(self, message: KeyBar.Pressed) -> None:
        await self.run_action(message.action)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The keys are those of what has the focus."""
        self.show_keys()

    def action_help(self) -> None:
        """All keys and filters."""
        self.app.push_screen(BankHelp(self.glyphs))

    def action_palette(self) -> None:
        """All commands."""
        self.app.action_command_palette()

    def action_back(self) -> None:
        """One step: end the search, then clear the filters, then close."""
        if self.text.strip():
            self.search("")
            self.shown.focus()
        elif self.refined:
            self.unrefine()
        else:
            self.action_close()

    def action_close(self) -> None:
        """Back to the session; standing alone, the program ends."""
        if self.site.alone:
            self.app.exit()
        else:
            self.dismiss()
