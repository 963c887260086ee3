"""The file that keeps effect records: `KERNELSEEK_HOME/bank/effects.jsonl`, one block of lines a journal.

A block is a line that names the journal as it was measured (size, time of its last change, wording of the
bank) and a line for each of its records. The file is only ever replaced whole, by a rename, under a lock: a
killed or second process leaves the old one or the new one. It is a cache: what is damaged is measured again.
"""

import fcntl
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bank.effects.record import MEASURED_BY, Record
from sessions.archive.writing import storage, sweep_parts
from sessions.home import home

_NAME = "effects.jsonl"
_LARGEST = 512 << 20  # bytes; no cache of ours comes near


def cache_path() -> Path:
    """The file, which need not exist."""
    return home() / "bank" / _NAME


@dataclass(frozen=True, slots=True)
class Source:
    """A journal or transcript as it was when it was measured.

    `path` is absolute. `kept`: it is a session of this machine, whose records count for the ranker; others
    were only named on a command line. `texts`: hash of the bank's wording by which entries were recognised.
    """

    path: str
    size: int
    mtime_ns: int
    texts: str
    kept: bool


@dataclass(frozen=True, slots=True)
class Block:
    """What one journal gave."""

    source: Source
    records: tuple[Record, ...]


@dataclass(slots=True)
class Stored:
    """What the file held. `trouble`: why nothing of it could be used, a clause; empty where all was well."""

    blocks: dict[str, Block] = field(default_factory=dict)
    trouble: str = ""


def read_store(path: Path) -> Stored:
    """Read the file. Never raises for what is in it: where a line is no good, nothing of it is used."""
    try:
        blocks = [
            Block(source, tuple(Record.model_validate(record) for record in records))
            for source, records in raw_blocks(path)
        ]
    except OSError as error:
        return Stored(trouble=f"it cannot be read ({error.strerror or error})")
    except Other:
        return Stored(trouble="another version of the program made it")
    except (ValueError, ValidationError, OverflowError, RecursionError):
        return Stored(trouble="it is damaged")
    return Stored({block.source.path: block for block in blocks})


class Other(Exception):  # noqa: N818 - no error: the file is of another version
    """The file was made by another version."""


def raw_blocks(path: Path) -> Iterator[tuple[Source, list[dict[str, Any]]]]:
    """Each journal with its records as they stand. No file: none.

    Raises `OSError`, `Other`, and `ValueError` for the first line that is no good.
    """
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > _LARGEST:
                raise ValueError("too large")
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return
    if lines.pop() != b"":
        raise ValueError("the last line is cut off")
    position = 0
    while position < len(lines):
        head = json.loads(lines[position])
        if not isinstance(head, dict) or not isinstance(head.get("journal"), dict):
            raise ValueError("no journal's line")
        if head.get("measured_by") != MEASURED_BY:
            raise Other
        count = head.get("records")
        if not isinstance(count, int) or not 0 <= count < len(lines) - position:
            raise ValueError("records are missing")
        records = [json.loads(line) for line in lines[position + 1 : position + 1 + count]]
        if not all(isinstance(record, dict) and "what" in record for record in records):
            raise ValueError("no record")
        yield _source(head["journal"]), records
        position += 1 + count


def _source(data: Mapping[str, Any]) -> Source:
    path, size, mtime, texts, kept = (data.get(name) for name in Source.__slots__)
    if not (isinstance(path, str) and isinstance(texts, str) and isinstance(kept, bool)):
        raise ValueError("no journal's line")
    if not (isinstance(size, int) and isinstance(mtime, int)):
        raise ValueError("no journal's line")
    return Source(path, size, mtime, texts, kept)


def merge_into(path: Path, blocks: Iterable[Block]) -> Stored:
    """Put these blocks in the place of those of the same journals, and return all that is in the file now.

    What another process wrote meanwhile stays. Records of kept sessions that are gone stay, too; those of
    other files go when their file is gone. Raises `StorageError`.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.with_suffix(".lock")):
            found = read_store(path).blocks
            found.update({block.source.path: block for block in blocks})
            left = {
                name: block for name, block in found.items() if block.source.kept or os.path.lexists(name)
            }
            _replace(path, left.values())
            return Stored(left)
    except OSError as error:
        raise storage(path, error) from error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _replace(path: Path, blocks: Iterable[Block]) -> None:
    sweep_parts(path.parent)
    descriptor, name = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.name}.{os.getpid()}-", suffix=".part"
    )
    made = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for block in blocks:
                file.write(_head(block) + b"\n")
                file.writelines(record.model_dump_json().encode() + b"\n" for record in block.records)
            file.flush()
            os.fsync(file.fileno())
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _head(block: Block) -> bytes:
    source = block.source
    journal = {name: getattr(source, name) for name in Source.__slots__}
    head = {"journal": journal, "measured_by": MEASURED_BY, "records": len(block.records)}
    return json.dumps(head, ensure_ascii=True).encode()
