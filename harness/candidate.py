"""Freezes a candidate: what is judged is a copy that its author can no longer edit."""

import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.errors import JudgeError, RefusedCandidate

MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class FrozenCandidate:
    """A frozen copy at `path`, named by its hash; `origin` is where it was read."""

    origin: Path
    path: Path
    sha256: str
    source: bytes

    @property
    def language(self) -> Literal["c++", "python"]:
        """What it is written in, by its name."""
        return language_of(self.path)


def language_of(path: Path) -> Literal["c++", "python"]:
    """What a source is written in: Python where its name ends in .py, else C++."""
    return "python" if path.suffix == ".py" else "c++"


def frozen_path(folder: Path, sha256: str) -> Path:
    """Where the frozen candidate with that hash lies, whatever it is written in."""
    python = folder / f"{sha256}.py"
    return python if python.is_file() else folder / f"{sha256}.cpp"


def read_candidate(path: Path) -> bytes:
    """The candidate's bytes. Raises `RefusedCandidate` for what is not one plain UTF-8 file of ≤ 1 MB."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise RefusedCandidate(f"There is no candidate at {path}.") from None
    except OSError as error:
        if path.is_symlink():
            raise RefusedCandidate(f"{path} is a link; the candidate has to be the file itself.") from error
        raise RefusedCandidate(f"The candidate {path} cannot be read: {error.strerror}.") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RefusedCandidate(f"{path} is not a file; a candidate is one C++ or Python file.")
    with os.fdopen(descriptor, "rb") as file:
        source = file.read(MAX_BYTES + 1)
    if len(source) > MAX_BYTES:
        raise RefusedCandidate(f"{path} is over 1 MB; a candidate is one C++ or Python file of at most that.")
    if not source.strip():
        raise RefusedCandidate(f"{path} is empty; the candidate has to define ks_run (see its start).")
    try:
        source.decode()
    except UnicodeDecodeError as error:
        raise RefusedCandidate(f"{path} is not UTF-8 text (byte {error.start}).") from error
    if b"\0" in source:
        raise RefusedCandidate(f"{path} holds a NUL byte; a candidate is one C++ or Python file.")
    return source


def freeze(path: Path, folder: Path) -> FrozenCandidate:
    """Copy the candidate to `folder/<sha256>.cpp` (or `.py`).

    Raises `RefusedCandidate`, or `JudgeError` on storage.
    """
    source = read_candidate(path)
    sha256 = hashlib.sha256(source).hexdigest()
    frozen = folder / (sha256 + (".py" if language_of(path) == "python" else ".cpp"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not frozen.is_file() or frozen.read_bytes() != source:
            descriptor, name = tempfile.mkstemp(dir=folder, suffix=".part")
            with os.fdopen(descriptor, "wb") as file:
                file.write(source)
            Path(name).chmod(0o444)
            Path(name).replace(frozen)
    except OSError as error:
        raise JudgeError(f"The candidate could not be frozen into {folder}: {error.strerror}.") from error
    return FrozenCandidate(origin=path, path=frozen, sha256=sha256, source=source)
