"""Mending the end of a journal that a crash or a power loss tore. Nothing is thrown away."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from sessions import events as ev
from sessions.readers.lines import RawLine, is_blank, lines_of

# The writer puts the id second; a line of another writer is parsed.
_ID = re.compile(rb'\{"schema_version":\d+,"id":"([^"\\]*)"')

_TOLD = re.compile(rb"\.torn-(\d+)")

_PADDING = b"\0 \t\r"  # NULs: what a file system leaves where data did not reach the disk


@dataclass(frozen=True, slots=True)
class Repair:
    """What a journal holds and what was done to its end. `what` is empty when nothing was.

    `untold`: what the journal does not report yet, `what` among it, and ends that were moved aside by an
    owner that was killed before it could say so.
    """

    lines: int = 0
    ids: frozenset[str] = field(default_factory=frozenset)
    what: str = ""
    untold: tuple[str, ...] = ()


def repair(path: Path) -> Repair:
    """Leave `path` ending in a whole line. Raises `OSError` when that fails; the file is then as it was.

    What follows the last whole line is moved to `<name>.torn-<n>` beside it before it is cut off. An event
    that only lacks its newline gets one. A missing file is an empty journal.
    """
    try:
        file = path.open("r+b")
    except FileNotFoundError:
        return Repair()
    ids: set[str] = set()
    told: set[str] = set()
    number = 0
    torn: RawLine | None = None
    whole = 0  # where the last line ended that is not only padding
    with file:
        for line in lines_of(file):
            if line.complete and line.data.strip(_PADDING):
                ids.update(_ids_of(line))
                if b'"kind":"reader_problem"' in line.data:
                    told.update(f"{path.name}.torn-{n.decode()}" for n in _TOLD.findall(line.data))
                torn, whole, number = None, line.offset + line.size, line.number + 1
            elif torn is None and line.complete and is_blank(line):
                whole, number = line.offset + line.size, line.number + 1
            else:
                torn = torn or line
        if torn is None:
            return Repair(number, frozenset(ids), "", _earlier(path, told))
        earlier = _earlier(path, told)
        file.seek(whole)
        if torn.offset == whole and not torn.complete and _is_event(torn):
            file.seek(whole + len(torn.data.rstrip(_PADDING)))
            file.write(b"\n")
            file.truncate()
            ids.update(_ids_of(torn))
            what = "the last line lacked its end, which was added"
            return Repair(number + 1, frozenset(ids), what, (*earlier, what))
        what = _move_aside(path, whole)
        return Repair(number, frozenset(ids), what, (*earlier, what))


def _earlier(path: Path, told: set[str]) -> tuple[str, ...]:
    """Ends that lie beside the journal and that no event of it reports."""
    beside = sorted(path.parent.glob(f"{path.name}.torn-*"))
    return tuple(
        f"a torn end of {file.stat().st_size} bytes was moved to {file.name} earlier"
        for file in beside
        if file.name not in told
    )


def _move_aside(path: Path, start: int) -> str:
    aside = next(
        place for n in range(1, 1_000_000) if not (place := path.with_name(f"{path.name}.torn-{n}")).exists()
    )
    with path.open("r+b") as file, aside.open("xb") as kept:
        file.seek(start)
        size = 0
        while chunk := file.read(1 << 20):
            size += kept.write(chunk)
        kept.flush()
        os.fsync(kept.fileno())
        file.truncate(start)
        os.fsync(file.fileno())
    return f"a torn end of {size} bytes was moved to {aside.name}"


def _is_event(line: RawLine) -> bool:
    try:
        ev.parse_event(line.data.rstrip(_PADDING))
    except ValidationError:
        return False
    return True


def _ids_of(line: RawLine) -> tuple[str, ...]:
    data = line.data.strip(_PADDING)
    found = _ID.match(data)
    if found:
        return (found.group(1).decode("utf-8", "replace"),)
    try:
        return (ev.parse_event(data).id,)
    except ValidationError:
        return ()
