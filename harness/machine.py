"""What this machine is: processor, kernel, cores, and where the runners are pinned."""

import contextlib
import os
import platform
from collections.abc import Iterator
from functools import cache
from pathlib import Path


@cache
def _cpuinfo() -> dict[str, str]:
    """The first processor of /proc/cpuinfo; empty where there is none."""
    try:
        text = Path("/proc/cpuinfo").read_text(errors="replace")
    except OSError:
        return {}
    lines = (line.partition(":") for line in text.split("\n\n")[0].splitlines())
    return {key.strip(): value.strip() for key, _, value in lines}


def cpu_model() -> str:
    """The processor's model, as far as the system says."""
    return _cpuinfo().get("model name") or platform.processor() or platform.machine()


def cpu_name() -> str:
    """The processor's model and the features that -march=native sees, as far as the system says."""
    if not (lines := _cpuinfo()):
        return cpu_model()
    numbers = "-".join(lines.get(key, "?") for key in ("cpu family", "model", "stepping"))
    return f"{cpu_model()} ({numbers})"


def boot_id() -> str:
    """What names this start of the system; empty where it does not say."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def usable_cores() -> tuple[int, ...]:
    """The cores this process may run on; empty where the system does not say."""
    if not hasattr(os, "sched_getaffinity"):
        return ()
    return tuple(sorted(os.sched_getaffinity(0)))


def prioritise(pid: int, nice: int) -> int:
    """Ask for a nice value; the one the process then has.

    Where Linux groups processes by session, values only count inside a group, so the group's is set too.
    """
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(nice))
    try:
        os.setpriority(os.PRIO_PROCESS, pid, nice)
    except OSError:
        with contextlib.suppress(OSError):
            return os.getpriority(os.PRIO_PROCESS, pid)
        return 0
    return nice


def pin(pid: int, cores: tuple[int, ...]) -> bool:
    """Restrict a process to these cores; False where that is not possible."""
    if not cores or not hasattr(os, "sched_setaffinity"):
        return False
    try:
        os.sched_setaffinity(pid, cores)
    except OSError:
        return False
    return True


def goes_first(pid: int) -> None:
    """Where memory runs out, the kernel is to end this process and not the judge, or a program of the user's
    that has nothing to do with it. Source: proc_pid_oom_score_adj(5)."""
    with contextlib.suppress(OSError):  # no such file on macOS; or it has ended
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")


@contextlib.contextmanager
def kept_off(cores: tuple[int, ...], nice: int) -> Iterator[None]:
    """Keep this process on `cores`, off the one that is being timed, and quick to wake: its clock counts
    too. `nice` is what the timed processes ask for."""
    usable, own = usable_cores(), os.getpriority(os.PRIO_PROCESS, 0)
    pin(0, cores)
    _renice(min(own, nice))
    try:
        yield
    finally:
        _renice(own)
        if cores:
            pin(0, usable)


def _renice(nice: int) -> None:
    """Change this process's priority where the system lets it; its session's only if that is its own."""
    if os.getsid(0) == os.getpid():
        prioritise(os.getpid(), nice)
        return
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, nice)
