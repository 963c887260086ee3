"""One judge times at a time on a machine: two that share a core would measure each other."""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path


@contextlib.contextmanager
def turn(device: str, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the machine's lock for timing on `device`; `waiting` is called once if another judge has it.

    Held for one scenario at a time, so that a long evaluation does not keep a short one waiting.

    The lock is the kernel's, so a judge that dies lets go of it. Where no lock can be had (a read-only
    temporary folder, another user's file), timing goes on without one.
    """
    path = Path(tempfile.gettempdir(), f"kernelseek-{os.getuid()}-{device}.lock")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        yield
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
