"""Which calls and subagents are running, now and at any earlier event, without replaying the session."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

EVERY = 256  # changes between two remembered sets: what looking back has to replay at most

Key = int | str  # the place of a tool run, or a subagent's name


@dataclass(slots=True)
class OpenWork:
    """A set that remembers its past. Truthy while anything is open."""

    now: set[Key] = field(default_factory=set)
    _changes: list[tuple[int, Key, bool]] = field(default_factory=list)
    _kept: list[frozenset[Key]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.now)

    def mark(self, index: int, key: Key, opened: bool) -> None:
        """At the event `index` the work `key` began or ended. Indices must not go down."""
        if len(self._changes) % EVERY == 0:
            self._kept.append(frozenset(self.now))
        self._changes.append((index, key, opened))
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
        upto = bisect_right(self._changes, index, key=lambda change: change[0])
        if not upto:
            return OpenWork(set(), self._changes, self._kept)
        block = (upto - 1) // EVERY
        now = set(self._kept[block])
        for _, key, opened in self._changes[block * EVERY : upto]:
            (now.add if opened else now.discard)(key)
        return OpenWork(now, self._changes, self._kept)
