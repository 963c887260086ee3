"""A list of two-row items: rows are written when they are drawn, so that thousands open at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, line, wrap_text
from kernelseek_tui.app.painted import Painted

ROWS = 2
Write = Callable[[int, int], list[Line]]
"""The `ROWS` rows of the item at a place, for a width in cells; the first cell of each is a margin."""


class ItemList(Painted, can_focus=True):
    """`places` are the items that are shown, `at` the selected one of them. Without any, `empty` is said."""

    @dataclass
    class Selected(Message):
        """An item was clicked."""

        at: int

    def __init__(self, glyphs: Glyphs, write: Write, empty: str = "", id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(ItemList.glyphs, glyphs)
        self._write = write
        self._empty = empty
        self.places: Sequence[int] = ()
        self.at = 0

    @property
    def selected(self) -> int | None:
        """The place of the selected item."""
        return self.places[self.at] if self.places else None

    def show(self, places: Sequence[int], at: int) -> None:
        """Show these items."""
        self.places = places
        self._fit()
        self.select(at)

    def select(self, at: int) -> None:
        """Select an item and scroll as little as it takes to see it."""
        self.at = max(0, min(at, len(self.places) - 1))
        top, height = self.scroll_offset.y, max(ROWS, self.scrollable_content_region.height)
        if self.at * ROWS < top:
            top = self.at * ROWS
        elif (self.at + 1) * ROWS > top + height:
            top = (self.at + 1) * ROWS - height
        self.scroll_to(y=top, animate=False, immediate=True)
        self.refresh()

    def page(self, step: int) -> None:
        """A page up or down."""
        self.select(self.at + step * max(1, self.scrollable_content_region.height // ROWS - 1))

    def _fit(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, ROWS * len(self.places))

    def on_resize(self) -> None:
        """The selected item stays in view."""
        self._fit()
        self.select(self.at)

    def on_click(self, event: events.Click) -> None:
        """Select what was clicked."""
        offset = event.get_content_offset(self)
        if offset is not None and (at := (offset.y + self.scroll_offset.y) // ROWS) < len(self.places):
            self.select(at)
            self.post_message(self.Selected(at))

    def render_line(self, y: int) -> Strip:
        """A row of the item at view line `y`."""
        width, room = self.size.width, self.scrollable_content_region.width  # beside the scrollbar
        at, inside = divmod(y + self.scroll_offset.y, ROWS)
        if not self.places and self._empty:
            rows = wrap_text(self._empty, "muted", max(4, room - 1), ((" ", "text"),))
            return self.strip(rows[y] if y < len(rows) else (), width)
        if at >= len(self.places):
            return self.strip((), width)
        row = self._write(self.places[at], room)[inside]
        bar = self.glyphs.bar if at == self.at else " "
        return self.strip(marked(row, bar), width, at == self.at)


def marked(row: Line, bar: str) -> Line:
    """The row with `bar` in its first cell, which is a margin."""
    return line((bar, "accent"), (row[0][0][1:], row[0][1]), *row[1:]) if row else ((bar, "accent"),)
