"""The scoreboard: what is measured, as of the cursor."""

from textual import events
from textual.content import Content
from textual.message import Message

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line
from kernelseek_tui.app.painted import Panel
from kernelseek_tui.app.score import Conduct, Read, board
from sessions.state import SessionState


class Scoreboard(Panel, can_focus=True):
    """Geometric mean, history, scenarios, goal, spend."""

    BORDER_TITLE = "SCORE"

    class ClaimsClicked(Message):
        """The row of the claims was clicked."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(Scoreboard.glyphs, glyphs)
        self._state = SessionState()
        self._read: Read | None = None
        self._conduct: Conduct | None = None

    def show(
        self,
        state: SessionState,
        as_of: int | None,
        read: Read | None = None,
        conduct: Conduct | None = None,
    ) -> None:
        """Draw `state`; `as_of` is the event it is known at, None for the newest; the rest as for `board`."""
        self._state, self._read, self._conduct = state, read, conduct
        self.border_subtitle = Content("" if as_of is None else f"as of event {as_of + 1}")
        self.redraw()

    def rows(self, width: int) -> list[Line]:
        """The whole board."""
        return board(self._state, width, self.glyphs, self._read, self._conduct)

    def add(self, conduct: Conduct | None) -> None:
        """The same state, and more is known of its conduct."""
        if conduct != self._conduct:
            self._conduct = conduct
            self.redraw()

    def on_click(self, event: events.Click) -> None:
        """The row of the claims opens their ledger."""
        offset = event.get_content_offset(self)
        at = offset.y + self.scroll_offset.y if offset is not None else len(self._rows)
        if at < len(self._rows) and ("  c", "key") in self._rows[at]:
            self.post_message(self.ClaimsClicked())
