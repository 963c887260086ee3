"""What a check is given and what it answers, and how a check asks another program."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class State(StrEnum):
    """How a thing was found: fit, fit but to be known about, absent or unfit."""

    OK = "ok"
    NOTE = "note"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer of one check. `found` says what is there, `advice` what to do about it, if anything.

    `needed`: the demo does not work without it.
    """

    name: str
    state: State
    found: str
    advice: str = ""
    needed: bool = False


@dataclass(frozen=True)
class Surroundings:
    """What the checks look at. `python` is the interpreter that should have torch.

    `seconds` is how long one other program may take to answer.
    """

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    python: str = sys.executable
    path: Sequence[str] = field(default_factory=lambda: tuple(sys.path))
    seconds: float = 2.0

    def which(self, program: str) -> str | None:
        """The program on PATH."""
        return shutil.which(program, path=self.environment.get("PATH", os.defpath))

    def ask(self, command: Sequence[str], cwd: Path | None = None) -> "Answer":
        """Run a program that answers at once; it and what it started are ended when it does not."""
        try:
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return Answer(None, f"cannot be run ({error.strerror})")
        try:
            said, _ = process.communicate(timeout=self.seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return Answer(None, f"did not answer within {self.seconds:g} s")
        return Answer(process.returncode, said.decode(errors="replace").strip())


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program said; `code` is None where it gave no answer, and `text` then says why."""

    code: int | None
    text: str

    @property
    def good(self) -> bool:
        """It ended well and said something."""
        return self.code == 0 and bool(self.text)

    @property
    def line(self) -> str:
        """The first line."""
        return self.text.splitlines()[0].strip() if self.text else ""
