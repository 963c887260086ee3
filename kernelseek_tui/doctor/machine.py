"""Cores, clock, folders: can this machine measure, and can what is measured be kept?"""

import os
import shutil
import statistics
import time
from pathlib import Path

from kernelseek_tui.doctor.finding import Finding, State, Surroundings

LEAST_FREE = 300 << 20
"""Bytes: builds, journals and records of a few sessions (a guess; a demo leaves some 10 MB)."""
NOISY = 0.05
"""Two halves of one loop that differ by more say that the machine is busy (a guess)."""
_CALLS, _PARTS = 400, 24


def cores(_: Surroundings) -> Finding:
    """The cores we may run on: one is for the timed calls alone, the judge keeps to the others."""
    from harness.machine import usable_cores

    usable = usable_cores()
    count = len(usable) or os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    found = f"{count} usable, load {load:.1f}"
    if not usable:
        return Finding("cores", State.NOTE, f"{found}, no pinning here", "expect wider intervals")
    if count < 2:
        return Finding("cores", State.NOTE, found, "judge and candidate share it: expect wider intervals")
    if load > count:
        return Finding("cores", State.NOTE, found, "the machine is busy: expect wider intervals")
    return Finding("cores", State.OK, found)


def clock(_: Surroundings) -> Finding:
    """The clock's step, and an A/A of an empty call: the same loop twice, in turns."""
    step = time.get_clock_info("perf_counter").resolution
    sides: tuple[list[int], list[int]] = ([], [])
    for part in range(_PARTS):
        sides[part % 2].append(_empty_calls())
    one, other = (statistics.median(side) for side in sides)
    apart = abs(one / other - 1)
    found = f"step {step * 1e9:.0f} ns; an empty call against itself differs by {apart:.1%}"
    if apart > NOISY:
        return Finding("clock", State.NOTE, found, "let other work end before you measure")
    return Finding("clock", State.OK, found)


def _empty_calls() -> int:
    start = time.perf_counter_ns()
    for _ in range(_CALLS):
        _nothing()
    return time.perf_counter_ns() - start


def _nothing() -> None:
    return


def state_folder(around: Surroundings) -> Finding:
    """Where journals, workspaces and records are kept."""
    from sessions.home import home

    return _folder("state folder", home(around.environment), "KERNELSEEK_HOME")


def cache_folder(around: Surroundings) -> Finding:
    """Where builds are kept."""
    import platformdirs

    chosen = around.environment.get("KERNELSEEK_CACHE")
    path = Path(chosen) if chosen else platformdirs.user_cache_path("kernelseek")
    return _folder("cache folder", path.absolute(), "KERNELSEEK_CACHE")


def _folder(name: str, path: Path, variable: str) -> Finding:
    """Looks only; a folder that is not there yet is judged by the one it will be made in."""
    there = next(folder for folder in (path, *path.parents) if os.path.lexists(folder))
    advice = f"set {variable} to a folder that you can write"
    if not there.is_dir():
        return Finding(name, State.MISSING, f"{there} is not a folder", advice, needed=True)
    if not os.access(there, os.W_OK | os.X_OK):
        return Finding(name, State.MISSING, f"{there} cannot be written", advice, needed=True)
    free = shutil.disk_usage(there).free
    found = f"{path}, {free / (1 << 30):.1f} GiB free"
    if free < LEAST_FREE:
        advice = f"free some space, or set {variable} to a folder on another disk"
        return Finding(name, State.MISSING, found, advice, needed=True)
    return Finding(name, State.OK, found, needed=True)
