"""Cursor's export of a chat as Markdown: a title, when it was exported, then a section for each speaker."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, text_of
from sessions.readers.conversation import ConversationReader
from sessions.readers.formats import Format, Head, Item
from sessions.readers.lines import MAX_LINE
from sessions.readers.opening import open_utf8

_EXPORTED = re.compile(r"^_Exported on .+ from Cursor\b(?: \((?P<version>[^)]*)\))?.*_\s*$", re.MULTILINE)
_SPEAKER = re.compile(rb"\*\*(User|Cursor)\*\*\s*\Z")
_TOP = 1024  # characters that the line of the export stands in


class CursorExportReader(ConversationReader):
    """Reads the sections: the top of the file first, then what was said, in turn."""

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The events of one section."""
        text = text_of(entry.get("text"))
        match entry.get("speaker"):
            case "User":
                return self.opened(self._start(""), self.person(text))
            case "Cursor":
                return self.opened(self._start(""), self.text(text, f"l{self._line}"))
            case "":
                return list(self._start(text))
            case other:
                raise Unknown(f"a section of {text_of(other)}"[:80])

    def _start(self, top: str) -> Iterator[ev.AnyEvent]:
        found = _EXPORTED.search(top)
        title = top.lstrip().split("\n", 1)[0].lstrip("# ").strip() if top.lstrip().startswith("#") else ""
        name = title or self.account.file.removesuffix(".md")
        yield from self.start(name, "cursor", version=found["version"] if found else None)


def _items(path: Path) -> Iterator[Item]:
    """The sections. One begins with its speaker alone on a line, behind a rule or at the top."""
    number, speaker, size = 0, "", 0
    lines: list[bytes] = []
    rule = True  # the newest line with words on it was a rule, or none came yet
    with open_utf8(path) as file:
        while line := file.readline(MAX_LINE):
            found = _SPEAKER.match(line)
            if found and (rule or not number):
                yield _section(number, speaker, lines, size)
                number, speaker, lines, size = number + 1, found[1].decode(), [], 0
                continue
            if line.strip():
                rule = line.strip() == b"---"
            size += len(line)
            if size <= MAX_LINE:
                lines.append(line)
    yield _section(number, speaker, lines, size)


def _section(number: int, speaker: str, lines: list[bytes], size: int) -> Item:
    if size > MAX_LINE:
        return Item(number, damage=f"the section is {size} bytes long, more than {MAX_LINE}")
    try:
        text = b"".join(lines).decode("utf-8")
    except UnicodeDecodeError as error:
        return Item(number, damage=f"byte {error.start} of the section is not UTF-8")
    text = text.replace("\r\n", "\n").removeprefix("\ufeff").strip()
    if text.endswith("\n---") or text == "---":
        text = text[:-3].rstrip()  # the rule in front of the next speaker
    return Item(number, {"speaker": speaker, "text": text})


def _whole(head: Head) -> bool:
    return _EXPORTED.search(head.text[:_TOP]) is not None and "**User**" in head.text


FORMAT = Format(
    "cursor-export",
    "a chat exported from Cursor as Markdown",
    lambda path, candidate: CursorExportReader(path.name, candidate),
    whole=_whole,
    items=_items,
)
