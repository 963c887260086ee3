"""The scoreboard: what is measured, as of the cursor."""

from textual.content import Content

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line
from kernelseek_tui.app.painted import Panel
from kernelseek_tui.app.score import Read, board
from sessions.state import SessionState


class Scoreboard(Panel, can_focus=True):
    """Geometric mean, history, scenarios, goal, spend."""

    BORDER_TITLE = "SCORE"

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(Scoreboard.glyphs, glyphs)
        self._state = SessionState()
        self._read: Read | None = None

    def show(self, state: SessionState, as_of: int | None, read: Read | None = None) -> None:
        """Draw `state`; `as_of` is the event it is known at, None for the newest; `read`: of a replay."""
        self._state, self._read = state, read
        self.border_subtitle = Content("" if as_of is None else f"as of event {as_of + 1}")
        self.redraw()

    def rows(self, width: int) -> list[Line]:
        """The whole board."""
        return board(self._state, width, self.glyphs, self._read)
