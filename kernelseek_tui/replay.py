"""A finished session as a feed: read in the background, known event by event, with nothing to act on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from kernelseek_tui.agents.protocol import Capabilities, PermissionChoice
from kernelseek_tui.feed import Listener
from kernelseek_tui.watched_file import WatchedFile
from sessions import events as ev
from sessions.errors import RefusedInput
from sessions.readers import own
from sessions.readers.formats import by_lines
from sessions.readers.lines import RawLine
from sessions.readers.packing import is_packed
from sessions.state import SessionState
from sessions.transcript import TranscriptStream

if TYPE_CHECKING:  # bank and detectors are loaded by `look`, when the first screen is drawn
    from bank.bank import Bank
    from kernelseek_tui.hindsight import Moment, Seer
    from sessions.tail import Tail

FIRST = 48
"""Events that are read before the screen opens: about two screens full."""
BATCH = 256

_AT_THE_END = re.compile(r"\.9\d\d$")
"""Ids of what a reader says at the end of a file (`LineReader.finish`)."""


class ReadOnly(Exception):  # noqa: N818 - a refusal, said to a person
    """A replay has no agent to send anything to."""


class ReplayFeed:
    """Any transcript behind the `Feed` protocol.

    Opening it finds the format and raises `RefusedInput` for anything that is no transcript. `read` and then
    `look` are generators for a background thread, one yield a batch; `events` and `moments` grow as they run,
    and so does `printed`: (event, value, words) of the scores that detectors read out of foreign text. When
    the file `grew`, `read_on` and another `look` take in what it got.
    Where the journal has decision points of its own, `moments` are those, and `today` says what this
    version's detectors and bank see; of a foreign transcript `moments` are today's.
    """

    live = False
    paused = False
    capabilities = Capabilities()

    def __init__(
        self,
        path: Path | str,
        bank: Bank | None = None,
        mapping: Path | None = None,
        banks: Sequence[str] = (),
    ) -> None:
        self._stream = TranscriptStream(path, mapping=mapping)
        self.path = self._stream.path
        self.title = _title(self.path)
        self.format = str(self._stream.format)
        self._watched = WatchedFile(self.path)
        self._refused = ""
        self.size = self._size()
        self.read_done = False
        self.look_done = False
        self.today: list[Moment] = []
        self.printed: list[tuple[int, float, str]] = []
        self._bank = bank
        self._banks = banks
        self._sought = 0
        self._seer: Seer | None = None
        self._looked = 0
        self._tail: Tail | None = None
        self._events: list[ev.AnyEvent] = []
        self._recorded: list[Moment] = []
        self._open: dict[str, tuple[int, ev.DecisionPoint]] = {}
        self._state = SessionState()
        self._lock = Lock()

    @property
    def bank(self) -> Bank | None:
        """The bank that `look` ranks with, once it has begun."""
        return self._seer.bank if self._seer is not None else None

    @property
    def rehearsed(self) -> bool:
        """The recorded agent was a scripted one."""
        return self._state.rehearsed

    @property
    def events(self) -> Sequence[ev.AnyEvent]:
        """What has been read so far."""
        return self._events

    @property
    def state(self) -> SessionState:
        """The state over everything read so far."""
        return self._state

    def state_at(self, index: int) -> SessionState:
        """The state as it was known after the event at `index`."""
        with self._lock:
            return self._state.as_of(index) if self._events else SessionState()

    def at_entry(self, entry: int) -> int | None:
        """The last event that the source's line `entry` (from 0, as `inspect` has it) brought, or the next.

        What was seen at that line is known there. None while it has not been read; the last event of all for
        a line past the end.
        """
        found = None
        for index in range(self._sought, len(self._events)):
            line = self._line(index)
            if line > entry:
                return index if found is None else found
            if line == entry:
                found = index
            else:
                self._sought = index
        return max(0, len(self._events) - 1) if self.read_done else None

    def _line(self, index: int) -> int:
        source = self._events[index].source
        return index if source is None or source.file != self.path.name else source.line

    @property
    def entries(self) -> int:
        """Lines of the file that have been read."""
        return self._stream.reader.account.entries

    @property
    def foreign(self) -> bool:
        """The file is no journal of ours: it cannot hold evaluations by our judge."""
        return self._stream.format is not own.FORMAT

    @property
    def recorded(self) -> bool:
        """The journal says itself what was flagged and suggested."""
        return bool(self._state.decisions)

    @property
    def moments(self) -> Sequence[Moment]:
        """The recorded history where there is one, else what today's version sees."""
        return self._recorded if self.recorded else self.today

    def read(self) -> Iterator[int]:
        """Read and fold the whole file; yields how many events there are by now. Raises `RefusedInput`."""
        batch: list[ev.AnyEvent] = []
        limit = FIRST
        for event in self._stream:
            batch.append(event)
            if len(batch) >= limit:
                yield self._take(batch)
                batch, limit = [], BATCH
        count = self._take(batch)
        self.size = self._size()
        self._watched.read_to(self.size)
        self.read_done = True
        yield count

    def grew(self) -> bool:
        """The file has more in it than was read."""
        return self.read_done and self._size() > (
            self._tail.position if self._tail is not None else self.size
        )

    def lost(self) -> str:
        """Why the file can be followed no further, one sentence; empty while it can. What was read stays."""
        what = self._watched.changed()
        if what:
            return f"The file was {what} since it was opened; open it again to see what it holds now."
        return self._refused

    def _size(self) -> int:
        """Bytes in the file; 0 where it is gone."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def read_on(self) -> Iterator[int]:
        """Take in the lines that the file got since; yields how many events there are by now.

        Raises `RefusedInput`, which `lost` says from then on, where that cannot be done in place: the file
        was removed, cut or replaced, or the end that was read has changed.
        """
        try:
            yield self._take(self._new_events())
        except OSError as error:
            self._refused = f"{self.path.name} cannot be read: {error.strerror or error}; open it again."
            raise RefusedInput(self.lost()) from error
        except RefusedInput as error:
            self._refused = str(error)
            raise

    def _new_events(self) -> list[ev.AnyEvent]:
        if lost := self.lost():
            raise RefusedInput(lost)
        if self._tail is None:
            lines = self._stream.format.items is by_lines and not is_packed(self.path)
            if len(self._stream.accounts) > 1 or not lines or self._end_told() or not self._whole_lines():
                raise RefusedInput(f"{self.path.name} changed where it ended; open it again to read on.")
            from sessions.tail import Tail  # watching a file is not for the first screen

            self._tail = Tail(self.path)
        batch: list[ev.AnyEvent] = []
        done = self.entries
        for item in self._tail.drain():
            if not isinstance(item, RawLine):
                raise RefusedInput(self.lost() or f"{self.path.name} was replaced; open it again.")
            if item.number >= done:
                batch += self._stream.feed(item)
        self._watched.read_to(self._tail.position)
        self.look_done = self.look_done and not batch
        return batch

    def _end_told(self) -> bool:
        """The reader said something because the file ended there: messages that waited to be delivered."""
        return bool(self._events) and _AT_THE_END.search(self._events[-1].id) is not None

    def _whole_lines(self) -> bool:
        """What was read ended with a whole line."""
        with self.path.open("rb") as file:
            file.seek(max(0, self.size - 1))
            return file.read(1) == b"\n"

    def _take(self, batch: list[ev.AnyEvent]) -> int:
        with self._lock:
            for event in batch:
                index = len(self._events)
                self._events.append(event)
                self._state.apply(event)
                self._record(index, event)
        return len(self._events)

    def _record(self, index: int, event: ev.AnyEvent) -> None:
        """A decision point is a moment once what was suggested for it is known, or when nothing was."""
        if not isinstance(event, ev.DecisionPoint | ev.SuggestionsShown):
            return
        from kernelseek_tui.hindsight import Moment

        if isinstance(event, ev.DecisionPoint):
            self._recorded.append(Moment(index, event, ()))
            self._open[event.id] = (len(self._recorded) - 1, event)
        elif event.parent in self._open:
            place, decision = self._open.pop(event.parent)
            self._recorded[place] = Moment(index, decision, event.suggestions)

    def look(self) -> Iterator[int]:
        """Let today's detectors and bank look at what was read; yields how many moments they saw.

        Raises `bank.errors.BankError` when the bank cannot be read.
        """
        from bank.sources import load_banks
        from kernelseek_tui.decisions.scores import score_of
        from kernelseek_tui.hindsight import Seer

        if self._seer is None:
            self._seer = Seer(self._bank or load_banks(self._banks))
        seer = self._seer
        for event in list(self._events)[self._looked :]:
            found = seer.see(event)
            score = score_of(seer.state, event) if isinstance(event, ev.ToolResult) else None
            if score is not None:
                self.printed.append((self._looked, score.value, score.quote))
            self.today.extend(found)
            self._looked += 1
            if found or self._looked % BATCH == 0:
                yield len(self.today)
        self.today.extend(seer.close())
        self.look_done = True
        yield len(self.today)

    def subscribe(self, listener: Listener) -> None:
        """Nothing comes after the end; the reader's thread tells the screen."""

    async def ask(self, text: str, entry: str | None, decision: str | None, edited: bool) -> None:
        """Raises `ReadOnly`."""
        raise ReadOnly("A replay cannot send anything.")

    async def answer(self, request: str, choice: PermissionChoice, message: str) -> None:
        """Raises `ReadOnly`."""
        raise ReadOnly("A replay has no agent.")

    async def dismiss(self, decision: str, entry: str | None, reason: str) -> None:
        """Raises `ReadOnly`."""
        raise ReadOnly("A replay keeps its history.")

    async def interrupt(self) -> None:
        """Raises `ReadOnly`."""
        raise ReadOnly("A replay has no agent.")

    async def pause(self) -> None:
        """Raises `ReadOnly`."""
        raise ReadOnly("A replay has no agent.")

    async def resume(self) -> None:
        """Raises `ReadOnly`."""
        raise ReadOnly("A replay has no agent.")

    async def close(self) -> None:
        """Nothing to end."""


def _title(path: Path) -> str:
    """The file's name; of a journal, whose file is always called alike, its session's folder."""
    return path.parent.name if path.name == "events.jsonl" and path.parent.name else path.name
