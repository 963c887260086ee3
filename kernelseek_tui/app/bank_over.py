"""Opening the bank over a session's screen. It is loaded when it is first asked for, beside the screen."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from textual import work

from bank.errors import BankError
from kernelseek_tui.app.following_screen import FollowingScreen
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.feed import Feed

if TYPE_CHECKING:  # the bank need not be loaded before the first screen
    from bank.bank import Bank
    from bank.question import Question
    from kernelseek_tui.app.bank_screen import BankScreen

WAITS = "The agent asks to be allowed something: b leads back to it."


@runtime_checkable
class Banked(Protocol):
    """A feed that knows which bank its session ranks with, once it has been loaded."""

    @property
    def bank(self) -> Bank | None:
        """The bank."""


class BrowsingScreen(FollowingScreen):
    """A subclass that can ask says so by `takes_questions`, and has `question_taken`."""

    takes_questions = False

    def __init__(self, feed: Feed, glyphs: Glyphs) -> None:
        super().__init__(feed, glyphs)
        self._browser: BankScreen | None = None
        self._opening = False
        self._taken: tuple[Question, str] | None = None

    def action_bank(self) -> None:
        """Browse the bank."""
        if not self._opening:
            self._opening = True
            self._load_bank()

    @work(thread=True, group="bank")
    def _load_bank(self) -> None:
        from bank.sources import load_banks
        from kernelseek_tui.app import bank_screen  # noqa: F401 - loaded here, where nothing waits for it

        app = self.app
        try:
            bank = (self.feed.bank if isinstance(self.feed, Banked) else None) or load_banks()
        except BankError as error:
            app.call_from_thread(self._not_loaded, str(error))
        else:
            app.call_from_thread(self._open_bank, bank)

    def _not_loaded(self, why: str) -> None:
        self._opening = False
        self.tell(f"The bank cannot be opened: {why}.", "error")

    def _open_bank(self, bank: Bank) -> None:
        from bank.params import several
        from bank.ranking.spread import spread_of
        from kernelseek_tui.app.bank_panes import Site
        from kernelseek_tui.app.bank_screen import BankScreen

        self._opening, self._taken = False, None
        if self.app.screen is not self:
            return  # meanwhile something else was opened
        state, _ = self.state_at_cursor()
        moment = self.moment_at_cursor()
        site = Site(
            ask=self._take if self.takes_questions else None,
            nowhere="A replay sends nothing:",
            kind=moment.decision.decision if moment is not None else None,
            facts={"scenarios": several(spread_of(state).lagging)},
            here=Counter(seen.event.entry for seen in state.asked if seen.event.entry is not None),
        )
        self._browser = BankScreen(bank, self.glyphs, site)
        self.app.push_screen(self._browser, self._left_bank)

    def _take(self, entry: Question, text: str) -> bool:
        """The browser hands a question over; it goes on when the browser has gone."""
        if not self.may_take():
            return False
        self._taken = entry, text
        return True

    def _left_bank(self, _: None) -> None:
        taken, self._browser, self._taken = self._taken, None, None
        if taken is not None:
            self.question_taken(*taken)

    def may_take(self) -> bool:
        """A question can be written now; if not, it has been said why."""
        return True

    def question_taken(self, entry: Question, text: str) -> None:
        """Do with it what this screen does with a question."""

    def tell(self, text: str, severity: str = "information") -> None:
        """A notice is seen where the person looks."""
        super().tell(text, severity)
        if self._browser is not None and self._browser.is_attached:
            self._browser.tell(text, severity)

    def sync(self) -> None:
        """Say in an open browser that the agent waits."""
        super().sync()
        if self._browser is not None:
            self._browser.alert(WAITS if self.live and self.feed.state.open_permissions else "")
