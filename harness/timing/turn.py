"""One judge times at a time on a machine: two that share a core would measure each other."""

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.errors import JudgeError

SHARED = Path("/dev/shm")
"""Where locks lie: the same for all of a user's judges, unlike the temporary folder of a session's shell."""
POLL_SECONDS = 0.05
TELL_SECONDS = 5.0
MOST_SECONDS = 1800.0
"""A scenario whose calls all run into the deadline is timed for less."""


@contextlib.contextmanager
def turn(device: str, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the machine's lock for timing on `device`; `waiting` is called now and then while another has it.

    Held for one scenario at a time, so that a long evaluation does not keep a short one waiting. Raises
    `JudgeError` after `MOST_SECONDS`, and `KeyboardInterrupt` where whoever started this judge has gone.

    The lock is the kernel's, so a judge that dies lets go of it. It is among the judges of one user: another
    user's, or one in a container of its own, is not seen. Where no lock can be had (no folder to write to),
    timing goes on without one.
    """
    shared = SHARED.is_dir() and os.access(SHARED, os.W_OK)
    path = Path(SHARED if shared else tempfile.gettempdir(), f"kernelseek-{os.getuid()}-{device}.lock")
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError:
            yield
            return
        try:
            _wait(descriptor, path, waiting)
            if not _is(descriptor, path):
                continue  # somebody cleaned up meanwhile: the lock of a file that is gone keeps nobody out
            yield
            return
        finally:
            os.close(descriptor)


def _is(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def _wait(descriptor: int, path: Path, waiting: Callable[[], None]) -> None:
    parent, started, told = os.getppid(), time.monotonic(), 0.0
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            pass
        now = time.monotonic()
        if os.getppid() != parent:
            raise KeyboardInterrupt  # nobody waits for the record
        if now - started > MOST_SECONDS:
            raise JudgeError(
                f"Another judge has been timing on this machine for {MOST_SECONDS / 60:g} minutes (it holds "
                f"the lock {path}); end it and evaluate again."
            )
        if not told or now - told > TELL_SECONDS:
            waiting()
            told = now
        time.sleep(POLL_SECONDS)
