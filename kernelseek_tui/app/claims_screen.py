"""The claim ledger over a session's screen: what was claimed up to the cursor, and what became of it."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from kernelseek_tui.app.bindings import bindings_of
from kernelseek_tui.app.claim_list import ClaimDetail, ClaimList
from kernelseek_tui.app.claim_rows import Where, nothing_claimed
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.key_bar import KeyBar
from kernelseek_tui.app.keys import CLAIM_KEYS
from kernelseek_tui.app.painted import PAINT
from kernelseek_tui.review.ledger import View

KINDS = ("", "completion", "limit")
"""What `f` shows, in turn: all claims, or those of one kind."""


class ClaimBar(KeyBar):
    """The keys of the ledger."""

    def places(self) -> list[tuple[str, str, str]]:
        """All of them that have a word."""
        return [(key.foot or key.shown, key.label, key.action) for key in CLAIM_KEYS if key.footer]


class ClaimsScreen(ModalScreen[int | None]):
    """Answers with the event to go to, or None. `show` draws what is known; the screen below calls it."""

    CSS_PATH = "claims.tcss"
    COMPONENT_CLASSES = PAINT
    AUTO_FOCUS = "ClaimList"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of(CLAIM_KEYS)]

    def __init__(self, glyphs: Glyphs, where: Where, view: View, known: int, looked: int, near: int) -> None:
        """`near`: the event whose claim, or the one before it, is selected first. For the rest see `show`."""
        super().__init__()
        self._glyphs = glyphs
        self._where = where
        self._view, self._known, self._looked = view, known, looked
        self._near = near
        self._kind = ""

    def compose(self) -> ComposeResult:
        """List, detail, keys."""
        with Vertical(id="claims") as box:
            box.border_title = Content("CLAIMS")
            box.set_class(not self._glyphs.braille, "-ascii")
            yield ClaimList(self._glyphs)
            yield ClaimDetail(self._glyphs, self._where)
            yield ClaimBar(self._glyphs, live=False)

    def on_mount(self) -> None:
        """First drawing."""
        self._draw()

    def show(self, view: View, known: int, looked: int) -> None:
        """Draw the claims of `view`: those among `known` events, `looked` of which were looked through."""
        self._view, self._known, self._looked = view, known, looked
        if self.is_mounted:
            self._draw()

    def _draw(self) -> None:
        """The selected claim stays selected."""
        view, found = self._view, self.query_one(ClaimList)
        kinds = [view.claim(place).kind for place in range(len(view))]
        places = [place for place, kind in enumerate(kinds) if self._kind in ("", kind)]
        before = [at for at, place in enumerate(places) if view.claim(place).index <= self._near]
        found.show_view(view, places, before[-1] if before else 0)
        what = f"{len(places)} {self._kind or 'claim'}{'' if len(places) == 1 else 's'}"
        late = (
            f", {self._looked} of {self._known} events looked through" if self._looked < self._known else ""
        )
        box = self.query_one("#claims", Vertical)
        box.border_subtitle = Content(f"{what} up to event {self._known}{late}")
        self._detail()

    def _detail(self) -> None:
        row = self.query_one(ClaimList).claim
        empty = nothing_claimed(self._known, self._looked)
        if self._kind and len(self._view):
            empty = f"No claim of a {self._kind}; f shows the others."
        self.query_one(ClaimDetail).show(row, empty)

    def _select(self, at: int) -> None:
        found = self.query_one(ClaimList)
        found.select(at)
        if found.claim is not None:
            self._near = found.claim.claim.index
        self._detail()

    def action_move(self, step: int) -> None:
        """One claim up or down."""
        self._select(self.query_one(ClaimList).at + step)

    def action_page(self, step: int) -> None:
        """A page up or down."""
        found = self.query_one(ClaimList)
        found.page(step)
        self._select(found.at)

    def action_end(self, last: int) -> None:
        """The first claim, or the last."""
        self._select(len(self.query_one(ClaimList).places) - 1 if last else 0)

    def action_kind(self) -> None:
        """All claims, those of completion, those of a limit."""
        self._kind = KINDS[(KINDS.index(self._kind) + 1) % len(KINDS)]
        self._draw()

    def action_claim(self) -> None:
        """Go to the selected claim."""
        row = self.query_one(ClaimList).claim
        if row is not None:
            self.dismiss(row.claim.index)

    def action_close(self) -> None:
        """Back, to where the transcript was."""
        self.dismiss(None)

    @on(ClaimList.Selected)
    def _picked(self) -> None:
        self.action_claim()

    @on(KeyBar.Pressed)
    async def _pressed(self, message: KeyBar.Pressed) -> None:
        await self.run_action(message.action)
