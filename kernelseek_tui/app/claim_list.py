"""The list of claims: a claim is judged when it is drawn, so that a list of thousands opens at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from kernelseek_tui.app.claim_rows import ROWS, Where, claim_rows, detail_rows
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, wrap_text
from kernelseek_tui.app.painted import Painted, Panel
from kernelseek_tui.review.ledger import ClaimRow, View


class ClaimList(Painted, can_focus=True):
    """Two rows a claim. `places` are the claims of the view that are shown, `at` the selected one of them."""

    @dataclass
    class Picked(Message):
        """A claim was clicked."""

        at: int

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.set_reactive(ClaimList.glyphs, glyphs)
        self._view: View | None = None
        self.places: Sequence[int] = ()
        self.at = 0

    @property
    def selected(self) -> ClaimRow | None:
        """The selected claim."""
        return self._view.row(self.places[self.at]) if self._view and self.places else None

    def show(self, view: View, places: Sequence[int], at: int) -> None:
        """Show these claims of `view`."""
        self._view, self.places = view, places
        self._fit()
        self.select(at)

    def select(self, at: int) -> None:
        """Select a claim and scroll as little as it takes to see it."""
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
        """The selected claim stays in view."""
        self._fit()
        self.select(self.at)

    def on_click(self, event: events.Click) -> None:
        """Go to the claim that was clicked."""
        offset = event.get_content_offset(self)
        if offset is not None and (at := (offset.y + self.scroll_offset.y) // ROWS) < len(self.places):
            self.select(at)
            self.post_message(self.Picked(at))

    def render_line(self, y: int) -> Strip:
        """A row of the claim at view line `y`."""
        width = self.size.width
        at, inside = divmod(y + self.scroll_offset.y, ROWS)
        if self._view is None or at >= len(self.places):
            return self.strip((), width)
        row = claim_rows(self._view.row(self.places[at]), width, self.glyphs)[inside]
        bar = self.glyphs.bar if at == self.at else " "
        return self.strip(((bar, "accent"), *_without_margin(row)), width, at == self.at)


def _without_margin(row: Line) -> Line:
    """The row without its first cell, where the bar of the selected claim stands."""
    return ((row[0][0][1:], row[0][1]), *row[1:])


class ClaimDetail(Panel):
    """All there is to say of the selected claim, or why there is none."""

    def __init__(self, glyphs: Glyphs, where: Where) -> None:
        super().__init__()
        self.set_reactive(ClaimDetail.glyphs, glyphs)
        self._where = where
        self._row: ClaimRow | None = None
        self._empty = ""

    def show(self, row: ClaimRow | None, empty: str) -> None:
        """Draw `row`; without one, the sentence `empty`."""
        self._row, self._empty = row, empty
        self.redraw()
        self.refresh(layout=True)

    def rows(self, width: int) -> list[Line]:
        """A sentence each."""
        if self._row is None:
            return wrap_text(self._empty, "muted", width - 1, ((" ", "text"),))
        return detail_rows(self._row, self._where, width, self.glyphs)
