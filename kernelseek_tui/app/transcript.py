"""The transcript: any number of entries, laid out only when they are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scrollbar import ScrollDown, ScrollTo, ScrollUp
from textual.strip import Strip

from kernelseek_tui.app.book import Book
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, Span
from kernelseek_tui.app.painted import Painted
from kernelseek_tui.app.window import Window
from sessions.events import AnyEvent

if TYPE_CHECKING:  # the bank need not be loaded before the first screen
    from kernelseek_tui.hindsight import Moment

GUTTER = 1
WHEEL = 3


class Transcript(Painted, can_focus=True):
    """Shows entries below `known`. The cursor is the last of them until the reader picks one (`pinned`).

    Scrolling never moves the cursor; moving the cursor scrolls as little as it must.
    """

    BORDER_TITLE = "TRANSCRIPT"
    tells_news = True

    @dataclass
    class Moved(Message):
        """The cursor is on another entry, or follows the end again."""

        cursor: int

    @dataclass
    class Followed(Message):
        """Following started or stopped, or there is news below."""

        following: bool
        news: int

    class Beyond(Message):
        """The reader wants to go on where nothing more is known."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(Transcript.glyphs, glyphs)
        self.book = Book(glyphs)
        self.window = Window(self.book.rows, self.book.estimate)
        self.pinned: int | None = None
        self.pattern = ""
        self._seen = 0

    @property
    def known(self) -> int:
        """How many entries are shown."""
        return self.window.known

    @property
    def cursor(self) -> int:
        """The selected entry; the last that can be seen unless the reader picked another."""
        last = max(0, self.known - 1)
        if self.pinned is not None:
            return min(self.pinned, last)
        while last > 0 and self.book.hidden(last):
            last -= 1
        return last

    def take(self, source: Sequence[AnyEvent], known: int | None = None) -> None:
        """Show what is new in `source`, all of it or the first `known`."""
        last = len(self.book) - 1
        if self.book.take(source) and self.book.writing and last >= 0:
            self.window.forget([last])  # what is being written stands under the newest entry
        self.window.grow(len(self.book))
        self.show(len(self.book) if known is None else known)

    def show(self, known: int) -> None:
        """Show the first `known` entries; following, their end comes into view."""
        self.window.show(known)
        if self.pinned is not None and self.pinned >= self.known:
            self.pinned = None
        self._sync()

    def write(self, text: str) -> None:
        """Show what the agent is writing under the last entry."""
        if changed := self.book.write(text):
            self.changed(changed)

    def mark(self, moments: Sequence[Moment]) -> None:
        """Draw these moments at their entries."""
        self.changed(self.book.mark(moments))

    def remark(self, remarks: dict[int, Line]) -> None:
        """Draw these rows under their entries, and no others."""
        self.changed(self.book.remark(remarks))

    def changed(self, entries: Iterable[int]) -> None:
        """These entries look different now."""
        self.window.forget(entries)
        self._sync()

    def select(self, entry: int | None, from_below: bool = False) -> None:
        """Put the cursor on `entry` and reveal it; None: on the end, and follow it."""
        if entry is None or not self.known:
            self.pinned = None
            self.window.follow = True
            self.window.settle()
        else:
            self.pinned = max(0, min(entry, self.known - 1))
            self.window.follow = False
            self.window.reveal(self.pinned, from_below)
        self._sync()
        self.post_message(self.Moved(self.cursor))

    def move(self, step: int) -> None:
        """One entry up or down; inside an entry taller than the view, some rows first."""
        window = self.window
        entry = self._in_view(self.cursor, step)
        rows, start = len(window.rows(entry)), window.heights.top(entry)
        jump = max(1, window.height // 2)
        if step > 0 and start + rows > window.top + window.height and start < window.top + window.height:
            self._scroll(min(jump, start + rows - window.top - window.height))
            self.pinned = entry
        elif step < 0 and start < window.top < start + rows:
            self._scroll(-min(jump, window.top - start))
            self.pinned = entry
        else:
            beside = entry + step if entry == self.cursor or self.pinned is None else entry
            while 0 <= beside < self.known and self.book.hidden(beside):
                beside += step
            if beside >= self.known:
                self.post_message(self.Beyond())
                return
            if beside >= 0:
                self.select(beside, from_below=step < 0)
                return
        self.post_message(self.Moved(self.cursor))

    def page(self, step: int) -> None:
        """A page up or down; the cursor stays."""
        self._scroll(step * max(1, self.window.height - 2))

    def set_follow(self, follow: bool) -> None:
        """Follow the end, or stop where the view is."""
        if follow:
            self.select(None)
        else:
            self.window.follow = False
            self._sync()

    def target(self) -> int | None:
        """The entry that Space and y mean: the cursor where it is in view, else the first in view."""
        return self._in_view(self.cursor, 1) if self.known else None

    def toggle_entry(self) -> None:
        """Show the target whole, or its first rows; without a picked entry, the lowest that has more."""
        entry = self.target()
        if entry is None:
            return
        if self.pinned is None:
            for candidate in range(entry, max(-1, entry - 50), -1):
                if any(role == "key" for row in self.window.rows(candidate) for _, role in row):
                    entry = candidate
                    break
        self.book.toggle(entry)
        self.window.follow = False
        self.changed([entry])
        self.window.reveal(entry)
        self._sync()

    def toggle_all(self) -> None:
        """Show all entries whole, or none."""
        self.book.all_expanded = not self.book.all_expanded
        self.book.expanded.clear()
        self.window.reset(len(self.book))
        self._sync()

    def _in_view(self, entry: int, step: int) -> int:
        first, last = self.window.locate(0), self.window.locate(self.window.height - 1)
        low = first[0] if first else 0
        high = last[0] if last else max(0, self.known - 1)
        return entry if low <= entry <= high else (low if step > 0 else high)

    def _scroll(self, rows: int) -> None:
        self.window.scroll_to(self.window.top + rows)
        self._sync()

    def _sync(self) -> None:
        """Scrollbar and screen after the window changed."""
        window = self.window
        size = Size(self.size.width, window.total)
        if size != self.virtual_size:
            self.virtual_size = size
        self._place()
        if window.follow or window.at_end():
            self._seen = self.known
        news = max(0, self.known - self._seen)
        label = f"{self.glyphs.down} {news} new (G)" if news and self.tells_news else ""
        self.border_subtitle = Content(label)
        self.post_message(self.Followed(window.follow, news))
        self.refresh()

    # The window decides where the view is. The wheel and the scrollbar ask it; whatever else the base class
    # does to its own offset (clamping while a layout is under way) must not pass for the reader's wish.

    def _place(self) -> None:
        self.set_reactive(Transcript.scroll_y, float(self.window.top))
        self.set_reactive(Transcript.scroll_target_y, float(self.window.top))
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = self.window.top

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Keep the base class's offset at the window's."""
        if round(new_value) != self.window.top:
            self._place()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Three rows up."""
        self._wheel(event, -WHEEL)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Three rows down."""
        self._wheel(event, WHEEL)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        event.stop()
        event.prevent_default()
        self._scroll(rows)

    def on_scroll_to(self, message: ScrollTo) -> None:
        """The scrollbar was dragged."""
        message.stop()
        message.prevent_default()
        if message.y is not None:
            self._scroll(round(message.y) - self.window.top)

    def on_scroll_up(self, message: ScrollUp) -> None:
        """The scrollbar was clicked above its handle."""
        message.stop()
        message.prevent_default()
        self.page(-1)

    def on_scroll_down(self, message: ScrollDown) -> None:
        """The scrollbar was clicked below its handle."""
        message.stop()
        message.prevent_default()
        self.page(1)

    def on_resize(self, event: events.Resize) -> None:
        """Wrap for the new width; the entry at the top stays at the top."""
        region = self.scrollable_content_region
        width = max(8, region.width - GUTTER - 1)
        self.window.height = max(1, region.height)
        if width != self.book.width:
            self.book.width = width
            self.window.reset(len(self.book))
        self.window.settle()
        self._sync()

    def on_click(self, event: events.Click) -> None:
        """Select the entry that was clicked."""
        offset = event.get_content_offset(self)
        if offset is not None and (found := self.window.locate(offset.y)) is not None:
            self.select(found[0])

    def render_line(self, y: int) -> Strip:
        """The row at view line `y`, with the cursor's bar before it."""
        width = self.size.width
        found = self.window.locate(y)
        if found is None:
            return self.strip((), width)
        entry, inside = found
        rows = self.window.rows(entry)
        row = rows[inside] if inside < len(rows) else ()
        selected = entry == self.cursor and (bool(row) or inside > 0)
        bar: Span = (self.glyphs.bar if selected else " ", "accent")
        return self.strip((bar, *self._hits(row)), width, selected and self.pinned is not None)

    def _hits(self, row: Line) -> Line:
        """Mark what the reader searches for."""
        if not self.pattern:
            return row
        fold = self.pattern == self.pattern.lower()
        out: list[Span] = []
        for text, role in row:
            where = text.lower() if fold else text
            if len(where) != len(text):
                out.append((text, role))
                continue
            start = 0
            while (at := where.find(self.pattern, start)) >= 0:
                out += [(text[start:at], role), (text[at : at + len(self.pattern)], "hit")]
                start = at + len(self.pattern)
            out.append((text[start:], role))
        return tuple(span for span in out if span[0])
