"""Row counts of many entries with fast sums: a Fenwick tree that grows at its end.

Finding an entry by row, and a row by entry, take O(log n); 100,000 entries are built in one pass.
"""

from collections.abc import Iterable


class Heights:
    """Heights in rows, by entry."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._rows: list[int] = []
        self._tree: list[int] = [0]
        self.reset(heights)

    def reset(self, heights: Iterable[int]) -> None:
        """Put new heights in place of all."""
        self._rows = list(heights)
        count = len(self._rows)
        tree = [0, *self._rows]
        for index in range(1, count + 1):
            parent = index + (index & -index)
            if parent <= count:
                tree[parent] += tree[index]
        self._tree = tree

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, entry: int) -> int:
        return self._rows[entry]

    def append(self, rows: int) -> None:
        """Add an entry at the end."""
        self._rows.append(rows)
        index = len(self._rows)
        total = rows
        # A node holds the sum of the `index & -index` entries that end at it: its own and its children's.
        step = 1
        while step < (index & -index):
            total += self._tree[index - step]
            step <<= 1
        self._tree.append(total)

    def set(self, entry: int, rows: int) -> int:
        """Correct one height; answers by how many rows it changed."""
        change = rows - self._rows[entry]
        if change:
            self._rows[entry] = rows
            index = entry + 1
            while index < len(self._tree):
                self._tree[index] += change
                index += index & -index
        return change

    def top(self, entry: int) -> int:
        """The first row of `entry`: the sum of all heights before it. `top(len)` is the total."""
        total = 0
        index = min(entry, len(self._rows))
        while index > 0:
            total += self._tree[index]
            index -= index & -index
        return total

    def find(self, row: int) -> tuple[int, int]:
        """The entry that holds `row` and the row inside it, clamped to the ends; (0, 0) when empty."""
        count = len(self._rows)
        if not count:
            return 0, 0
        left = max(0, row)
        position = 0
        step = 1 << count.bit_length()
        while step:
            nxt = position + step
            if nxt <= count and self._tree[nxt] <= left:
                position = nxt
                left -= self._tree[nxt]
            step >>= 1
        if position >= count:
            last = count - 1
            return last, max(0, self._rows[last] - 1)
        return position, left
