"""One bank entry with all that stands beside its question; its links can be walked, copied and followed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.strip import Strip

from kernelseek_tui.app.bank_rows import Placed, Spot
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.item_list import marked
from kernelseek_tui.app.lines import Line
from kernelseek_tui.app.painted import Panel

Lay = Callable[[int], list[Placed]]
"""The rows of the entry for a width in cells."""


class BankDetail(Panel, can_focus=True):
    """`at` is the spot that a key means: the question, a related entry or a link, from 0."""

    @dataclass
    class Picked(Message):
        """A spot was clicked."""

        at: int

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="bank-detail")
        self.set_reactive(BankDetail.glyphs, glyphs)
        self._lay: Lay | None = None
        self._owners: list[int | None] = []
        self.spots: Sequence[Spot] = ()
        self.at = 0

    @property
    def spot(self) -> Spot | None:
        """What a key means while the links have the focus; else the question."""
        return self.spots[self.at if self.has_focus else 0] if self.spots else None

    def show(self, lay: Lay | None, spots: Sequence[Spot], afresh: bool) -> None:
        """Draw an entry, from its start when it is another one (`afresh`); None draws nothing."""
        self._lay, self.spots = lay, spots
        if afresh:
            self.at = 0
            self.scroll_to(y=0, animate=False, immediate=True)
        self.redraw()

    def rows(self, width: int) -> list[Line]:
        """The rows for this width."""
        placed = self._lay(width) if self._lay is not None else []
        self._owners = [owner for owner, _ in placed]
        return [row for _, row in placed]

    def step(self, step: int) -> None:
        """The next spot, or the one before; it is scrolled into view."""
        self.choose(self.at + step)

    def choose(self, at: int) -> None:
        """Mark a spot."""
        self.at = max(0, min(at, len(self.spots) - 1))
        rows = [row for row, owner in enumerate(self._owners) if owner == self.at]
        top, height = self.scroll_offset.y, self.size.height
        if rows and not (top <= rows[0] and rows[-1] < top + height):
            self.scroll_to(y=max(0, rows[-1] - height + 1) if rows[0] > top else rows[0], animate=False)
        self.refresh()

    def read_on(self) -> None:
        """A page down; at the end, back to the start."""
        if self.scroll_offset.y >= self.max_scroll_y:
            self.scroll_to(y=0, animate=False)
        else:
            self.scroll_relative(y=max(1, self.size.height - 1), animate=False)

    def page(self, step: int) -> None:
        """A page up or down."""
        self.scroll_relative(y=step * max(1, self.size.height - 1), animate=False)

    def on_focus(self) -> None:
        """The marked spot shows."""
        self.choose(self.at)

    def on_blur(self) -> None:
        """It shows no more."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Mark what was clicked."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        at = offset.y + self.scroll_offset.y
        owner = self._owners[at] if at < len(self._owners) else None
        if owner is not None:
            self.choose(owner)
            self.post_message(self.Picked(owner))

    def render_line(self, y: int) -> Strip:
        """The row at view line `y`; those of the marked spot have a bar."""
        at = y + self.scroll_offset.y
        rows = self._rows
        if at >= len(rows):
            return self.strip((), self.size.width)
        if self.has_focus and self._owners[at] == self.at:
            return self.strip(marked(rows[at], self.glyphs.bar), self.size.width, True)
        return self.strip(rows[at], self.size.width)
