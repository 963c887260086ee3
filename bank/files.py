"""Reads files that others lay down: regular files alone, and never more of one than a bank may have."""

import os
from pathlib import Path
from stat import S_ISREG
from typing import Literal

from bank.errors import BankError

MAX_BYTES = 2 << 20
"""No file of a bank is larger."""

_LONGEST_NAME = 200


def named(path: Path) -> str:
    """A path as a sentence names it: one of thousands of letters is cut."""
    text = str(path)
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"


def place_of(path: Path) -> Literal["file", "folder", "other", "nothing"]:
    """What lies at a path, links followed. Raises `BankError` where that cannot be known."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "nothing"
    except (OSError, ValueError) as error:  # a name too long, no permission, a null character
        raise BankError(f"cannot be read ({_reason(error)})", file=named(path)) from error
    if S_ISREG(mode):
        return "file"
    return "folder" if path.is_dir() else "other"


def read_bytes(path: Path, most: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file, `most` + 1 of them at the most: one more than `most` is too large.

    Raises `OSError`, also for a pipe or a device: those may never end, and opening one waits for nobody.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(0, "no regular file")
        return file.read(most + 1)


def read_text(path: Path, most: int = MAX_BYTES, *, advice: str = "") -> str:
    """The UTF-8 text of a regular file, its line ends as `\\n`. Raises `BankError` that ends in `advice`."""
    try:
        data = read_bytes(path, most)
        if len(data) <= most:
            return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, ValueError) as error:
        raise BankError(f"cannot be read ({_reason(error)}){advice}", file=named(path)) from error
    what = advice or ", no bank of questions is"
    raise BankError(f"is larger than {most >> 20} MiB{what}", file=named(path))


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text"
    return (error.strerror if isinstance(error, OSError) else None) or "no such path can be"
