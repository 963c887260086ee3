"""What an owner and those who ask it say to each other: a lock, and files in the workspace's `requests/`.

    owner.lock               locked (flock) while an owner lives; says who
    requests/ID.json         `Ask`; locked by the asker for as long as it waits
    requests/ID.progress     lines of `Progress`, appended by the owner
    requests/ID.done         `Answer`, written once

The kernel drops a lock when its process dies, however it dies: an owner that is gone leaves no asker
waiting, and an asker that is gone leaves no evaluation running.
"""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import JudgeError

POLL_SECONDS = 0.1
"""Both sides look this often. A listing costs microseconds and works on every file system."""

MAX_ASK_BYTES = 64 << 10


class OwnerError(JudgeError):
    """The owner made no record; the message says why, `exit_code` is what the asker ends with."""

    def __init__(self, message: str, exit_code: int = 60) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Ask(BaseModel):
    """One evaluation that is wanted of the owner. The candidate is frozen already, under its hash.

    The owner chooses the interpreter of the reference itself: who could name it could forge the reference.
    `fresh`: what a broken evaluation of the same had finished is not used.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    candidate_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    scenario_set: str | None = None
    scenarios: str | None = None
    baseline: str = "start"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    fresh: bool = False


class Answer(BaseModel):
    """What became of an `Ask`: the record's path, or one sentence and the exit code."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    record: str | None = None
    error: str = ""
    exit_code: int = 0


class OwnerIdentity(BaseModel):
    """Who holds `owner.lock`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    pid: int = 0
    session: str = "unknown"


@dataclass(frozen=True, slots=True)
class RequestFiles:
    """The files of one request."""

    folder: Path
    id: str

    @property
    def ask(self) -> Path:
        """Written by the asker, removed by the owner once answered."""
        return self.folder / f"{self.id}.json"

    @property
    def progress(self) -> Path:
        """Appended by the owner, removed by the asker."""
        return self.folder / f"{self.id}.progress"

    @property
    def done(self) -> Path:
        """Written by the owner, removed by the asker."""
        return self.folder / f"{self.id}.done"

    def remove(self) -> None:
        """Remove all of them."""
        for path in (self.ask, self.progress, self.done):
            path.unlink(missing_ok=True)


def lock(file: IO[str]) -> bool:
    """Take the lock of an open file for as long as it stays open; False where another process has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock of the file; False where there is no such file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        # Shared, so that many may look at once; it is let go at once.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def live_owner(path: Path) -> OwnerIdentity | None:
    """Who holds the owner's lock; None where nobody does. Never raises on what the file says."""
    if not is_locked(path):
        return None
    try:
        return OwnerIdentity.model_validate_json(path.read_bytes())
    except (ValidationError, OSError):
        return OwnerIdentity()


def write_whole(path: Path, text: str) -> None:
    """Write by atomic rename, so that a reader sees all of it or nothing."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
