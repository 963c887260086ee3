"""Which format a transcript has, by positive evidence from several lines; anything else is refused."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from sessions.errors import RefusedInput
from sessions.home import JOURNAL
from sessions.readers import own
from sessions.readers.documents import HEAD, is_document, top_of
from sessions.readers.formats import Format, Head
from sessions.readers.lines import Damaged, is_blank, lines_of, parse
from sessions.readers.registry import FORMATS, added

LOOKED_AT = 200  # lines: enough to outvote a few odd ones at the start
MAX_BYTES = 8 * 1024 * 1024  # a file without line ends is not read to its end just to refuse it


_CODEX_EXEC = ("thread.", "turn.", "item.")


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
    raise RefusedInput(_refusal(path, others, broken))


def _head(path: Path) -> Head:
    """What a format that is no JSON object a line may be known by."""
    try:
        with path.open("rb") as file:
            text = file.read(HEAD).decode("utf-8", "replace").removeprefix("\ufeff")
        return Head(path.name, text, top_of(path) if is_document(path) else None)
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error


def resolve(path: Path) -> Path:
    """The transcript file that `path` means: itself, or the one a session's folder holds."""
    try:
        return _resolve(path)
    except OSError as error:  # a folder that may not be entered, a name that is too long
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error


def _resolve(path: Path) -> Path:
    if not path.exists():
        raise RefusedInput(f"{path} does not exist.")
    if not path.is_dir():
        if not path.is_file():
            raise RefusedInput(f"{path} is not a regular file.")
        return path
    if (path / JOURNAL).is_file():
        return path / JOURNAL
    beside = path.parent / f"{path.name}.jsonl"
    if (path / "subagents").is_dir() and beside.is_file():
        return beside
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
        with path.open("rb") as file:
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
    kind = value.get("type")
    if "hook_event_name" in value:
        return f"hook inputs ({_keys(value)})"
    if isinstance(kind, str) and "payload" in value:
        return "a Codex rollout, which is not readable yet"
    if isinstance(kind, str) and kind.startswith(_CODEX_EXEC):
        return "the output of `codex exec --json`, which is not readable yet"
    message = value.get("msg") if isinstance(value.get("msg"), dict) else value
    if isinstance(message, dict) and (
        {"method", "params"} & message.keys() or {"id", "result"} <= message.keys()
    ):
        return "JSON-RPC messages, as Codex and ACP agents speak them, which are not readable yet"
    if "update" in value:
        return "Agent Client Protocol updates, which are not readable yet"
    return f"objects with {_keys(value)}"


def _keys(value: Mapping[str, Any]) -> str:
    # The file may be hostile, and this is printed.
    names = ["".join(sign if sign.isprintable() else "?" for sign in str(key)[:40]) for key in value]
    return "keys " + ", ".join(names[:5]) + (", ..." if len(names) > 5 else "") if names else "no keys"


def _refusal(path: Path, others: Counter[str], broken: str) -> str:
    if others:
        what = others.most_common(1)[0][0]
        return f"{path.name} holds {what}" + ("." if what.endswith("yet") else ", not a transcript.")
    size = path.stat().st_size
    if not size:
        return f"{path.name} is empty: there is no session in it."
    if not broken:
        return f"{path.name} holds only blank lines: there is no session in it."
    try:
        with path.open("rb") as file:
            start = file.read(MAX_BYTES)
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or _every_other_is_nul(start[:64]):
        return f"{path.name} is UTF-16 text; save it as UTF-8 to have it read."
    if b"\r" in start and b"\n" not in start:
        return f"{path.name} ends its lines with CR alone; save it with LF line ends to have it read."
    if b"\n" in start.strip() and _is_document(start, size):
        return (
            f"{path.name} holds one JSON document over several lines, not a transcript with an object a line."
        )
    return f"{path.name} holds no line that is a JSON object ({broken}), so it is not a transcript."


def _every_other_is_nul(start: bytes) -> bool:
    even, odd = start[0::2], start[1::2]
    return len(start) >= 4 and any(not any(half) and any(other) for half, other in ((even, odd), (odd, even)))


def _is_document(start: bytes, size: int) -> bool:
    if size > len(start):  # too long to read for a refusal: its first line has to do
        return start.split(b"\n", 1)[0].strip() in (b"{", b"[")
    try:
        return isinstance(json.loads(start), dict | list)
    except (ValueError, RecursionError):
        return False
