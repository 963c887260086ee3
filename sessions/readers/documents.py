"""JSON documents as their elements, streamed: a cut one gives all that stands before the cut."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import ijson

from sessions.clean import mend
from sessions.readers.formats import Item

HEAD = 64 * 1024  # bytes of text that a format is known by
TOP_BYTES = 8 * 1024 * 1024  # of a document whose top is looked at
_SAMPLE = 2  # elements of each list at the top
_BOM = b"\xef\xbb\xbf"
_BUFFER = 64 * 1024
CUT = "the document is cut off here, or damaged"


def elements(prefix: str) -> Callable[[Path], Iterator[Item]]:
    """Reads the elements at `prefix` (as ijson writes it: `item` of a top list, `messages.item`)."""

    def read(path: Path) -> Iterator[Item]:
        number = 0
        with path.open("rb") as file:
            _skip_bom(file)
            try:
                for value in ijson.items(file, prefix, buf_size=_BUFFER, use_float=True):
                    yield Item(number, mend(value))
                    number += 1
            except (ijson.JSONError, ValueError, RecursionError):
                yield Item(number, damage=CUT)

    return read


def top_of(path: Path) -> Any:
    """The top of a JSON document, its lists cut to their first elements; None for anything else.

    Looks at `TOP_BYTES` at most. Raises `OSError`.
    """
    with path.open("rb") as file:
        _skip_bom(file)
        start = file.read(TOP_BYTES)
    opening = start.lstrip()[:1]
    if opening == b"[":
        return _sample(start, "item")
    if opening != b"{":
        return None
    top: dict[str, Any] = {}
    depth_one: set[str] = set()
    try:
        for prefix, event, value in ijson.parse(start, use_float=True):
            if event == "map_key" and prefix == "":
                depth_one.add(value)
            elif "." not in prefix and prefix in depth_one and event in _PLAIN:
                top[prefix] = value
            elif event == "start_array" and prefix in depth_one:
                top[prefix] = None
    except (ijson.JSONError, ValueError, RecursionError):
        pass  # cut off, by us or before
    for key in depth_one:
        if top.setdefault(key, {}) is None:
            top[key] = _sample(start, f"{key}.item")
    return top or None


_PLAIN = frozenset({"string", "number", "integer", "double", "boolean", "null"})


def _sample(data: bytes, prefix: str) -> list[Any]:
    found: list[Any] = []
    try:
        for value in ijson.items(data, prefix, use_float=True):
            found.append(value)
            if len(found) == _SAMPLE:
                break
    except (ijson.JSONError, ValueError, RecursionError):
        pass
    return found


def is_document(path: Path) -> bool:
    """Whether the file holds one JSON value over several lines, rather than a JSON value a line."""
    with path.open("rb") as file:
        _skip_bom(file)
        first = file.readline(TOP_BYTES).strip()
    if not first.startswith((b"{", b"[")):
        return False
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return True
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def _skip_bom(file: BinaryIO) -> None:
    if file.read(len(_BOM)) != _BOM:
        file.seek(0)
