"""How long an evaluation still takes, from what has been seen of it."""

import time
from collections.abc import Callable

from harness.request import Progress, Stage

OVERHEAD_SECONDS = 0.003
"""What a timed call costs beside itself: memory made ready and looked through (g)."""


BEAT_SECONDS = 5.0


class Outlook:
    """Counts steps and guesses the rest. A step is a build, or a scenario checked or timed."""

    def __init__(self, report: Callable[[Progress], None], scenarios: int, again: int, blocks: int) -> None:
        self._report, self._blocks = report, blocks
        self._total = 1 + 2 * scenarios + again
        self._done = 0
        self._unchecked, self._untimed, self._again = scenarios, scenarios, again
        self._call_seconds: list[float] = []
        self._check_seconds: list[float] = []
        self._mark = self._told = time.monotonic()
        self._now: tuple[Stage, str] | None = None

    def start(self, stage: Stage, scenario: str = "") -> None:
        """A step begins."""
        self._mark = time.monotonic()
        self._tell(stage, scenario)

    def beat(self) -> None:
        """A step goes on: told again now and then, so that a slow judge can be told from a stuck one."""
        if self._now is not None and time.monotonic() - self._told > BEAT_SECONDS:
            self._tell(*self._now)

    def _tell(self, stage: Stage, scenario: str) -> None:
        self._now, self._told = (stage, scenario), time.monotonic()
        self._report(Progress(stage, self._done, self._total, self._left(), scenario))

    def built(self) -> None:
        """The build is done."""
        self._done += 1

    def checked(self, call_ns: int) -> None:
        """A scenario is checked; one of its calls, of both sides together, took so long."""
        self._done += 1
        self._unchecked -= 1
        self._check_seconds.append(time.monotonic() - self._mark)
        self._call_seconds.append(call_ns / 1e9)

    def timed(self, *, again: bool) -> None:
        """A scenario is timed, or its baseline was set against itself."""
        self._done += 1
        if again:
            self._again -= 1
        else:
            self._untimed -= 1

    def finish(self) -> None:
        """All is done."""
        self._report(Progress("done", self._total, self._total, 0.0))

    def _left(self) -> float | None:
        if not self._check_seconds:
            return None
        check = sum(self._check_seconds) / len(self._check_seconds)
        call = sum(self._call_seconds) / len(self._call_seconds)
        timing = (2 * self._blocks + 2) * (call + 2 * OVERHEAD_SECONDS)
        return self._unchecked * check + (self._untimed + self._again) * timing
