"""The list of claims: a claim is judged when it is drawn, so that a list of thousands opens at once."""

from __future__ import annotations

from collections.abc import Sequence

from kernelseek_tui.app.claim_rows import Where, claim_rows, detail_rows
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.item_list import ItemList
from kernelseek_tui.app.lines import Line, wrap_text
from kernelseek_tui.app.painted import Panel
from kernelseek_tui.review.ledger import ClaimRow, View


class ClaimList(ItemList):
    """Two rows a claim. `places` are the claims of the view that are shown."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs, self._rows)
        self._view: View | None = None

    @property
    def claim(self) -> ClaimRow | None:
        """The selected claim."""
        place = self.selected
        return None if self._view is None or place is None else self._view.row(place)

    def show_view(self, view: View, places: Sequence[int], at: int) -> None:
        """Show these claims of `view`."""
        self._view = view
        self.show(places, at)

    def _rows(self, place: int, width: int) -> list[Line]:
        assert self._view is not None
        return claim_rows(self._view.row(place), width, self.glyphs)


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
