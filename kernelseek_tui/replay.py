"""A finished session as a feed: read in the background, known event by event, with nothing to act on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from kernelseek_tui.agents.protocol import Capabilities, PermissionChoice
from kernelseek_tui.feed import Listener
from sessions import events as ev
from sessions.state import SessionState
from sessions.transcript import TranscriptStream

if TYPE_CHECKING:  # bank and detectors are loaded by `look`, when the first screen is drawn
    from bank.bank import Bank
    from kernelseek_tui.hindsight import Moment

BATCH = 256


class ReadOnly(Exception):  # noqa: N818 - a refusal, said to a person
    """A replay has no agent to send anything to."""


class ReplayFeed:
    """Any transcript behind the `Feed` protocol.

    Opening it finds the format and raises `RefusedInput` for anything that is no transcript. `read` and then
    `look` are generators for a background thread, one yield a batch; `events` and `moments` grow as they run.
    Where the journal has decision points of its own, `moments` are those, and `today` says what this
    version's detectors and bank see; of a foreign transcript `moments` are today's.
    """

    live = False
    paused = False
    capabilities = Capabilities()

    def __init__(self, path: Path | str, bank: Bank | None = None) -> None:
        self._stream = TranscriptStream(path)
        self.path = self._stream.path
        self.title = _title(self.path)
        self.format = str(self._stream.format)
        self.size = self.path.stat().st_size
        self.read_done = False
        self.look_done = False
        self.today: list[Moment] = []
        self._bank = bank
        self._sought = 0
        self._events: list[ev.AnyEvent] = []
        self._recorded: list[Moment] = []
        self._open: dict[str, tuple[int, ev.DecisionPoint]] = {}
        self._state = SessionState()
        self._lock = Lock()

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
        """The event that the source's line `entry` (from 0, as `inspect` prints it) brought, or the next one.

        None while it has not been read; the last event for a line past the end.
        """
        for index in range(self._sought, len(self._events)):
            source = self._events[index].source
            line = index if source is None or source.file != self.path.name else source.line
            if line >= entry:
                return index
        self._sought = len(self._events)
        return max(0, len(self._events) - 1) if self.read_done else None

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
        for event in self._stream:
            batch.append(event)
            if len(batch) >= BATCH:
                yield self._take(batch)
                batch = []
        count = self._take(batch)
        self.read_done = True
        yield count

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
        from bank.bank import Bank
        from kernelseek_tui.hindsight import Seer

        seer = Seer(self._bank or Bank.load())
        for index, event in enumerate(list(self._events)):
            found = seer.see(event)
            self.today.extend(found)
            if found or index % BATCH == 0:
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
