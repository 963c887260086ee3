"""The tabs of a small screen: one pane at a time."""

from dataclasses import dataclass

from textual import events
from textual.message import Message

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, Span, clip, line
from kernelseek_tui.app.painted import Panel

PANES = ("transcript", "score", "ask")
CLAIMS = "claims"
_NAMES = {"transcript": ("Transcript", "Esc"), "score": ("Score", "s"), "ask": ("Ask", "a")}


class Tabs(Panel):
    """Names of the panes with their keys; the shown one stands out."""

    @dataclass
    class Picked(Message):
        """A tab was clicked."""

        pane: str

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(Tabs.glyphs, glyphs)
        self._pane = "transcript"
        self._flags = 0
        self._score = ""
        self._claims = 0
        self._edges: list[tuple[int, int, str]] = []

    def show(self, pane: str, flags: int, score: str) -> None:
        """Which pane is shown, how many decision points there are, and the newest ratio."""
        self._pane, self._flags, self._score = pane, flags, score
        self.redraw()

    def count(self, claims: int) -> None:
        """How many claims there are."""
        if claims != self._claims:
            self._claims = claims
            self.redraw()

    def rows(self, width: int) -> list[Line]:
        """One row."""
        spans: list[Span] = []
        self._edges = []
        at = 0
        for pane in PANES:
            name, key = _NAMES[pane]
            extra = f" {self._score}" if pane == "score" and self._score else ""
            if pane == "ask" and self._flags:
                extra = f" {self.glyphs.flag}{self._flags}"
            label = f" {name}{extra} "
            tail = f"{key} " if pane != self._pane else ""
            self._edges.append((at, at + len(label) + len(tail), pane))
            at += len(label) + len(tail) + 1
            spans += [(label, "chosen" if pane == self._pane else "muted"), (tail, "key"), (" ", "text")]
        label = f" Claims {self._claims} "
        if self._claims and at + len(label) + 2 <= width:  # their ledger opens over the pane
            self._edges.append((at, at + len(label) + 2, CLAIMS))
            spans += [(label, "muted"), ("c", "key")]
        return [clip(line(*spans), width)]

    def on_click(self, event: events.Click) -> None:
        """Show the pane that was clicked."""
        for start, end, pane in self._edges:
            if start <= event.x < end:
                self.post_message(self.Picked(pane))
