"""A running session's transcript as events, while it grows: the main file and its subagents' files.

Looked at every few hundredths of a second: a look at a file that has not grown costs microseconds, and works
on every file system.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from sessions import events as ev
from sessions.readers.claude_code import ClaudeCodeReader
from sessions.tail import Restarted, Tail
from sessions.transcript import launching_call

POLL = 0.03
"""Seconds between two looks; with the reading well under the 100 ms a person notices."""

_NEW_FILES = 0.5
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_INTERRUPTED = "[Request interrupted by user"


class _Reader(ClaudeCodeReader):
    """Reads as for an archive, and says when a turn is over: the agent may be asked then."""

    def meaning(self, entry: dict[str, Any]) -> Iterator[ev.AnyEvent]:
        if entry.get("type") == "system" and entry.get("subtype") == "turn_duration" and self._agent is None:
            yield ev.TurnEnded(**self.head())
            return
        for event in super().meaning(entry):
            yield event
            if isinstance(event, ev.Note) and event.text.startswith(_INTERRUPTED) and event.agent is None:
                yield ev.TurnEnded(**self.head(), reason="interrupted")


class _File:
    def __init__(self, path: Path, reader: _Reader) -> None:
        self.tail = Tail(path)
        self.reader = reader
        self._seen = (-1, -1)

    def grown(self) -> bool:
        """Whether there is something to read, or the file is another."""
        try:
            found = self.tail.path.stat()
        except OSError:
            return False
        now = (found.st_ino, found.st_size)
        changed, self._seen = now != self._seen or found.st_size > self.tail.position, now
        return changed


class Follower:
    """Events of a transcript as they are written. `poll` is cheap and never waits.

    Resume and compaction go on in the same file. A file that was replaced is read again, and what has a
    uuid that was read before makes no second event. `candidate` marks its edits.
    """

    def __init__(self, path: Path, candidate: str | None = None) -> None:
        self.path = path
        self._candidate = candidate
        self._main = _File(path, _Reader(path.name, candidate=candidate))
        self._sides: dict[Path, _File] = {}
        self._started = False
        self._looked = 0.0

    def move(self, path: Path) -> None:
        """The transcript turned out to be elsewhere, before anything was read of it."""
        if self._main.tail.position == 0 and path != self.path:
            self.path = path
            self._main = _File(path, _Reader(path.name, candidate=self._candidate))

    def history(self) -> list[ev.AnyEvent]:
        """Everything there is now, subagents' events among the others by their times."""
        timed: list[tuple[datetime, int, ev.AnyEvent]] = []
        last: dict[int, datetime] = {}
        while more := self._round():
            for place, events in more:
                for event in events:
                    # Within a file the order of its lines holds, whatever the times say.
                    then = last.get(place, _LONG_AGO)
                    last[place] = max(then, event.time or then)
                    timed.append((last[place], len(timed), event))
        return [event for *_, event in sorted(timed, key=lambda one: one[:2])]

    def poll(self) -> list[ev.AnyEvent]:
        """What came since the last look, at most a megabyte of each file."""
        return [event for _, events in self._round() for event in events]

    def _round(self) -> list[tuple[int, list[ev.AnyEvent]]]:
        """What each file got that has grown, by the file's number."""
        self._look_for_subagents()
        files = [self._main, *self._sides.values()]
        return [(place, list(self._read(file))) for place, file in enumerate(files) if file.grown()]

    def _read(self, file: _File) -> Iterator[ev.AnyEvent]:
        try:
            items = file.tail.poll()
        except OSError as error:
            yield ev.Note(id="", text=f"{file.tail.path.name} cannot be read: {error.strerror}.")
            return
        for item in items:
            if isinstance(item, Restarted):
                file.reader = self._again(file)
                yield ev.Note(id="", text=item.why)
                continue
            for event in file.reader.feed(item):
                if isinstance(event, ev.SessionStarted):
                    if self._started:
                        continue
                    self._started = True
                yield event

    def _again(self, file: _File) -> _Reader:
        old = file.reader
        agent = old._agent
        return _Reader(file.tail.path.name, candidate=self._candidate, agent=agent, seen=old.seen)

    def _look_for_subagents(self) -> None:
        if self._looked and monotonic() - self._looked < _NEW_FILES:
            return
        self._looked = monotonic()
        with suppress(OSError):
            for path in sorted((self.path.with_suffix("") / "subagents").glob("agent-*.jsonl")):
                if path not in self._sides:
                    self._sides[path] = _File(path, self._subagent(path))

    def _subagent(self, path: Path) -> _Reader:
        agent_id = path.stem.removeprefix("agent-")
        main = self._main.reader
        name = launching_call(path) or agent_id
        main.subagents.alias(agent_id, name)
        return _Reader(
            path.name, prefix=f"{agent_id}:", candidate=self._candidate, agent=name, seen=main.seen
        )
