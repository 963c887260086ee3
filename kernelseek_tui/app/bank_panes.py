"""The panes of the bank browser. What is known of effects and reviews comes after the first frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static
from textual.worker import get_current_worker

from bank.bank import Bank
from bank.params import fill
from bank.question import Question
from kernelseek_tui.app.bank_bar import CountBar, FilterBar
from kernelseek_tui.app.bank_detail import BankDetail
from kernelseek_tui.app.bank_filters import MOMENT, MOVED, NUMBER, UNTESTED, Shelf, as_documented, named_by
from kernelseek_tui.app.bank_help import BankKeys
from kernelseek_tui.app.bank_known import Known, learn
from kernelseek_tui.app.bank_list import BankList
from kernelseek_tui.app.bank_rows import COLUMNS, column_rows, detail_rows, entry_rows, spots_of
from kernelseek_tui.app.bank_search import find, named
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line
from kernelseek_tui.app.notice import Notice, NoticeScreen
from kernelseek_tui.app.painted import PAINT
from kernelseek_tui.app.prompt import Prompt
from kernelseek_tui.app.small import MIN_COLUMNS, MIN_ROWS, too_small
from kernelseek_tui.app.standing_row import StandingRow
from sessions.vocabulary import DecisionKind

TYPING = 0.05
"""Seconds without a key after which what was typed is searched: in a thousand entries it takes 0.2."""
LONGEST_ID = 20
"""Cells of an id that are shown in the list."""


@dataclass(frozen=True)
class Site:
    """Where the browser stands.

    `ask(entry, text)` hands a question over and says whether it was taken; None where there is nobody to
    ask, and `nowhere` says so. `alone`: no screen is below. `kind`: the open decision point's, to begin
    with. `facts` fill parameters; `here` counts by entry how often it was asked in the session. `learn` reads
    what is known of the entries.
    """

    ask: Callable[[Question, str], bool] | None = None
    nowhere: str = "There is no session here:"
    alone: bool = False
    kind: DecisionKind | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    here: Mapping[str, int] = field(default_factory=dict)
    learn: Callable[[Bank], Known] = learn


class BankPanes(NoticeScreen):
    """Draws a bank. `trail` holds the places that related entries were gone to from."""

    CSS_PATH = "bank.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012 - as Textual declares it
    COMPONENT_CLASSES = PAINT
    AUTO_FOCUS = "BankList"

    def __init__(self, bank: Bank, glyphs: Glyphs, site: Site) -> None:
        super().__init__()
        self.bank = bank = as_documented(bank)
        self.glyphs = glyphs
        self.site = site
        self.known = Known()
        self.shelf = Shelf(bank.entries, lambda entry: self.known.reached(entry))
        self.text, self._whole = "", False
        self.trail: list[int] = []
        self._ids = min(LONGEST_ID, max((len(entry.id) for entry in bank.entries), default=0))
        self._named_by = named_by(bank.entries)
        self._places = {entry.id: place for place, entry in enumerate(bank.entries)}
        self._due: Timer | None = None
        self._drawn: int | None = None
        self._wanted = 0
        self._ready = False
        if site.kind is not None:
            self.shelf.choose(MOMENT, site.kind.value.replace("_", " "))
        self._begun_with = tuple(self.shelf.chosen)

    def compose(self) -> ComposeResult:
        """Filters, list and entry, prompt, keys."""
        yield FilterBar(self.glyphs, self.shelf)
        yield CountBar(self.glyphs, self.shelf, self._about())
        with Container(id="bank-main"):
            yield BankList(self.glyphs, self._write)
            yield BankDetail(self.glyphs)
        yield Prompt(id="prompt")
        yield StandingRow(self.glyphs, id="bank-alert")
        yield BankKeys(self.glyphs, self.site.ask is not None)
        yield Notice(self.glyphs, id="notice")
        yield Static(too_small(self.glyphs), id="too-small", markup=False)

    @property
    def shown(self) -> BankList:
        """The list."""
        return self.query_one(BankList)

    @property
    def detail(self) -> BankDetail:
        """The entry."""
        return self.query_one(BankDetail)

    def _about(self) -> str:
        entries = self.bank.select()  # as lists and pages count: without the deprecated ones
        gone = len(self.bank.entries) - len(entries)
        hidden = f" ({gone} deprecated hidden)" if gone else ""
        core = sum(entry.core for entry in entries)
        devices = sum(bool(entry.architectures) for entry in entries)
        upstream = sum(entry.needs_upstream for entry in entries)
        return (
            f"{len(entries)} entries{hidden}: {core} core, {devices} for one kind of device, "
            f"{upstream} with an upstream {self.glyphs.dot} bank {self.bank.version}"
        )

    def on_mount(self) -> None:
        """First drawing; then what is known is read beside it."""
        self._ready = True
        self.set_class(not self.glyphs.braille, "-ascii")
        if self.site.kind is not None:
            self.query_one(CountBar).filter = MOMENT
        self.show_list()
        self.call_after_refresh(self._learn)

    @work(thread=True, group="bank")
    def _learn(self) -> None:
        known, app = self.site.learn(self.bank), self.app
        if not get_current_worker().is_cancelled:
            app.call_from_thread(self._learned, known)

    def _learned(self, known: Known) -> None:
        self.known = known
        if self.is_attached:
            self.show_list()

    def on_resize(self, event: events.Resize) -> None:
        """Say which size is needed where there is too little room."""
        was = self.has_class("-tiny")
        self.set_class(event.size.width < MIN_COLUMNS or event.size.height < MIN_ROWS, "-tiny")
        if was and not self.has_class("-tiny") and self._ready and self.focused is None:
            self.shown.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is done that cannot be seen."""
        return action == "close" or not self.has_class("-tiny")

    # what is drawn

    def words(self, place: int) -> str:
        """An entry's question as it would be sent."""
        return fill(self.bank.entries[place].question, self.site.facts)

    def _effect(self, entry: str) -> str:
        reached = self.known.reached(entry)
        return next((effect for effect in (MOVED, NUMBER, UNTESTED) if effect in reached), reached[0])

    def _write(self, place: int, width: int) -> list[Line]:
        entry = self.bank.entries[place]
        here = self.site.here.get(entry.id, 0)
        effect = self._effect(entry.id)
        write = column_rows if self.has_class("-narrow") and width >= COLUMNS else entry_rows
        return write(entry, self.words(place), effect, here, self._ids, width, self.glyphs)

    def show_list(self, best: bool = False) -> None:
        """Draw what passes; the entry that was gone to stays selected, or the next one is while it is hidden.

        `best`: the first is, and is the one that was gone to.
        """
        found, wanted = self.shown, self._wanted
        places = self.shelf.places()
        at = 0
        if wanted in places and not best:
            at = places.index(wanted)
        elif not best:
            at = next((at for at, place in enumerate(places) if place >= wanted), len(places) - 1)
        found.show(places, at)
        if best:
            self.keep()
        total = self.shelf.live
        count = f"{len(places)} of {total}" if self.shelf.filtered else str(total)
        found.border_title = Content(f"QUESTIONS {count}")
        self.query_one(FilterBar).redraw()
        self.query_one(CountBar).redraw()
        self.show_entry()
        self.show_keys()
        # Once the list has its new length: before that it scrolls no further than it was long.
        self.call_after_refresh(lambda: found.select(found.at))

    @property
    def refined(self) -> bool:
        """A filter is set to what the browser did not begin with."""
        pairs = zip(self.shelf.chosen, self._begun_with, strict=True)
        return any(value is not None and value != begun for value, begun in pairs)

    def unrefine(self) -> None:
        """The filters that the browser began with."""
        self.shelf.chosen = list(self._begun_with)
        self.query_one(CountBar).filter = MOMENT if self.site.kind is not None else None
        self.show_list()

    def keep(self) -> None:
        """The selected entry is the one that was gone to."""
        if self.shown.selected is not None:
            self._wanted = self.shown.selected

    def show_entry(self) -> None:
        """Draw the selected entry, from its start when it is another one."""
        place = self.shown.selected
        detail = self.detail
        if place is None:
            detail.border_title = None
            detail.show(None, (), True)
            return
        entry = self.bank.entries[place]
        question, linked = self.words(place), self._named_by.get(entry.id, ())
        here = self.site.here.get(entry.id, 0)
        lay = partial(self._lay, entry, question, here)
        detail.border_title = Content(f"{entry.id} {entry.status}")
        detail.show(lay, spots_of(entry, question, linked), place != self._drawn)
        self._drawn = place

    def _lay(self, entry: Question, question: str, here: int, width: int) -> list[tuple[int | None, Line]]:
        linked = self._named_by.get(entry.id, ())
        return detail_rows(entry, question, self.known, linked, here, width, self.glyphs)

    def show_keys(self) -> None:
        """Draw the bottom row for what the keyboard does now."""
        if self._ready:
            keys = self.query_one(BankKeys)
            keys.searching = self.query_one(Prompt).display
            keys.among_links = self.detail.has_focus
            keys.clears = bool(self.text.strip()) or self.refined
            keys.redraw()

    def search(self, text: str, whole: bool = False) -> None:
        """Show what matches `text`, best first; everything for none. It is looked for beside the screen.

        `whole`: its last word is not still being typed.
        """
        self.text, self._whole = text, whole
        if self._due is not None:
            self._due.stop()
        self.query_one(FilterBar).query_text = text.strip()
        if text.strip():
            self._due = self.set_timer(TYPING, self._find)
            self.query_one(FilterBar).redraw()
        else:
            self._due, self.shelf.found, self.shelf.named = None, None, frozenset()
            self.show_list()

    @work(thread=True, exclusive=True, group="search")
    def _find(self) -> None:
        text, app = self.text, self.app
        found = find(self.bank.entries, text + " " * self._whole)
        meant = named(self.bank.entries, text)
        if not get_current_worker().is_cancelled:
            app.call_from_thread(self._found, text, found, meant)

    def _found(self, text: str, found: list[int], meant: frozenset[int]) -> None:
        if self.is_attached and text == self.text:
            self._due, self.shelf.found, self.shelf.named = None, found, meant
            self.show_list(best=True)

    def alert(self, text: str) -> None:
        """Something below waits for the person: it stands here while it does."""
        if self._ready:
            self.query_one(StandingRow).show(text)

    # going

    def go(self, place: int) -> None:
        """Select an entry, also a deprecated one; filters that hide it are cleared."""
        if place not in self.shown.places:
            self.shelf.named = {*self.shelf.named, place}
            self.show_list()
        if place not in self.shown.places:
            self.shelf.clear()
            self.query_one(CountBar).filter = None
            self.search("")
            self.shelf.named = {place}
            self.show_list()
            self.tell("The filters hid that entry and were cleared.")
        self.shown.select(list(self.shown.places).index(place))
        self.keep()
        self.show_entry()

    def follow(self, entry: str) -> None:
        """Go to a related entry, to come back from it."""
        place = self._places.get(entry)
        if place is None:
            self.tell(f"There is no {entry} in this bank.", "warning")
            return
        if self._drawn is not None:
            self.trail.append(self._drawn)
        self.go(place)
