"""JSON documents as their elements, streamed: a cut one gives all that stands before the cut."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import ijson

from sessions.clean import mend
from sessions.readers.formats import Item
from sessions.readers.lines import DEEP, too_deep
from sessions.readers.opening import open_utf8

HEAD = 64 * 1024  # bytes of text that a format is known by
TOP_BYTES = 8 * 1024 * 1024  # of a document whose top is looked at
_KEY_BYTES = 2 * 1024 * 1024  # of those that the names at the top are looked for in
_SAMPLE = 2  # elements of each list at the top
_BOM = b"\xef\xbb\xbf"
_BUFFER = 64 * 1024
_PLAIN = frozenset({"string", "number", "integer", "double", "boolean", "null"})
CUT = "the document is cut off here, or damaged"

# ijson keeps the path to where it is, at the cost of the square of the depth: minutes for 200,000 brackets.
_DEEPEST = 1_000

_FAULTS = (ijson.JSONError, ValueError, RecursionError)


class _TooDeep(ValueError):  # noqa: N818 - says what is wrong with a document, not with the program
    """Nested so deep that it is not read on."""


def _events(source: BinaryIO | bytes) -> Any:
    """What ijson's `parse` tells of a document, up to a place that is nested too deeply."""
    return ijson.parse(_bounded(ijson.basic_parse(source, buf_size=_BUFFER, use_float=True)))


def _bounded(events: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    depth = 0
    for event in events:
        if event[0] in ("start_array", "start_map"):
            depth += 1
            if depth > _DEEPEST:
                raise _TooDeep(DEEP)
        elif event[0] in ("end_array", "end_map"):
            depth -= 1
        yield event


def elements(prefix: str, number: int = 0) -> Callable[[Path], Iterator[Item]]:
    """Reads the elements at `prefix` (as ijson writes it: `item` of a top list, `messages.item`).

    The empty prefix is the whole document. `number` is that of the first element.
    """

    def read(path: Path) -> Iterator[Item]:
        at = number
        with open_utf8(path) as file:
            _skip_bom(file)
            try:
                for value in ijson.items(_events(file), prefix):
                    yield Item(at, damage=DEEP) if too_deep(value) else Item(at, mend(value))
                    at += 1
            except _TooDeep:
                yield Item(at, damage=DEEP)
            except _FAULTS:
                yield Item(at, damage=CUT)

    return read


def top_of(path: Path) -> Any:
    """The top of a JSON document, its lists cut to their first elements; None for anything else.

    Looks at `TOP_BYTES` at most, and finds members that begin in the first quarter. Raises `OSError`.
    """
    with open_utf8(path) as file:
        _skip_bom(file)
        start = file.read(TOP_BYTES)
    opening = start.lstrip()[:1]
    if opening == b"[":
        return _sample(start, "item")
    if opening != b"{":
        return None
    top: dict[str, Any] = {}
    lists: list[str] = []
    try:
        for prefix, event, value in _events(start[:_KEY_BYTES]):
            if event == "map_key" and prefix == "":
                top[value] = {}
            elif "." not in prefix and prefix in top and event in _PLAIN:
                top[prefix] = value
            elif event == "start_array" and prefix in top:
                lists.append(prefix)
    except _FAULTS:
        pass  # cut off, by us or before
    for key in lists:
        top[key] = _sample(start, f"{key}.item")
    return top or None


def plain_top(path: Path) -> Mapping[str, Any]:
    """The members at the top of a JSON object; an empty object for anything else, or what cannot be read."""
    try:
        top = top_of(path)
    except OSError:  # told where the file is read
        return {}
    return top if isinstance(top, dict) else {}


def _sample(data: bytes, prefix: str) -> list[Any]:
    found: list[Any] = []
    try:
        for value in ijson.items(_events(data), prefix):
            found.append(value)
            if len(found) == _SAMPLE:
                break
    except _FAULTS:
        pass
    return found


def is_document(path: Path) -> bool:
    """Whether the file holds one JSON value rather than a JSON value a line. Raises `OSError`."""
    with open_utf8(path) as file:
        _skip_bom(file)
        first = file.readline(TOP_BYTES).strip()
        while not first and (line := file.readline(TOP_BYTES)):
            first = line.strip()
        rest = file.read(HEAD).strip()
    if not first.startswith((b"{", b"[")):
        return False
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return True
    if isinstance(value, list):
        return any(isinstance(item, dict) for item in value)
    return not rest


def _skip_bom(file: BinaryIO) -> None:
    if file.peek(len(_BOM))[: len(_BOM)] == _BOM:  # type: ignore[attr-defined]
        file.read(len(_BOM))
