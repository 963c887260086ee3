"""Our own journal, `events.jsonl`."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from sessions import events as ev
from sessions.readers.base import LineReader
from sessions.readers.formats import Format
from sessions.readers.lines import Damaged, RawLine, is_blank, parse


class JournalReader(LineReader):
    """Reads a journal. Events keep the ids and sources they were written with.

    Kinds that this version does not know are kept as they are and counted by name. An id that was read
    before is damage: the second event is left out.
    """

    def __init__(self, file: str) -> None:
        super().__init__(file, prefix="damaged-")  # never the id of an event in the file
        self._seen: set[str] = set()

    def feed(self, line: RawLine) -> list[ev.AnyEvent]:
        """The event of one line."""
        self._line, self._made = line.number, 0
        self.account.entries += 1
        if is_blank(line):
            self.account.blanks += 1
            return []
        try:
            event = _event(line)
        except Damaged as damage:
            return [self.problem(str(damage))]
        if event.id in self._seen:
            return [self.problem(f"the event {event.id[:80]!r} stands in the file a second time")]
        self._seen.add(event.id)
        if isinstance(event, ev.UnknownEvent):
            self.account.unknown[event.kind[:80]] += 1
        else:
            self.account.read += 1
        return [event]


def _event(line: RawLine) -> ev.AnyEvent:
    if not line.too_long:
        try:
            return ev.parse_event(line.data)
        except ValidationError:
            pass  # find out what is wrong below
    value = parse(line)
    try:
        return ev.parse_event(line.data.strip(b"\0 \t\r"))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Damaged(f"no event ({where}: {first['msg']}); keys {', '.join(sorted(value)[:6])}") from None


def _row(value: Mapping[str, Any]) -> bool:
    return (
        isinstance(value.get("kind"), str) and isinstance(value.get("schema_version"), int) and "id" in value
    )


FORMAT = Format(
    "kernelseek", "KernelSeek's own journal", lambda path, _: JournalReader(path.name), row=_row, live=True
)
