"""What a format is: how it is known, and how it is read. A reader's module declares its own as `FORMAT`."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.readers.lines import RawLine, lines_of
from sessions.readers.opening import open_utf8

if TYPE_CHECKING:
    from sessions.readers.base import LineReader


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a file that is not read by lines: `value` as it was parsed, or what is damaged there."""

    number: int
    value: Any = None
    damage: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """What the start of a file shows when it is not a JSON object a line.

    `name` is the file's. `text` is its first 64 KiB as text. Of a JSON document `value` is its top: an object
    with its plain members, its lists cut to their first two elements; a list likewise. None for other files.
    """

    name: str
    text: str
    value: Any = None

    @property
    def object(self) -> Mapping[str, Any]:
        """The document's top where it is an object; else an empty one."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def first(self) -> Mapping[str, Any]:
        """The first element of the document's top where it is a list of objects; else an empty object."""
        top = self.value
        return top[0] if isinstance(top, list) and top and isinstance(top[0], dict) else {}


def by_lines(path: Path) -> Iterator[RawLine | Item]:
    """The lines of a JSONL file, in UTF-8 or UTF-16; one more, damaged, where it became shorter meanwhile."""
    with open_utf8(path) as file:
        plain = isinstance(getattr(file, "raw", None), FileIO)
        size = os.fstat(file.fileno()).st_size if plain else 0
        number = read = 0
        for line in lines_of(file):
            yield line
            number, read = line.number + 1, line.offset + line.size
        if read < size:
            yield Item(number, damage=f"the file became {size - read} bytes shorter while it was read")


@dataclass(frozen=True, slots=True)
class Format:
    """One way in which sessions are written down.

    `row(value)`: this object is a line of it, by positive evidence in the object itself. `whole(head)`: this
    file is one document of it. A format has one of the two. `reader(path, candidate)` makes a fresh reader,
    `items(path)` gives what it is fed: lines, or the document's elements; raises `OSError` only.
    `live`: the file is appended to while its session runs, so it can be followed.
    """

    name: str
    title: str
    reader: Callable[[Path, str | None], "LineReader"] = field(repr=False)
    row: Callable[[Mapping[str, Any]], bool] | None = field(default=None, repr=False)
    whole: Callable[[Head], bool] | None = field(default=None, repr=False)
    items: Callable[[Path], Iterator[RawLine | Item]] = field(default=by_lines, repr=False)
    live: bool = False

    def __str__(self) -> str:
        return self.name
