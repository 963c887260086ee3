"""An owner that is killed outright leaves no agent at work, and a next one says so if it did."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.workspace import MARK as WORKSPACE_MARK
from kernelseek_tui.agents.earlier import earlier_clients
from kernelseek_tui.agents.guard import MARK

PATIENCE = 20.0  # a hang guard, not a measurement
LINUX = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc")

OWNER = """
import asyncio, subprocess, sys
from kernelseek_tui.agents.guard import MARK, Guard

SLEEP = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]

async def main():
    guard = await Guard.start(f"{MARK}=t1")
    watched, forgotten = (subprocess.Popen(SLEEP, start_new_session=True) for _ in range(2))
    marked = subprocess.Popen(SLEEP, start_new_session=True, env={MARK: "t1"})
    other = subprocess.Popen(SLEEP, start_new_session=True, env={MARK: "t2"})
    for process in (watched, forgotten):
        guard.watch(process.pid)
    guard.forget(forgotten.pid)
    print(watched.pid, marked.pid, forgotten.pid, other.pid, flush=True)
    await asyncio.sleep(0)
    sys.stdin.buffer.read()

asyncio.run(main())
"""


def runs(pid: int) -> bool:
    """A zombie waits for its new parent and runs no more."""
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")
    except (ProcessLookupError, FileNotFoundError):
        return False


async def gone(pid: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while runs(pid):
            await asyncio.sleep(0.02)


@LINUX
async def test_a_killed_owner_takes_what_it_started_with_it() -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert owner.stdout
    watched, marked, forgotten, other = map(int, owner.stdout.readline().split())
    try:
        assert all(map(runs, (watched, marked, forgotten, other)))
        os.killpg(owner.pid, signal.SIGKILL)  # its whole group, as a terminal's last resort does
        owner.wait()
        await gone(watched)
        await gone(marked)
        assert runs(forgotten)
        assert runs(other)
    finally:
        for pid in (watched, marked, forgotten, other):
            if runs(pid):
                os.kill(pid, signal.SIGKILL)


def process(proc: Path, pid: int, parent: int, cwd: Path, *environment: str) -> None:
    """A process as /proc shows it."""
    folder = proc / str(pid)
    folder.mkdir(parents=True)
    (folder / "environ").write_bytes("\0".join(environment).encode())
    (folder / "stat").write_text(f"{pid} (a) b) c) S {parent} 0 0")
    (folder / "cwd").symlink_to(cwd)


def test_clients_that_work_here_are_found_with_their_session(tmp_path: Path) -> None:
    proc, work = tmp_path / "proc", tmp_path / "work"
    for root in (work, work / "inner"):
        (root / WORKSPACE_MARK).parent.mkdir(parents=True)
        (root / WORKSPACE_MARK).touch()
    mark = f"{MARK}=x"
    process(proc, 70, 1, work / "build", mark, "KERNELSEEK_SESSION=s7")
    process(proc, 8, 1, work, mark, "A=B")
    process(proc, 9, 1, tmp_path / "workshop", mark)
    process(proc, 10, 1, work, "KERNELSEEK_SESSION=s7")
    process(proc, 11, 1, work, mark)
    process(proc, 13, 1, work / "inner", mark)
    process(proc, os.getpid(), 11, work, mark)  # we were started by the agent 11
    (proc / "12").mkdir()
    found = earlier_clients(work, proc)
    assert [(one.pid, one.session) for one in found] == [(8, "unknown"), (70, "s7")]
    assert earlier_clients(work, tmp_path / "nowhere") == []
