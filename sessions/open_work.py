"""Which calls and subagents are running, now and at any earlier event, without replaying the session."""

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

EVERY = 256  # changes between two remembered sets at least; larger sets are remembered more seldom

Key = int | str  # the place of a tool run, or a subagent's name


@dataclass(slots=True)
class OpenWork:
    """A set that remembers its past. Truthy while anything is open."""

    now: set[Key] = field(default_factory=set)
    # Of each change the event, the key and whether it began: three columns take a third of the tuples' space.
    _at: "array[int]" = field(default_factory=lambda: array("q"))
    _keys: list[Key] = field(default_factory=list)
    _opened: bytearray = field(default_factory=bytearray)
    _kept: list[frozenset[Key]] = field(default_factory=list)
    _kept_at: "array[int]" = field(default_factory=lambda: array("q"))

    def __bool__(self) -> bool:
        return bool(self.now)

    def mark(self, index: int, key: Key, opened: bool) -> None:
        """At the event `index` the work `key` began or ended. Indices must not go down."""
        made = len(self._at)
        if not self._kept or made - self._kept_at[-1] >= max(EVERY, len(self.now)):
            self._kept.append(frozenset(self.now))
            self._kept_at.append(made)
        self._at.append(index)
        self._keys.append(key)
        self._opened.append(opened)
        (self.now.add if opened else self.now.discard)(key)

    def end(self, index: int) -> None:
        """At the event `index` everything ended."""
        for key in list(self.now):
            self.mark(index, key, False)

    def tools(self) -> Iterator[int]:
        """The places of the tool runs that are open."""
        return (key for key in self.now if isinstance(key, int))

    def as_of(self, index: int) -> "OpenWork":
        """What was open after the event at `index`. It shares this one's past and cannot be marked."""
        upto = bisect_right(self._at, index)
        from_ = bisect_right(self._kept_at, upto) - 1
        now = set(self._kept[from_]) if self._kept else set()
        for place in range(self._kept_at[from_] if self._kept else 0, upto):
            (now.add if self._opened[place] else now.discard)(self._keys[place])
        return OpenWork(now, self._at, self._keys, self._opened, self._kept, self._kept_at)
