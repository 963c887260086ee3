"""How far an evaluation is and how long it still takes, from what has been seen of it."""

import time
from collections.abc import Callable, Iterable

from harness.request import Progress, Stage

OVERHEAD_SECONDS = 0.003
"""What a timed call costs beside itself: memory made ready and looked through (g)."""
BEAT_SECONDS = 5.0


class Outlook:
    """Counts steps and guesses the rest. A step is the build, a scenario checked (its references included),
    a shape off the list checked, a scenario timed, or the baseline timed against itself.

    The guess for a scenario's timing is from its own calls; how it turned out corrects the next ones.
    """

    def __init__(
        self,
        report: Callable[[Progress], None],
        scenarios: Iterable[str],
        again: Iterable[str],
        blocks: int,
        *,
        off_list: int = 0,
    ) -> None:
        self._report, self._blocks = report, blocks
        self._untimed, self._again = set(scenarios), set(again)
        self._unchecked = len(self._untimed) + off_list
        self._total = 1 + self._unchecked + len(self._untimed) + len(self._again)
        self._done = 0
        self._calls: dict[str, float] = {}
        self._check_seconds: list[float] = []
        self._guessed = self._taken = 0.0
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

    def built(self) -> None:
        """The build is done."""
        self._done += 1

    def resumed(self, scenario: str, call_ns: int, *, timed: bool) -> None:
        """A broken run had checked a scenario, and timed it too."""
        self._done += 1
        self._unchecked -= 1
        self._calls[scenario] = call_ns / 1e9
        if timed:
            self._done += (scenario in self._untimed) + (scenario in self._again)
            self._untimed.discard(scenario)
            self._again.discard(scenario)

    def checked(self, call_ns: int) -> None:
        """A scenario is checked; one of its calls, of both sides together, took so long."""
        self._done += 1
        self._unchecked -= 1
        self._check_seconds.append(time.monotonic() - self._mark)
        if self._now is not None:
            self._calls[self._now[1]] = call_ns / 1e9

    def timed(self, *, again: bool) -> None:
        """A scenario is timed, or its baseline was set against itself."""
        self._done += 1
        scenario = self._now[1] if self._now is not None else ""
        self._guessed += self._timing(scenario)
        self._taken += time.monotonic() - self._mark
        (self._again if again else self._untimed).discard(scenario)

    def finish(self) -> None:
        """All is done."""
        self._report(Progress("done", self._total, self._total, 0.0))

    def _tell(self, stage: Stage, scenario: str) -> None:
        self._now, self._told = (stage, scenario), time.monotonic()
        self._report(Progress(stage, self._done, self._total, self._left(), scenario))

    def _left(self) -> float | None:
        if not self._calls or (self._unchecked > 0 and not self._check_seconds):
            return None
        check = sum(self._check_seconds) / max(len(self._check_seconds), 1)
        timing = sum(self._timing(one) for one in (*self._untimed, *self._again))
        if self._guessed:
            timing *= self._taken / self._guessed
        return max(self._unchecked, 0) * check + timing

    def _timing(self, scenario: str) -> float:
        mean = sum(self._calls.values()) / max(len(self._calls), 1)
        return (2 * self._blocks + 2) * (self._calls.get(scenario, mean) + 2 * OVERHEAD_SECONDS)
