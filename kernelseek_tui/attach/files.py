"""How a person's file is written: whole or not at all, with its mode and owner, never where it is locked."""

import hashlib
import os
from pathlib import Path


def digest(data: bytes | None) -> str:
    """The SHA-256 of a file's bytes, `none` for no file."""
    return "none" if data is None else hashlib.sha256(data).hexdigest()


def part_of(path: Path) -> Path:
    """Where the file is written before it gets its name; one that was killed leaves it there."""
    return path.with_name(f".{path.name}.kernelseek")


def locked_against_us(path: Path) -> bool:
    """Whether we may not write there. A thing without any write bit is locked for root, too: somebody meant
    it to stay as it is."""
    try:
        return not (path.stat().st_mode & 0o222 and os.access(path, os.W_OK))
    except FileNotFoundError:
        return False


def replace_file(path: Path, data: bytes, mode: int) -> None:
    """Write by atomic rename, with the mode and the owner of what was there."""
    part = part_of(path)
    part.unlink(missing_ok=True)
    # Exclusive: whatever somebody puts at that name is not written through.
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode or 0o644)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if mode:
            part.chmod(mode)
        beside = path if path.exists() else path.parent
        found = beside.stat()
        if os.geteuid() == 0 and (found.st_uid, found.st_gid) != (0, 0):
            os.chown(part, found.st_uid, found.st_gid)
        part.replace(path)
    except BaseException:  # whatever happened, also Ctrl-C: no half file stays
        part.unlink(missing_ok=True)
        raise
