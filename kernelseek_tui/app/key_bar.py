"""The bottom row: the keys that work now, cut at whole keys."""

from dataclasses import dataclass

from textual import events
from textual.message import Message

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.keys import WRITING, Mode, keys_for
from kernelseek_tui.app.lines import Line, Span, line, width_of
from kernelseek_tui.app.painted import Panel


class KeyBar(Panel):
    """Keys of the mode; a click on one does it. `off` are actions that this agent cannot do."""

    @dataclass
    class Pressed(Message):
        """A key was clicked."""

        action: str

    def __init__(self, glyphs: Glyphs, live: bool, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(KeyBar.glyphs, glyphs)
        self._live = live
        self._mode: Mode = "reading"
        self._off: frozenset[str] = frozenset()
        self._edges: list[tuple[int, int, str]] = []

    def show(self, mode: Mode, off: frozenset[str]) -> None:
        """Draw the keys of `mode`."""
        self._mode, self._off = mode, off
        self.redraw()

    def places(self) -> list[tuple[str, str, str]]:
        """What stands there: the key, its word, and the action of a click on it."""
        if self._mode != "reading":
            return [(shown, label, "") for shown, label in WRITING[self._mode]]
        return [
            (key.foot or key.shown, key.label, key.action.format(0))
            for key in keys_for(self._live)
            if key.footer
        ]

    def rows(self, width: int) -> list[Line]:
        """One row."""
        spans: list[Span] = []
        self._edges = []
        at = 0
        for shown, label, action in self.places():
            dark = action in self._off
            place = line(
                (f" {shown}", "faint" if dark else "key"), (f" {label} ", "faint" if dark else "muted")
            )
            cells = width_of(place)
            if at + cells > width:
                break
            if action and not dark:
                self._edges.append((at, at + cells, action))
            at += cells
            spans += place
        return [tuple(spans)]

    def on_click(self, event: events.Click) -> None:
        """Do what was clicked."""
        for start, end, action in self._edges:
            if start <= event.x < end:
                self.post_message(self.Pressed(action))
