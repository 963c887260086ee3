"""What we know of a settings file that we wrote, and how such a file is written."""

import base64
import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelseek_tui.attach.merge import Settings
from kernelseek_tui.hooks.mailbox import ROOM


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of a settings file we wrote.

    `original`: its bytes before us (base64), None where there was none. `made_folder`: `.claude` is ours.
    `written` is the SHA-256 of what we wrote last, `sessions` those it serves.
    """

    path: str
    original: str | None
    mode: int
    made_folder: bool
    written: str = ""
    sessions: tuple[str, ...] = ()

    def bytes(self) -> bytes | None:
        """The original bytes."""
        return None if self.original is None else base64.b64decode(self.original)


def records(home: Path) -> list[Path]:
    """The projects whose settings this state folder has a record of."""
    found = []
    for path in sorted((home / ROOM / "settings").glob("*.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            found.append(Path(json.loads(path.read_bytes())["path"]).parents[1])
    return found


def dump(settings: Settings, like: bytes | None) -> bytes:
    """JSON with the line ends, the final newline and the byte order mark of `like`."""
    like = b"\n" if like is None else like
    text = json.dumps(settings, indent=2, ensure_ascii=_has_surrogates(settings))
    data = text.encode()
    if b"\r\n" in like:
        data = data.replace(b"\n", b"\r\n")
    end = b"\r\n" if like.endswith(b"\r\n") else b"\n" if like.endswith(b"\n") else b""
    return (b"\xef\xbb\xbf" if like.startswith(b"\xef\xbb\xbf") else b"") + data + end


def _has_surrogates(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def digest(data: bytes | None) -> str:
    """The SHA-256 of a file's bytes, `none` for no file."""
    return "none" if data is None else hashlib.sha256(data).hexdigest()


def part_of(path: Path) -> Path:
    """Where the file is written before it gets its name; one that was killed leaves it there."""
    return path.with_name(f".{path.name}.kernelseek")


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
