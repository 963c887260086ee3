"""The decision bar: the moment at hand, why it is one, and the words that raised it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kernelseek_tui.app.advice import moment_rows
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, line, wrap_text
from kernelseek_tui.app.painted import Panel
from sessions.state import SessionState

if TYPE_CHECKING:  # the bank need not be loaded before the first screen
    from kernelseek_tui.hindsight import Moment


class DecisionBar(Panel):
    """One moment, or what will stand here."""

    def __init__(self, glyphs: Glyphs, *, replay: bool, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(DecisionBar.glyphs, glyphs)
        self._replay = replay
        self._moment: Moment | None = None
        self._where: Sequence[int | None] = ()
        self._state = SessionState()
        self._hint = ""

    def show(
        self, moment: Moment | None, where: Sequence[int | None], state: SessionState, hint: str
    ) -> None:
        """Draw `moment`, or `hint` where there is none; `where` gives the entries of its evidence."""
        self._moment, self._where, self._state, self._hint = moment, where, state, hint
        if self.redraw():
            self.refresh(layout=True)

    def rows(self, width: int) -> list[Line]:
        """The moment's rows, or a line about what to expect."""
        if self._moment is None:
            return wrap_text(self._hint, "muted", max(10, width - 2), line((" ", "text")))
        return moment_rows(self._moment, self._where, self._state, width, self.glyphs, self._replay)
