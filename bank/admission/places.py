"""Where a bank keeps what stands beside its entries: the ids it ever had, and its reviews."""

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bank.bank import ENTRIES
from bank.errors import BankError
from sessions.errors import StorageError
from sessions.replacing import replace_file

CHECKOUT = ENTRIES.parents[1]
LOCK = ".kernelseek-bank.lock"
WAIT = 60.0
"""Seconds for which a lock is waited for; it is held for as long as a bank takes to be read and checked."""


def beside(path: Path, name: str) -> Path:
    """The file `name` of the bank at `path`, a folder of YAML or one such file.

    It stands in the folder, or beside it where the folder is named `entries`, as in the shipped bank.
    """
    folder = (path if path.is_dir() else path.parent).resolve()
    return (folder.parent if folder.name == ENTRIES.name else folder) / name


def refuse_installed(path: Path) -> None:
    """Raises `BankError` where `path` is the bank of an installed package, which belongs to no author."""
    shipped = path.resolve().is_relative_to(ENTRIES.resolve())
    if shipped and not (CHECKOUT / "pyproject.toml").is_file():
        raise BankError(
            "this bank belongs to the installed package, name a folder of your own or of a checkout"
        )


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep others that write to a bank's folder out, from reading what is there to replacing it.

    Says on stderr where it has to wait, and where the file system has no locks. A folder in which nothing can
    be made is not locked: writing there says what is wrong. Raises `StorageError` after `WAIT` seconds.
    """
    path = folder.resolve() / LOCK
    held = _hold(path)
    try:
        yield
    finally:
        if held is not None:
            # Before it is given free, so that whoever waits for it sees that it is another file by then.
            path.unlink(missing_ok=True)
            os.close(held)


def _hold(path: Path) -> int | None:
    began, told = time.monotonic(), False
    while True:
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError:
            return None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_still(path, file):
                return file
        except BlockingIOError:
            pass
        except OSError:
            os.close(file)
            path.unlink(missing_ok=True)
            _say(f"{path.parent} is on a file system without locks: let no two programs write to it at once.")
            return None
        os.close(file)
        waited = time.monotonic() - began
        if waited > WAIT:
            raise StorageError(f"Another process writes to {path.parent}; try again when it has ended.")
        if waited > 2 and not told:
            told = True
            _say(f"waiting for another process that writes to {path.parent}")
        time.sleep(0.02)


def _is_still(path: Path, file: int) -> bool:
    """The locked file is the one that stands there: its last holder removed it, maybe while we waited."""
    try:
        there = path.stat(follow_symlinks=False)
    except OSError:
        return False
    own = os.fstat(file)
    return (there.st_ino, there.st_dev) == (own.st_ino, own.st_dev)


def _say(text: str) -> None:
    if sys.stderr is not None:
        print("".join(sign if sign.isprintable() else "?" for sign in text), file=sys.stderr, flush=True)


def replace_text(path: Path, text: str) -> None:
    """Write a text file by atomic rename, its mode kept. Raises `StorageError`; what was there stays."""
    path = path.resolve()  # a link stays a link
    try:
        if path.exists() and not os.access(path, os.W_OK):
            raise StorageError(f"{path} is write-protected, change its mode or choose another bank.")
        replace_file(path, [text])
    except OSError as error:
        raise StorageError(
            f"{path} could not be written ({error.strerror or error}); make room or choose another bank."
        ) from error
