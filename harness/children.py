"""Every process the judge starts: each in a group of its own, none outliving the judge.

The judge adopts what a process of its own leaves behind (Linux), so that leaving the group is no way out.
"""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from harness.outside import adopt_orphans, children_of


class Adopted:
    """A process that something of ours started and left to us: what `subprocess.Popen` is to a child."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit code if it has ended."""
        try:
            return self.wait(0.0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, or the negative signal it died of. Raises `subprocess.TimeoutExpired`."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            try:
                found, status = os.waitpid(self.pid, 0 if deadline is None else os.WNOHANG)
            except ChildProcessError:  # reaped by somebody else: how it ended is not known any more
                self.returncode = 0
                break
            if found:
                self.returncode = os.waitstatus_to_exitcode(status)
            elif deadline is not None and time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            else:
                time.sleep(1e-3)
        return self.returncode


Process = subprocess.Popen[bytes] | Adopted


class Children:
    """The processes of one evaluation. `kill_all` ends them and whatever they started in their groups."""

    def __init__(self, *, adopts: bool = False) -> None:
        self._lock = threading.Lock()
        self._alive: dict[int, Process] = {}
        self._others = children_of(os.getpid())  # of whoever called us: none of our business
        self.adopts = adopts and adopt_orphans()

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

    def adopt(self, pid: int) -> Adopted:
        """Take charge of a process that is left to us, and leads a session of its own."""
        process = Adopted(pid)
        with self._lock:
            self._alive[pid] = process
        return process

    def kill(self, process: Process) -> None:
        """End a process and its group; returns when it is gone."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        with self._lock:
            self._alive.pop(process.pid, None)

    def finish(self, process: subprocess.Popen[bytes], seconds: float) -> int | None:
        """Wait so long for a process, then end it with its group; its code, None where time ran out."""
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.kill(process)

    def strays(self, pid: int) -> set[int]:
        """Processes that the child `pid` started, or that an ended child left to us. Only to be asked
        while nothing else of ours starts processes."""
        with self._lock:
            known = self._others | set(self._alive)
        orphans = children_of(os.getpid()) - known if self.adopts else set()
        return children_of(pid) | {one for one in orphans if not _reaped(one)}

    def end_strays(self, pid: int) -> None:
        """End them, and what they leave behind in turn. Gives up after a few rounds."""
        for _ in range(20):
            found = self.strays(pid)
            if not found:
                return
            for stray in found:
                with contextlib.suppress(OSError):
                    os.kill(stray, signal.SIGKILL)
            time.sleep(0.01)

    def kill_all(self) -> None:
        """End everything that is left."""
        with self._lock:
            left = list(self._alive.values())
        for process in left:
            self.kill(process)
        self.end_strays(0)


def _reaped(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except OSError:
        return False


@contextlib.contextmanager
def children(*, adopts: bool = False) -> Iterator[Children]:
    """The processes of one evaluation, all gone when the block is left, however it is left.

    With `adopts`, whoever calls starts no other process meanwhile: what appears is a candidate's.
    """
    mine = Children(adopts=adopts)
    try:
        yield mine
    finally:
        mine.kill_all()
