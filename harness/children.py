"""Every process the judge starts: each in a group of its own, none outliving the judge."""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO


class Children:
    """The processes of one evaluation. `kill_all` ends them and whatever they started in their groups."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._alive: dict[int, subprocess.Popen[bytes]] = {}

    def spawn(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: int | IO[bytes] = subprocess.DEVNULL,
        stdout: int | IO[bytes] = subprocess.DEVNULL,
        stderr: int | IO[bytes] = subprocess.DEVNULL,
        pass_fds: Sequence[int] = (),
    ) -> subprocess.Popen[bytes]:
        """Start a process that inherits nothing but what is named here. Raises `OSError`."""
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(env),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=tuple(pass_fds),
            start_new_session=True,
        )
        with self._lock:
            self._alive[process.pid] = process
        return process

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """End a process and its group; returns when it is gone."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        with self._lock:
            self._alive.pop(process.pid, None)

    def kill_all(self) -> None:
        """End everything that is left."""
        with self._lock:
            left = list(self._alive.values())
        for process in left:
            self.kill(process)


@contextlib.contextmanager
def children() -> Iterator[Children]:
    """The processes of one evaluation, all gone when the block is left, however it is left."""
    mine = Children()
    try:
        yield mine
    finally:
        mine.kill_all()
