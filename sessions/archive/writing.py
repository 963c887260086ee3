"""New files that appear whole or not at all, and never in place of another; compressed where asked."""

import errno
import gzip
import hashlib
import lzma
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Literal

from sessions.errors import RefusedInput, StorageError

Packing = Literal["jsonl", "gz", "xz"]
PACKINGS: tuple[Packing, ...] = ("jsonl", "gz", "xz")


def packing_of(path: Path) -> Packing:
    """How a file of this name is compressed; `jsonl` stands for not at all."""
    suffix = path.suffix.lower().removeprefix(".")
    return "gz" if suffix == "gz" else "xz" if suffix == "xz" else "jsonl"


def write_new(path: Path, chunks: Iterable[bytes], packing: Packing = "jsonl") -> str:
    """Write `chunks` to `path` and return the file's sha256.

    The same chunks give the same bytes. Raises `RefusedInput` where something stands at `path` already and
    `StorageError` where it cannot be written; nothing is left behind then, nor when `chunks` raises.
    """
    refuse_existing(path)
    part: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.", suffix=".part")
        part = Path(name)
        with os.fdopen(descriptor, "w+b") as file:
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
