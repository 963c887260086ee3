"""The row of filters, and the counts of the one used last; a click on a filter is its key."""

from dataclasses import dataclass

from textual import events
from textual.message import Message

from kernelseek_tui.app.bank_filters import Shelf
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, clip, line, pad, width_of
from kernelseek_tui.app.painted import Panel
from kernelseek_tui.plain import one_line

NARROW = 7
"""Cells of a value where not all of them have room."""


class FilterBar(Panel):
    """One row: each filter's key, and its value where it is set, else its name; last, the search."""

    @dataclass
    class Pressed(Message):
        """A filter was clicked."""

        at: int

    def __init__(self, glyphs: Glyphs, shelf: Shelf) -> None:
        super().__init__(id="bank-filters")
        self.set_reactive(FilterBar.glyphs, glyphs)
        self._shelf = shelf
        self._edges: list[tuple[int, int, int]] = []
        self.query_text = ""

    def rows(self, width: int) -> list[Line]:
        """As much as fits: names of unset filters go first, then the ends of values."""
        for named, room in ((True, 0), (False, 0), (False, NARROW)):
            parts = self._parts(named, room)
            if sum(width_of(part) for part in parts) <= width:
                break
        self._edges, at = [], 0
        for place, part in enumerate(parts):
            cells = width_of(part)
            if place < len(self._shelf.filters):
                self._edges.append((at, at + cells, place))
            at += cells
        return [clip(tuple(span for part in parts for span in part), width, self.glyphs.more)]

    def _parts(self, named: bool, room: int) -> list[Line]:
        parts = []
        for at, (item, chosen) in enumerate(zip(self._shelf.filters, self._shelf.chosen, strict=True)):
            key = (f" {at + 1}", "key")
            if chosen is None:
                parts.append(line(key, (f" {item.label} " if named else "", "muted")))
                continue
            short = item.values[chosen].short
            short = pad(short, room).rstrip() if room and len(short) > room else short
            parts.append(line(key, (" ", "text"), (f"[{short}]", "strong"), (" ", "text")))
        if self.query_text:
            words = one_line(self.query_text, 60)
            words = pad(words, room).rstrip() if room and len(words) > room else words
            parts.append(line((" / ", "key"), (words, "hit")))
        return parts

    def on_click(self, event: events.Click) -> None:
        """The filter that was clicked."""
        for start, end, at in self._edges:
            if start <= event.x < end:
                self.post_message(self.Pressed(at))


class CountBar(Panel):
    """One row: what the filter used last may be set to, each with its number of entries; or what is there."""

    def __init__(self, glyphs: Glyphs, shelf: Shelf, about: str) -> None:
        """`about` stands there until a filter is used."""
        super().__init__(id="bank-counts")
        self.set_reactive(CountBar.glyphs, glyphs)
        self._shelf = shelf
        self._about = about
        self.filter: int | None = None

    def rows(self, width: int) -> list[Line]:
        """The values around the one that is set."""
        if self.filter is None:
            return [clip(line((f" {one_line(self._about)}", "faint")), width, self.glyphs.more)]
        item, chosen = self._shelf.filters[self.filter], self._shelf.chosen[self.filter]
        unset, counts = self._shelf.counts(self.filter)
        words = [f"all {unset}", *(f"{v.words} {n}" for v, n in zip(item.values, counts, strict=True))]
        at = 0 if chosen is None else chosen + 1
        spans = [
            (f" [{text}]" if place == at else f"  {text} ", "chosen" if place == at else "muted")
            for place, text in enumerate(words)
        ]
        # Values before the set one go out of the row, one by one, until the set one has room.
        first = 0
        while first < at and width_of(spans[first : at + 1]) > width - 2:
            first += 1
        lead = line((self.glyphs.more if first else "", "faint"))
        return [clip((*lead, *spans[first:]), width, self.glyphs.more)]
