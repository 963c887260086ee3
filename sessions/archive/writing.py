"""New files that appear whole or not at all, and never in place of another; compressed where asked."""

import errno
import fcntl
import gzip
import hashlib
import lzma
import os
import re
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Literal

from sessions.archive.finding import lives
from sessions.errors import RefusedInput, StorageError

Packing = Literal["jsonl", "gz", "xz"]
PACKINGS: tuple[Packing, ...] = ("jsonl", "gz", "xz")


_NAMED = 56
"""Characters of a file's name in its unfinished one's, which is to fit into 255 bytes of UTF-8."""
_PART = re.compile(r"\..+\.(\d{1,10})-[a-z0-9_]{8}\.part", re.DOTALL)


def packing_of(path: Path) -> Packing:
    """How a file of this name is compressed; `jsonl` stands for not at all."""
    suffix = path.suffix.lower().removeprefix(".")
    return "gz" if suffix == "gz" else "xz" if suffix == "xz" else "jsonl"


def write_new(path: Path, chunks: Iterable[bytes], packing: Packing = "jsonl") -> str:
    """Write `chunks` to `path` and return the file's sha256.

    The same chunks give the same bytes. Raises `RefusedInput` where something stands at `path` already and
    `StorageError` where it cannot be written; nothing is left behind then, nor when `chunks` raises. What a
    killed process left half written in the folder is removed.
    """
    refuse_existing(path)
    sweep_parts(path.parent)
    part: Path | None = None
    try:
        prefix = f".{path.name[:_NAMED]}.{os.getpid()}-"
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=".part")
        part = Path(name)
        with os.fdopen(descriptor, "w+b") as file:
            with suppress(OSError):  # a file system without locks: the process id in the name has to do
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            pack(file, chunks, packing)
            file.flush()
            os.fsync(file.fileno())
            file.seek(0)
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        part.chmod(0o644)
        _appear(part, path)
    except OSError as error:
        raise storage(path, error) from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)
    return sha256


def sweep_parts(folder: Path) -> int:
    """Remove the unfinished files of `write_new` whose writers are dead; returns how many. Never raises.

    A writer on another machine that shares the folder holds a lock on its file.
    """
    try:
        found = [(path, _PART.fullmatch(path.name)) for path in folder.iterdir()]
    except OSError:
        return 0  # writing there says what is wrong
    removed = 0
    for path, named in found:
        if named is None or lives(int(named[1])):
            continue
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(descriptor)
            removed += 1
    return removed


def pack(file: IO[bytes], chunks: Iterable[bytes], packing: Packing) -> None:
    """Write `chunks` to an open file, compressed as asked. Raises `OSError`."""
    if packing == "gz":  # without name and time, which would make each export another file
        with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as zipped:
            zipped.writelines(chunks)
    elif packing == "xz":
        with lzma.LZMAFile(file, "wb", preset=6) as packed:
            packed.writelines(chunks)
    else:
        file.writelines(chunks)


def refuse_existing(path: Path) -> None:
    """Raises `RefusedInput` where something, were it a dangling link, stands at `path`."""
    if os.path.lexists(path):
        raise RefusedInput(f"{path} exists already, and nothing is overwritten; name another file.")


def storage(path: Path, error: OSError) -> StorageError:
    """What is said when `path` cannot be written."""
    why = error.strerror or str(error)
    return StorageError(f"{path} could not be written ({why}); make room or name another folder.")


def _appear(part: Path, path: Path) -> None:
    try:
        os.link(part, path)  # unlike a rename it fails where a file came in between
    except FileExistsError:
        refuse_existing(path)
        raise
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EACCES, errno.EMLINK):
            raise
        refuse_existing(path)  # a file system without links
        part.replace(path)
