"""What the system says of a process, which the process itself has no say in.

Where a system does not tell (macOS), every answer is None and the judge goes without; the record says so.
"""

import contextlib
import ctypes
import sys
import time
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_STOPPED = frozenset("TtZX")
LINUX = sys.platform.startswith("linux")


def cpu_ns(pid: int) -> int | None:
    """Processor time all threads of a process have used. Source: clock_getcpuclockid(3), the kernel's
    encoding of a process clock: the complement of the pid, shifted by 3, with CPUCLOCK_SCHED (2)."""
    if not LINUX:
        return None
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except OSError:
        return None


def preemptions(pid: int) -> int | None:
    """How often the scheduler took the core away from the main thread."""
    for line in _read(Path(f"/proc/{pid}/status")).splitlines():
        if line.startswith("nonvoluntary_ctxt_switches:"):
            return int(line.split(":")[1])
    return None


def filters(pid: int) -> int:
    """How many filters are on the process's system calls (`native/contain.h`)."""
    text = _read(Path(f"/proc/{pid}/status"))
    for line in text.splitlines():
        if line.startswith("Seccomp_filters:"):  # Linux 5.9
            return int(line.split(":")[1])
    return int("\nSeccomp:\t2\n" in text)


def stands_still(pid: int) -> bool | None:
    """Whether every thread of a process is stopped."""
    if not LINUX:
        return None
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return True
    return all(_state(thread / "stat") in _STOPPED for thread in threads)


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped by a signal."""
    return _state(Path(f"/proc/{pid}/stat")) == "T"


def children_of(pid: int) -> set[int]:
    """The processes whose parent is this one, by any of its threads."""
    found: set[int] = set()
    if LINUX:
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                found |= {int(word) for word in _read(thread / "children").split()}
    return found


def adopt_orphans() -> bool:
    """From now on a process whose parent dies becomes a child of this one; False where that cannot be."""
    if not LINUX:
        return False
    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _state(path: Path) -> str:
    text = _read(path)
    return text.rpartition(")")[2].strip()[:1] if text else "X"


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
