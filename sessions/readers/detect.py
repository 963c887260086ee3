"""Which format a transcript has, by positive evidence from several lines; anything else is refused."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from sessions.archive.finding import by_id
from sessions.errors import RefusedInput
from sessions.home import JOURNAL
from sessions.readers import openhands, own
from sessions.readers.documents import HEAD, is_document, top_of
from sessions.readers.formats import Format, Head
from sessions.readers.lines import Damaged, is_blank, lines_of, parse
from sessions.readers.opening import open_utf8
from sessions.readers.registry import FORMATS, added

LOOKED_AT = 200  # lines: enough to outvote a few odd ones at the start
_ENOUGH, _ONE_IN = 3, 20  # rows of one format among others that speak for none: so many, and this share
MAX_BYTES = 8 * 1024 * 1024  # a file without line ends is not read to its end just to refuse it
_BOM = b"\xef\xbb\xbf"


def detect(path: Path) -> Format:
    """The format of a file or folder. Raises `RefusedInput` with what was seen instead."""
    path = resolve(path)
    try:
        return _detect(path, FORMATS)
    except RefusedInput:
        if not added():
            raise
        return _detect(path, added())


def _detect(path: Path, formats: tuple[Format, ...]) -> Format:
    head = _head(path)
    for one in formats:
        if one.whole is not None and one.whole(head):
            return one
    seen: Counter[Format] = Counter()
    others: Counter[str] = Counter()
    later: list[dict[str, Any]] = []  # may be events of a version of ours to come, beside ones we know
    broken = ""
    for value in _first_objects(path):
        if isinstance(value, str):
            broken = broken or value
            continue
        found = _format_of(value, formats)
        if found is not None:
            seen[found] += 1
        elif isinstance(value.get("kind"), str) and isinstance(value.get("id"), str):
            later.append(value)
        else:
            others[_other(value)] += 1
    if own.FORMAT not in seen:
        others.update(_other(value) for value in later)
    if seen:
        best, votes = seen.most_common(1)[0]
        if votes >= max(1, others.total()) or votes >= 3 * max(others.values(), default=0):
            return best
        looked_at = seen.total() + others.total()
        if votes >= _ENOUGH and votes * _ONE_IN >= looked_at and votes * 4 >= 3 * seen.total():
            return best  # rows that speak for no format outvote nobody; the reader counts them as unknown
    raise RefusedInput(_refusal(path, head, others, broken))


def _head(path: Path) -> Head:
    """What a format that is no JSON object a line may be known by."""
    try:
        with open_utf8(path) as file:
            text = file.read(HEAD).decode("utf-8", "replace").removeprefix("\ufeff")
        return Head(path.name, text, top_of(path) if is_document(path) else None)
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error


def resolve(path: Path) -> Path:
    """The transcript file that `path` means: itself, the one a session's folder holds, or a session's by id.

    A file of that name goes before a session kept on this machine, and that before a bundled one.
    """
    try:
        return _resolve(path)
    except OSError as error:  # a folder that may not be entered, a name that is too long
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error


def _resolve(path: Path) -> Path:
    if not path.exists():
        named = by_id(path.name) if path.name == str(path) else None
        if named is None:
            raise RefusedInput(f"{path} does not exist.")
        path = named
    if not path.is_dir():
        if not path.is_file():
            raise RefusedInput(f"{path} is not a regular file.")
        return path
    if (path / JOURNAL).is_file():
        return path / JOURNAL
    beside = path.parent / f"{path.name}.jsonl"
    if (path / "subagents").is_dir() and beside.is_file():
        return beside
    for folder in (path, path / "events"):
        if folder.name == "events" and (files := openhands.event_files(folder)):
            return files[0]
    found = sorted(item for item in path.glob("*.jsonl") if item.is_file())
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(item.name for item in found[:3]) + (", ..." if len(found) > 3 else "")
        raise RefusedInput(f"{path} holds {len(found)} transcripts ({names}); name one of them.")
    raise RefusedInput(f"{path} is a folder without {JOURNAL} or a .jsonl transcript.")


def _first_objects(path: Path) -> Iterator[dict[str, Any] | str]:
    """The objects of the first lines; for a line that is none, what is wrong with it."""
    try:
        with open_utf8(path) as file:
            for line in islice(lines_of(file), LOOKED_AT):
                if line.offset > MAX_BYTES:
                    return
                if is_blank(line):
                    continue
                try:
                    yield parse(line)
                except Damaged as damage:
                    yield f"line {line.number}: {damage}"
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error


def _format_of(value: Mapping[str, Any], formats: Iterable[Format]) -> Format | None:
    return next((one for one in formats if one.row is not None and one.row(value)), None)


def _other(value: Mapping[str, Any]) -> str:
    """What a line that no reader takes looks like."""
    if "hook_event_name" in value:
        return f"hook inputs ({_keys(value)})"
    message = value.get("msg") if isinstance(value.get("msg"), dict) else value
    if isinstance(message, dict) and (
        {"method", "params"} & message.keys() or {"id", "result"} <= message.keys()
    ):
        return "JSON-RPC messages that are neither Codex's nor the Agent Client Protocol's"
    return f"objects with {_keys(value)}"


def _keys(value: Mapping[str, Any]) -> str:
    # The file may be hostile, and this is printed.
    names = ["".join(sign if sign.isprintable() else "?" for sign in str(key)[:40]) for key in value]
    return "keys " + ", ".join(names[:5]) + (", ..." if len(names) > 5 else "") if names else "no keys"


def _refusal(path: Path, head: Head, others: Counter[str], broken: str) -> str:
    size = path.stat().st_size
    if not size:
        return f"{path.name} is empty: there is no session in it."
    if not others and not broken:
        return f"{path.name} holds only blank lines: there is no session in it."
    try:
        with open_utf8(path) as file:
            start = file.read(MAX_BYTES)
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error
    opening = start.removeprefix(_BOM).lstrip().split(b"\n", 1)[0].strip()
    if opening in (b"{", b"[", b"[{") or (not others and _is_json(start)):
        cut = "" if _is_json(start) or len(start) == MAX_BYTES else " that is cut off or damaged"
        return f"{path.name} holds one JSON document{cut}{_shape(head.value)}, not a transcript."
    if path.suffix.lower() in (".csv", ".tsv", ".tab") and not others:
        return f"{path.name} is a table, not a transcript{_how_read(opening)}."
    if others:
        what = others.most_common(1)[0][0]
        return f"{path.name} holds {what}" + ("." if what.endswith("yet") else ", not a transcript.")
    if b"\r" in start and b"\n" not in start:
        return f"{path.name} ends its lines with CR alone; save it with LF line ends to have it read."
    return f"{path.name} holds no line that is a JSON object ({broken}), so it is not a transcript."


def _how_read(header: bytes) -> str:
    """What to do to have a table read, behind a semicolon."""
    split = ", whose fields ';' separates," if b";" in header and b"," not in header else ""
    return f"; say what its columns{split} mean in a mapping file and give it with --mapping"


def _shape(top: Any) -> str:
    """What the top of a JSON document looks like, behind a comma."""
    if isinstance(top, dict) and top:
        return f", an object with {_keys(top)}"
    if isinstance(top, list) and top:
        return f", a list of objects with {_keys(top[0])}" if isinstance(top[0], dict) else ", a list"
    return ""


def _is_json(start: bytes) -> bool:
    try:
        return isinstance(json.loads(start.removeprefix(_BOM)), dict | list)
    except (ValueError, RecursionError):
        return False
