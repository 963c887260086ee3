"""A view on many entries of unknown height, anchored on an entry so that nothing moves the reader.

Heights are estimates until an entry is drawn. A correction above the view moves the scroll offset with
it, one below only the end; the row the reader looks at stays where it is.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable

from kernelseek_tui.app.heights import Heights
from kernelseek_tui.app.lines import Line

Layout = Callable[[int], list[Line]]
Estimate = Callable[[int], int]

CACHE = 512


class Window:
    """Entries 0 … `known`-1 through a view of `height` rows, the first of them at row `top`.

    `layout(entry)` gives an entry's rows (it may be expensive, is called only for what is drawn);
    `estimate(entry)` guesses their number. `follow`: the end stays in view as it grows.
    """

    def __init__(self, layout: Layout, estimate: Estimate) -> None:
        self._layout = layout
        self._estimate = estimate
        self._cache: OrderedDict[int, list[Line]] = OrderedDict()
        self.heights = Heights()
        self.known = 0
        self.height = 1
        self.top = 0
        self.follow = True

    @property
    def total(self) -> int:
        """Rows of all known entries, drawn or estimated."""
        return self.heights.top(self.known)

    @property
    def last_top(self) -> int:
        """The highest `top` that leaves no empty rows below the end."""
        return max(0, self.total - self.height)

    def reset(self, count: int) -> None:
        """New width or new entries: estimate all again and keep the entry at the top where it was."""
        anchor, inside = self.heights.find(self.top) if len(self.heights) else (0, 0)
        self._cache.clear()
        self.heights.reset(self._estimate(entry) for entry in range(count))
        self.known = min(self.known, count)
        if self.follow:
            self.settle()
        else:
            rows = len(self.rows(anchor)) if anchor < count else 0
            self.top = self.heights.top(anchor) + max(0, min(inside, rows - 1))
            self.settle()

    def grow(self, count: int) -> None:
        """Entries were added at the end of the store; `show` makes them known."""
        for entry in range(len(self.heights), count):
            self.heights.append(self._estimate(entry))

    def show(self, known: int) -> None:
        """Show the first `known` entries and no later one."""
        self.known = min(known, len(self.heights))
        self.settle()

    def rows(self, entry: int) -> list[Line]:
        """The rows of an entry, laid out now if they are not, its height corrected."""
        rows = self._cache.get(entry)
        if rows is None:
            rows = self._layout(entry)
            self._cache[entry] = rows
            self.heights.set(entry, len(rows))
            if len(self._cache) > CACHE:
                self._cache.popitem(last=False)
        else:
            self._cache.move_to_end(entry)
        return rows

    def forget(self, entries: Iterable[int]) -> None:
        """These entries look different now (grown, expanded, flagged): lay them out again when drawn."""
        anchor, inside = self.heights.find(self.top)
        for entry in entries:
            if entry < len(self.heights):
                self._cache.pop(entry, None)
                self.heights.set(entry, self._estimate(entry))
        if not self.follow:
            self.top = self.heights.top(anchor) + min(inside, max(0, self.heights[anchor] - 1))
        self.settle()

    def settle(self) -> None:
        """Draw what is in view so that its heights are true, and keep `top` on its entry."""
        if not self.known:
            self.top = 0
            return
        if self.follow:
            self._settle_end()
            return
        self.top = max(0, min(self.top, self.last_top))
        entry, inside = self.heights.find(self.top)
        entry = min(entry, self.known - 1)
        before = self.heights[entry]
        real = len(self.rows(entry))
        # An estimate was off: the reader came from below more often than from above, so keep the distance
        # to the entry's end.
        if real != before:
            inside = max(0, real - (before - inside))
        self.top = self.heights.top(entry) + min(inside, max(0, real - 1))
        filled = real - inside
        while filled < self.height and entry + 1 < self.known:
            entry += 1
            filled += len(self.rows(entry))
        if self.top > self.last_top:
            self._settle_end()

    def _settle_end(self) -> None:
        entry = self.known - 1
        filled = 0
        while entry >= 0 and filled < self.height:
            filled += len(self.rows(entry))
            entry -= 1
        self.top = self.last_top

    def scroll_to(self, top: int) -> None:
        """Put row `top` first: upwards ends the following, reaching the end does not start it again.

        A short way is walked entry by entry, so that it is exact although the rows passed were estimated.
        """
        if top < self.top:
            self.follow = False
        rows = top - self.top
        if self.follow or not self.known:
            self.settle()
        elif abs(rows) > 4 * self.height:
            self.top = top
            self.settle()
        else:
            self._walk(rows)

    def _walk(self, rows: int) -> None:
        entry, inside = self.heights.find(self.top)
        inside += rows
        while inside < 0 and entry > 0:
            entry -= 1
            inside += len(self.rows(entry))
        while entry + 1 < self.known and inside >= len(self.rows(entry)):
            inside -= len(self.rows(entry))
            entry += 1
        self.top = self.heights.top(entry) + max(0, inside)
        self.settle()

    def at_end(self) -> bool:
        """The last row is in view."""
        return self.top >= self.last_top

    def locate(self, row: int) -> tuple[int, int] | None:
        """The known entry and the row inside it at view row `row` (0 is the first); None past the end."""
        absolute = self.top + row
        if not self.known or absolute >= self.total:
            return None
        entry, inside = self.heights.find(absolute)
        return (entry, inside) if entry < self.known else None

    def reveal(self, entry: int, from_below: bool = False) -> None:
        """Scroll as little as possible to see `entry`; a tall one from its first row.

        `from_below`: the reader comes upwards, so of a tall entry the end is wanted.
        """
        if not self.known:
            return
        entry = min(entry, self.known - 1)
        rows = len(self.rows(entry))
        start = self.heights.top(entry)
        if start < self.top:
            self.top = start if not (from_below and rows > self.height) else start + rows - self.height
        elif start + rows > self.top + self.height:
            if rows >= self.height:
                self.top = start
            else:
                # Up from the entry until the view is full: what is drawn on the way has its true height.
                first, filled = entry, rows
                while filled < self.height and first > 0:
                    first -= 1
                    filled += len(self.rows(first))
                self.top = self.heights.top(first) + max(0, filled - self.height)
        follow, self.follow = self.follow, False
        self.settle()
        self.follow = follow and self.at_end()
