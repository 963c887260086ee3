"""Any transcript as events: finds the format, reads the file and a Claude session's subagent files."""

import gc
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sessions import events as ev
from sessions.errors import RefusedInput
from sessions.readers import own
from sessions.readers.base import Account, LineReader
from sessions.readers.claude import ClaudeReader
from sessions.readers.claude_code import AGENT_FILE, ClaudeCodeReader
from sessions.readers.detect import detect, resolve
from sessions.readers.formats import Format, Item
from sessions.readers.lines import RawLine
from sessions.readers.scores.mapped import mapped_format
from sessions.recognise import Recognition


@dataclass(slots=True)
class Transcript:
    """A whole session as read. `accounts` says for each file where its lines went, the main file first.

    `events` are in order, subagents' among them where they happened. `unknown`, `entries`, `read` and
    `blanks` are about the main file: `entries == read + sum(unknown.values()) + damaged + blanks`.
    """

    path: Path
    format: Format
    events: list[ev.AnyEvent]
    accounts: list[Account] = field(default_factory=list)

    @property
    def problems(self) -> list[ev.ReaderProblem]:
        """Lines that could not be read, of any of the files."""
        return [event for event in self.events if isinstance(event, ev.ReaderProblem)]

    @property
    def unknown(self) -> dict[str, int]:
        """What was not understood or holds nothing for us, counted by name."""
        return dict(self.accounts[0].unknown)

    @property
    def entries(self) -> int:
        """Lines of the main file, damaged and blank ones included."""
        return self.accounts[0].entries

    @property
    def read(self) -> int:
        """Lines of the main file that were understood."""
        return self.accounts[0].read

    @property
    def damaged(self) -> int:
        """Lines of the main file that could not be read."""
        return self.accounts[0].problems

    @property
    def blanks(self) -> int:
        """Blank lines of the main file."""
        return self.accounts[0].blanks


def open_transcript(
    path: Path | str, candidate: str | None = None, mapping: Path | str | None = None
) -> Transcript:
    """Read a transcript. `candidate`: the path whose edits are the candidate's. `mapping`: see the stream.

    Takes a file, one of our session folders, or a Claude session's folder. Raises `RefusedInput` for
    anything that is no transcript we read.
    """
    stream = TranscriptStream(path, candidate, mapping)
    collecting = gc.isenabled()
    gc.disable()  # every event stays: looking through them for garbage would double the time
    try:
        events = list(stream)
    finally:
        if collecting:
            gc.enable()
    return Transcript(stream.path, stream.format, events, stream.accounts)


class TranscriptStream:
    """A transcript event by event, in bounded memory (subagents' files aside). Iterate it once.

    `mapping`: the mapping file by which a score log of any kind is read.
    """

    def __init__(
        self, path: Path | str, candidate: str | None = None, mapping: Path | str | None = None
    ) -> None:
        self.path = resolve(Path(path))
        self.format = detect(self.path) if mapping is None else mapped_format(self.path, Path(mapping))
        self.reader = self.format.reader(self.path, candidate)
        self.accounts: list[Account] = [self.reader.account]
        self._candidate = candidate
        # A journal of ours holds its evaluations; what its commands printed is no second one.
        self._recognition = None if self.format is own.FORMAT else Recognition()

    def __iter__(self) -> Iterator[ev.AnyEvent]:
        """The events, in order. Raises `RefusedInput` when the file cannot be read any more."""
        return self._recognised(self._read())

    def feed(self, line: RawLine) -> list[ev.AnyEvent]:
        """The events of a line that the file got after it was iterated."""
        return list(self._recognised(self.reader.feed(line)))

    def _recognised(self, events: Iterable[ev.AnyEvent]) -> Iterator[ev.AnyEvent]:
        """What came out of the file, each printed evaluation right behind the result that printed it."""
        if self._recognition is None:
            yield from events
            return
        for event in events:
            yield event
            yield from self._recognition.look(event)

    def _read(self) -> Iterator[ev.AnyEvent]:
        events = _read(self.reader, self.format, self.path)
        if isinstance(self.reader, ClaudeCodeReader):
            folder = self.path.with_suffix("") / "subagents"
            side = [self._subagent(self.reader, file) for file in sorted(folder.glob(f"{AGENT_FILE}*.jsonl"))]
            return _merge(events, side) if side else events
        return events

    def _subagent(self, main: ClaudeReader, file: Path) -> tuple[str, list[ev.AnyEvent]]:
        agent_id = file.stem.removeprefix(AGENT_FILE)
        name = launching_call(file) or agent_id
        main.subagents.alias(agent_id, name)
        reader = ClaudeCodeReader(
            file.name, prefix=f"{agent_id}:", candidate=self._candidate, agent=name, seen=main.seen
        )
        self.accounts.append(reader.account)
        return name, list(_read(reader, self.format, file))


def _read(reader: LineReader, format_: Format, path: Path) -> Iterator[ev.AnyEvent]:
    try:
        for entry in format_.items(path):
            yield from reader.take(entry) if isinstance(entry, Item) else reader.feed(entry)
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error
    yield from reader.finish()


def launching_call(file: Path) -> str | None:
    """The tool call that launched the subagent of this file, from the note the client keeps beside it."""
    try:
        meta = json.loads(file.with_suffix(".meta.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return None  # older clients write none; the agent's own id will do
    call = meta.get("toolUseId") if isinstance(meta, dict) else None
    return call if isinstance(call, str) and call else None


def _merge(main: Iterator[ev.AnyEvent], side: list[tuple[str, list[ev.AnyEvent]]]) -> Iterator[ev.AnyEvent]:
    """Main events in their own order, each subagent's behind its start and by time among them."""
    waiting = {name: iter(events) for name, events in side}
    running: dict[str, tuple[ev.AnyEvent, Iterator[ev.AnyEvent]]] = {}
    for event in main:
        if event.time is not None:
            yield from _due(running, event.time)
        if isinstance(event, ev.Subagent) and event.phase == "ended" and event.subagent in running:
            first, rest = running.pop(event.subagent)
            yield first
            yield from rest
        yield event
        if isinstance(event, ev.Subagent) and event.subagent in waiting:
            _begin(running, event.subagent, waiting.pop(event.subagent))
    for name, events in waiting.items():
        _begin(running, name, events)
    for first, rest in running.values():
        yield first
        yield from rest


def _begin(
    running: dict[str, tuple[ev.AnyEvent, Iterator[ev.AnyEvent]]], name: str, events: Iterator[ev.AnyEvent]
) -> None:
    first = next(events, None)
    if first is not None:
        running[name] = (first, events)


def _due(
    running: dict[str, tuple[ev.AnyEvent, Iterator[ev.AnyEvent]]], now: datetime
) -> Iterator[ev.AnyEvent]:
    for name in list(running):
        first, rest = running[name]
        while first.time is None or first.time <= now:
            yield first
            following = next(rest, None)
            if following is None:
                del running[name]
                break
            first = following
            running[name] = (first, rest)
