"""Kills a judge at a point of its work, and waits until nothing that it had started is left."""

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from harness.outside import children_of

GONE_SECONDS = 20.0


@dataclass(frozen=True)
class Point:
    """Where to kill: so long after the `nth` line of a stage."""

    stage: str
    nth: int
    seconds: float


@dataclass
class Run:
    """What one run said: scenarios begun in a stage, and where it was killed ("" where it ran through)."""

    begun: dict[str, list[str]] = field(default_factory=lambda: {"check": [], "time": []})
    killed: str = ""
    outlived: set[int] = field(default_factory=set)
    eval_id: str = ""
    error: str = ""


class Killer:
    """See the module. `pid` says which process, once it is time; `hit` that it still lived then."""

    def __init__(self, point: Point | None, pid: Callable[[], int]) -> None:
        self._point, self._pid, self._seen = point, pid, Counter[str]()
        self._stage, self._family = "start", set[int]()
        self._task: asyncio.Task[None] | None = None
        self.hit = False
        if point is not None and point.stage == "start":
            self._task = asyncio.ensure_future(self._kill(point.seconds))

    def saw(self, run: Run, stage: str, scenario: str) -> None:
        """The judge told of a step."""
        self._stage = "record" if stage == "done" else stage
        self._seen[self._stage] += 1
        if stage in run.begun and "~" not in scenario:
            run.begun[stage].append(scenario)
        point, here = self._point, (self._stage, self._seen[self._stage])
        if point is not None and self._task is None and here == (point.stage, point.nth):
            self._task = asyncio.ensure_future(self._kill(point.seconds))

    async def over(self, run: Run, killed: bool) -> None:
        """The judge has ended; `killed` says whether by us."""
        if self._task is not None:
            self._task.cancel()
        run.killed = self._stage if killed else ""
        until = time.monotonic() + GONE_SECONDS
        while self._alive() and time.monotonic() < until:
            await asyncio.sleep(0.01)
        run.outlived = self._alive()

    async def _kill(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        pid = self._pid()
        if pid:
            self._family = _descendants(pid)
            self.hit = _state(pid) not in ("", "Z")
            os.kill(pid, signal.SIGKILL)

    def _alive(self) -> set[int]:
        return {pid for pid in self._family if _state(pid) not in ("", "Z")}


def _descendants(pid: int) -> set[int]:
    mine = children_of(pid)
    return mine | {one for child in mine for one in _descendants(child)}


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""
