"""What the agent's client asks to be allowed, and the keys that answer it."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.keys import PERMIT_KEYS
from kernelseek_tui.app.lines import Line, Span, clip, line, width_of, wrap_text
from kernelseek_tui.app.painted import Panel
from kernelseek_tui.app.render.tools import summary
from kernelseek_tui.plain import one_line
from sessions import events as ev

ROWS = 3
"""Rows of a request at most; the whole of it stands in the transcript."""


class PermissionBar(Panel):
    """The oldest open request, and how many there are. Hidden while there is none."""

    @dataclass
    class Picked(Message):
        """An answer was clicked."""

        action: str

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(PermissionBar.glyphs, glyphs)
        self._requests: Sequence[ev.PermissionRequested] = ()
        self._edges: list[tuple[int, int, str]] = []
        self.display = False

    def show(self, requests: Sequence[ev.PermissionRequested]) -> None:
        """Draw the first of `requests`."""
        if list(requests) == list(self._requests):
            return
        self._requests = tuple(requests)
        self.display = bool(requests)
        self.redraw()
        self.refresh(layout=True)

    def rows(self, width: int) -> list[Line]:
        """Tool and keys on the first row; what it would do there too, or below where it needs the room; last
        what "always" would grant."""
        self._edges = []
        if not self._requests:
            return []
        request = self._requests[0]
        many = f" 1 of {len(self._requests)} " if len(self._requests) > 1 else ""
        head = line(
            (" MAY IT ", "tag"), (f" {one_line(request.tool, 40)} ", "tool"), (many, "warn"), (" ", "text")
        )
        tail: list[Span] = []
        for key in PERMIT_KEYS:
            label = key.label if width >= 60 else ""
            tail += line((f" {key.shown}", "key"), (f" {label}" if label else "", "text"), (" ", "text"))
        tail_cells = width_of(tail)
        gist = summary(request, 2000)
        room = width - width_of(head) - tail_cells - 2
        below: list[Line] = []
        if width_of(((gist, ""),)) <= room:
            head = line(*head, (gist, "strong"))
        else:
            below = wrap_text(gist, "strong", width - 1, ((" ", "text"),))
            most = ROWS - 2 if request.always else ROWS - 1
            if len(below) > most:
                cut = below[most - 1]
                words = "  all of it stands in the transcript" if width >= 60 else ""
                more = line((f" {self.glyphs.more}", "warn"), (words, "faint"))
                below = [*below[: most - 1], (*clip(cut, width - 1 - width_of(more), ""), *more)]
        if request.always:
            # Before the key is pressed: a client's rule is seldom as wide as "always" sounds.
            grants = line((" a grants ", "faint"), (one_line(request.always, 300), "text"))
            below.append(clip(grants, width - 1, self.glyphs.more))
        head = clip(head, max(8, width - tail_cells), self.glyphs.more)
        space = max(0, width - width_of(head) - tail_cells)
        at = width_of(head) + space
        for key, step in zip(PERMIT_KEYS, _widths(tail, len(PERMIT_KEYS)), strict=True):
            self._edges.append((at, at + step, key.action))
            at += step
        return [line(*head, (" " * space, "text"), *tail), *below]

    def on_click(self, event: events.Click) -> None:
        """Answer as was clicked."""
        if event.y == 0:
            for start, end, action in self._edges:
                if start <= event.x < end:
                    self.post_message(self.Picked(action))


def _widths(spans: Sequence[Span], places: int) -> list[int]:
    each = len(spans) // places
    return [width_of(spans[place * each : (place + 1) * each]) for place in range(places)]
