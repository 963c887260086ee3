"""The timeline and scrubber: the whole session in one row; a click goes there."""

from dataclasses import dataclass

from textual import events
from textual.message import Message

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, line, width_of
from kernelseek_tui.app.painted import Panel
from kernelseek_tui.app.track import Track


class Timeline(Panel):
    """Marks of activity, flags and score steps up to what is known, and the cursor."""

    @dataclass
    class Seek(Message):
        """A place was clicked."""

        entry: int

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(Timeline.glyphs, glyphs)
        self.track = Track()
        self._known = 0
        self._cursor = 0
        self._left = 0
        self._cells = 1

    def show(self, known: int, cursor: int) -> None:
        """Draw with `known` events known and the cursor at `cursor`."""
        self._known, self._cursor = known, cursor
        self.redraw()

    def rows(self, width: int) -> list[Line]:
        """One row: cells, then where the cursor is."""
        total = len(self.track.marks)
        place = line((f" {min(self._cursor + 1, total)}", "strong"), (f"/{total} ", "faint"))
        self._left = 1
        self._cells = max(1, width - self._left - width_of(place))
        return [((" ", "text"), *self.track.row(self._cells, self._known, self._cursor, self.glyphs), *place)]

    def on_click(self, event: events.Click) -> None:
        """Go to the clicked cell."""
        self._seek(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Dragging scrubs."""
        if event.button:
            self._seek(event)

    def _seek(self, event: events.MouseEvent) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and len(self.track.marks):
            column = min(self._cells - 1, max(0, offset.x - self._left))
            self.post_message(self.Seek(self.track.event_at(column, self._cells)))
