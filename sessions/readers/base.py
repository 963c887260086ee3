"""What every reader does alike: account for each line, number its events, note damage, read fields.

A foreign writer may put anything anywhere, so a field is only read through `text_of`, `name_of`, `count_of`,
`money_of`, `mapping_of` and `time_of`, which never raise.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sessions import events as ev
from sessions.readers.formats import Item
from sessions.readers.lines import Damaged, RawLine, is_blank, kind_of, parse


@dataclass(slots=True)
class Account:
    """Where the lines of one file went: `entries == read + sum(unknown) + problems + blanks`.

    `read` lines were understood, whether or not an event came of them (a replayed message makes none).
    `unknown` counts by name what is not understood or holds nothing for us.
    """

    file: str
    entries: int = 0
    read: int = 0
    blanks: int = 0
    problems: int = 0
    unknown: Counter[str] = field(default_factory=Counter)

    @property
    def balanced(self) -> bool:
        """Every line is accounted for."""
        return self.entries == self.read + self.unknown.total() + self.problems + self.blanks


class Unknown(Exception):  # noqa: N818 - not an error: the line is counted by this name
    """The line is not understood, or is noise; the message is the name to count it by."""


class LineReader:
    """Base of the readers of line formats. Feed it lines in order; it gives events.

    Subclasses say what one JSON object means (`entry`) and what is left to say at the end (`close`).
    `prefix` goes before the ids of events, so that several files of one session keep theirs apart.
    """

    def __init__(self, file: str, prefix: str = "") -> None:
        self.account = Account(file)
        self._prefix = prefix
        self._line = 0
        self._made = 0
        self._time: datetime | None = None

    def feed(self, line: RawLine) -> list[ev.AnyEvent]:
        """The events of one line. Never raises for what a file may hold."""
        self._line, self._made, self._time = line.number, 0, None
        self.account.entries += 1
        if is_blank(line):
            self.account.blanks += 1
            return []
        return self._read(lambda: parse(line))

    def take(self, item: Item) -> list[ev.AnyEvent]:
        """The events of one element of a document, as `feed` gives those of a line."""
        self._line, self._made, self._time = item.number, 0, None
        self.account.entries += 1
        if item.damage:
            return [self.problem(item.damage)]
        if not isinstance(item.value, dict):
            return [self.problem(f"not a JSON object but {kind_of(item.value)}")]
        return self._read(lambda: item.value)

    def _read(self, parsed: Callable[[], dict[str, Any]]) -> list[ev.AnyEvent]:
        try:
            events = list(self.entry(parsed()))
        except Damaged as damage:
            return [self.problem(str(damage))]
        except Unknown as unknown:
            self.account.unknown[str(unknown)] += 1
            return []
        self.account.read += 1
        return events

    def finish(self) -> list[ev.AnyEvent]:
        """What only the end of the file tells."""
        self._made, self._time = 900, None  # ids after all of the last line's own
        return list(self.close())

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The events of one JSON object. Raises `Unknown` to have it counted by name."""
        raise Unknown(type_name(entry))

    def close(self) -> Iterable[ev.AnyEvent]:
        """Events that the end of the file brings."""
        return ()

    def problem(self, what: str) -> ev.ReaderProblem:
        """The current line is damaged."""
        self.account.problems += 1
        return ev.ReaderProblem(**self.head(), line=self._line, what=what)

    def head(self, parent: str | None = None, agent: str | None = None) -> dict[str, Any]:
        """The fields that every event of the current line shares, with the next id."""
        made = self._made
        self._made += 1
        return {
            "id": f"{self._prefix}l{self._line}" + (f".{made}" if made else ""),
            "time": self._time,
            "source": ev.Source(file=self.account.file, line=self._line),
            "parent": parent,
            "agent": agent,
        }


def type_name(entry: Mapping[str, Any]) -> str:
    """`type` and, where there is one, `/subtype`, in a form to count by."""
    kind = entry.get("type")
    if not isinstance(kind, str) or not kind:
        keys = ", ".join(sorted(str(key) for key in entry)[:4])
        return f"(no type; keys {keys})"
    subtype = entry.get("subtype")
    if kind == "attachment" and isinstance(entry.get("attachment"), dict):
        subtype = entry["attachment"].get("type")
    return f"{kind}/{subtype}"[:80] if isinstance(subtype, str) else kind[:80]


def time_of(value: object) -> datetime | None:
    """A time stamp as it stands in transcripts (ISO 8601); None for anything else. Zoneless means UTC."""
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def text_of(value: object) -> str:
    """Text of a field that should hold a string; anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def name_of(value: object) -> str:
    """A word of the format, such as a type; empty where there is none."""
    return value if isinstance(value, str) else ""


def count_of(value: object) -> int:
    """A count; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63 else 0


def money_of(value: object) -> float:
    """A sum of money; 0 for anything that is none (text, a truth value, infinity, too many digits)."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1e12:
        return 0.0
    return float(value)


def mapping_of(value: object) -> Mapping[str, Any]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}
