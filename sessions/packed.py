"""What a long session holds of its past, compressed: the same items, their events unpacked when looked at.

A transcript of a gigabyte would take several in memory as events. Looked at again are the newest ones, and
single ones further back; of all others their place and what they did is enough.
"""

import pickle
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from sessions import events as ev
from sessions.seen import E, Seen, ToolRun

BLOCK = 64  # items that are compressed together, and those at the end that are not at all


class Block:
    """Events of one stretch of a session. The bytes never leave the process that made them."""

    __slots__ = ("_data",)

    def __init__(self, events: Sequence[ev.AnyEvent]) -> None:
        self._data = zlib.compress(pickle.dumps(list(events), pickle.HIGHEST_PROTOCOL), 1)

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self._data)

    def event(self, place: int) -> ev.AnyEvent:
        """The event at a place of the stretch. Neighbours come as fast as from a list."""
        return _unpacked(self._data)[place]


@lru_cache(maxsize=4)  # whoever looks back goes from one to the next
def _unpacked(data: bytes) -> list[ev.AnyEvent]:
    return cast("list[ev.AnyEvent]", pickle.loads(zlib.decompress(data)))


class PackedSeen(Seen[E]):
    """A `Seen` whose event is packed away."""

    __slots__ = ("_place", "block")
    block: Block
    _place: int

    def __init__(self, seen: Seen[E], block: Block, place: int) -> None:
        for name, value in (("index", seen.index), ("block", block), ("_place", place)):
            object.__setattr__(self, name, value)

    @property
    def event(self) -> E:
        """The event, as it was."""
        return cast("E", self.block.event(self._place))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Seen):
            return NotImplemented
        return self.index == other.index and self.event == other.event

    __hash__ = None  # type: ignore[assignment]


class PackedRun(ToolRun):
    """A `ToolRun` that has its result, call and result packed away."""

    __slots__ = ("_block", "_place")

    def __init__(self, run: ToolRun, block: Block, place: int) -> None:
        self.index = run.index
        self.activity = run.activity
        self.layers = run.layers
        self.result_index = run.result_index
        self._block = block
        self._place = place

    @property
    def call(self) -> ev.ToolCall:  # type: ignore[override]
        """The call, as it was."""
        return cast("ev.ToolCall", self._block.event(self._place))

    @property
    def result(self) -> ev.ToolResult:  # type: ignore[override]
        """The result, as it was."""
        return cast("ev.ToolResult", self._block.event(self._place + 1))

    @property
    def running(self) -> bool:
        """It has its result."""
        return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolRun):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _FIELDS)

    __hash__ = None  # type: ignore[assignment]


_FIELDS = ("index", "call", "activity", "layers", "result", "result_index")


def pack_seen(items: list[Seen[E]], done: int) -> int:
    """Pack what lies before the newest items, from `done` on, in whole blocks; how many are packed then."""
    while len(items) - done >= 2 * BLOCK:
        stretch = items[done : done + BLOCK]
        block = Block([cast("ev.AnyEvent", seen.event) for seen in stretch])
        items[done : done + BLOCK] = [PackedSeen(seen, block, at) for at, seen in enumerate(stretch)]
        done += BLOCK
    return done


def pack_runs(runs: list[ToolRun], done: int) -> int:
    """The same for tool runs. One that has no result yet stays as it is."""
    while len(runs) - done >= 2 * BLOCK:
        stretch = [
            (place, run)
            for place, run in enumerate(runs[done : done + BLOCK], done)
            if run.result is not None
        ]
        block = Block([event for _, run in stretch for event in (run.call, run.result) if event is not None])
        for at, (place, run) in enumerate(stretch):
            runs[place] = PackedRun(run, block, 2 * at)
        done += BLOCK
    return done
