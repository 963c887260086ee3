"""Ends an agent whose owner is gone: a small process that waits for its stdin to end.

An owner that is killed outright can end nothing, and its client would work on unseen: with its input closed
Claude Code first finishes its turn, and a stop hook may hold that open for hours. The kernel closes the
owner's pipes whatever it dies of, here and on macOS, and this process does what the owner would have done.

Run by path, standard library only. Lines on stdin: `mark NAME=VALUE` (the processes with that in their
environment are ours), `watch GROUP`, `forget GROUP`.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

MARK = "KERNELSEEK_AGENT_PROCESS"
"""Marks, in its environment, every process that a client of ours starts."""


def kill_group(group: int, how: signal.Signals = signal.SIGKILL) -> None:
    """Signal a process group; one that is gone is no news."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, how)


def kill_marked(mark: str) -> None:
    """Kill the processes that carry `mark` in their environment (Linux; elsewhere the group must do)."""
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in entry.read_bytes().split(b"\0"):
                os.kill(int(entry.parent.name), signal.SIGKILL)


class Guard:
    """The owner's end of it. `mark` is what its processes carry in their environment."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, mark: str) -> "Guard":
        """Start the guard, before what it is to watch. Raises `OSError`."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(Path(__file__).resolve())),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        guard = cls(process)
        guard._say(f"mark {mark}")
        return guard

    def watch(self, group: int) -> None:
        """End this process group, too."""
        self._say(f"watch {group}")

    def forget(self, group: int) -> None:
        """That group is gone; its number may be another's soon."""
        self._say(f"forget {group}")

    async def close(self) -> None:
        """The owner is done: what carries the mark is ended, and the guard. May be called again."""
        if self._process.stdin:
            self._process.stdin.close()
        await self._process.wait()

    def _say(self, line: str) -> None:
        stdin = self._process.stdin
        if stdin and not stdin.is_closing():
            stdin.write(f"{line}\n".encode())


def main(lines: Iterable[bytes]) -> None:
    """Take lines until there are no more, then end everything."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the owner's to heed: this must outlive it
    marks: set[str] = set()
    groups: set[int] = set()
    for line in lines:
        what, _, value = line.decode(errors="replace").strip().partition(" ")
        if what == "mark":
            marks.add(value)
        elif what == "watch":
            groups.add(int(value))
        elif what == "forget":
            groups.discard(int(value))
    for group in groups:
        kill_group(group)
    for _ in range(2):  # one that was just being started may have been missed
        for mark in marks:
            kill_marked(mark)


if __name__ == "__main__":
    main(iter(sys.stdin.buffer.readline, b""))
