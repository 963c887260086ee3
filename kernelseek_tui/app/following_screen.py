"""Follows what the agent claims and reads beside the drawing of its session, and opens the claim ledger."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from textual import on

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.panes import PanesScreen
from kernelseek_tui.app.render.asked import outcome_line
from kernelseek_tui.app.score import Conduct
from kernelseek_tui.app.scoreboard import Scoreboard
from kernelseek_tui.app.tabs import CLAIMS, Tabs
from kernelseek_tui.feed import Feed

if TYPE_CHECKING:  # the claim phrases need not be loaded before the first screen
    from kernelseek_tui.app.claims_screen import ClaimsScreen
    from kernelseek_tui.app.following import Following

WORK, REST = 0.008, 0.004
"""Seconds that events are taken in without looking for keys, and that are left for keys and drawing."""
REDRAWN = 0.25
"""Seconds after which an open ledger shows what has been found meanwhile."""


class FollowingScreen(PanesScreen):
    """Takes events into `Following` a few milliseconds at a time, however many have come."""

    def __init__(self, feed: Feed, glyphs: Glyphs) -> None:
        super().__init__(feed, glyphs)
        self._conduct: Following | None = None
        self._due_to_follow = False
        self._ledger: ClaimsScreen | None = None
        self._ledger_drawn = 0.0

    @property
    def followed(self) -> int:
        """How many events have been looked through for claims."""
        return self._conduct.count if self._conduct is not None else 0

    def absorb(self) -> None:
        """Draw what came, then look through it."""
        super().absorb()
        self._follow_soon()

    def _follow_soon(self) -> None:
        if not self._due_to_follow and self.followed < len(self.feed.events):
            self._due_to_follow = True
            self.set_timer(REST, self._follow)

    def _follow(self) -> None:
        if self._conduct is None:
            from kernelseek_tui.app.following import Following

            self._conduct = Following()
        source, until = self.feed.events, monotonic() + WORK
        while self._conduct.count < len(source):
            self._conduct.take(source[self._conduct.count])
            if monotonic() >= until:
                break
        self._due_to_follow = False
        self._follow_soon()
        self.query_one(Scoreboard).add(self.conduct())
        self._show_claims()
        self._show_outcomes()
        if not self._due_to_follow or monotonic() - self._ledger_drawn > REDRAWN:
            self._draw_ledger()

    def conduct(self) -> Conduct | None:
        """What is known of it at the cursor; None until it has been looked through."""
        return self._conduct.conduct(self.position() + 1) if self._conduct is not None else None

    def sync(self) -> None:
        """Draw an open ledger, too."""
        super().sync()
        if self._ready:
            self._show_claims()
            self._show_outcomes()
            self._draw_ledger()

    def _show_claims(self) -> None:
        conduct = self._conduct.conduct(self.known()) if self._conduct is not None else None
        if conduct is not None:
            self.query_one(Tabs).count(conduct.claims)

    def _show_outcomes(self) -> None:
        found = self._conduct.outcomes(self.known()) if self._conduct is not None else None
        if found is None:
            return
        lines = {entry: outcome_line(one, self.glyphs) for entry, one in found.items()}
        if lines != self.transcript.book.remarks:
            self.transcript.remark(lines)

    # the ledger

    def open_claims(self) -> None:
        """Open the ledger of what was claimed among the events that are known."""
        from kernelseek_tui.app.claims_screen import ClaimsScreen
        from kernelseek_tui.app.following import Following

        self._conduct = self._conduct or Following()
        known = self.known()
        index_of = self.transcript.book.index_of
        view = self._conduct.view(known)
        self._ledger = ClaimsScreen(
            self.glyphs, index_of, view, known, min(known, self.followed), self.position()
        )
        self.app.push_screen(self._ledger, self._left_ledger)

    def _draw_ledger(self) -> None:
        if self._ledger is not None and self._conduct is not None:
            self._ledger_drawn = monotonic()
            known = self.known()
            self._ledger.show(self._conduct.view(known), known, min(known, self.followed))

    def _left_ledger(self, entry: int | None) -> None:
        self._ledger = None
        if entry is not None:
            self._show_pane("transcript")
            self.jump(entry)

    def jump(self, entry: int) -> None:
        """Select an entry that is known, without moving a clock."""
        self.transcript.select(entry)

    @on(Scoreboard.ClaimsClicked)
    def _clicked_claims(self) -> None:
        self.open_claims()

    @on(Tabs.Picked)
    def _picked_claims(self, message: Tabs.Picked) -> None:
        if message.pane == CLAIMS:
            self.open_claims()
