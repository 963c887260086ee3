"""What readers of score logs share: numbers that may be anything, ratios that must be earned.

A ratio is baseline over candidate, above 1 is better. It comes only of a row that was measured and is right;
a crash, a wrong answer or a forbidden call has none, whatever number stands in its row.
"""

import math
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sessions import events as ev
from sessions.readers.base import LineReader, time_of

SAID = 2_000  # characters of a row's own words
NS_PER = {"ns": 1.0, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9, "sec": 1e9}
_MILLISECONDS_FROM = 1e11  # a number of seconds since 1970 this large is the year 5138


class ScoreReader(LineReader):
    """Base of the readers of score logs. The first row begins the session; rows have no messages.

    `agent_name` says what wrote the log.
    """

    agent_name = "optimisation log"

    def __init__(self, path: Path) -> None:
        super().__init__(path.name)
        self._session = path.stem
        self._begun = False

    def begun(self) -> Iterable[ev.AnyEvent]:
        """The start of the session, before the first row that says something."""
        if not self._begun:
            self._begun = True
            yield ev.SessionStarted(**self.head(), session=self._session, agent_name=self.agent_name)

    def row(
        self,
        *,
        status: str,
        scenario_set: str,
        baseline: str,
        rows: tuple[ev.ScenarioResult, ...] = (),
        geomean: float | None = None,
        name: str = "",
        detail: str = "",
        why: str = "",
        seconds: float | None = None,
    ) -> Iterable[ev.AnyEvent]:
        """One attempt as an evaluation, and a note where the row says why. `name`: the log's own id of it."""
        yield from self.begun()
        head = self.head()
        yield ev.Evaluation(
            **head,
            evaluation=name or head["id"],
            source_kind="parsed",
            scenario_set=scenario_set[:200],
            baseline=baseline[:200],
            status=status,
            geomean=geomean if status == "CORRECT" or status == "PARSED" else None,
            scenarios=rows,
            correct=sum(row.status == "CORRECT" for row in rows),
            total=0 if status == "PARSED" else len(rows),
            detail=detail[:SAID],
            seconds=seconds,
        )
        if why.strip():
            yield ev.Note(**self.head(parent=head["id"]), text=why.strip()[:SAID], author="log")


def number(value: object) -> float | None:
    """A finite number, also one that stands as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def positive(value: object) -> float | None:
    """A measured number: finite and above zero. A zero in a log says that nothing was measured."""
    found = number(value)
    return found if found is not None and found > 0 else None


def over(first: float | None, second: float | None) -> float | None:
    """`first / second` of two measured numbers; None where one is missing or the quotient is no ratio."""
    if first is None or second is None or first <= 0 or second <= 0:
        return None
    found = first / second
    return found if math.isfinite(found) and found > 0 else None


def nanoseconds(value: object, unit: str) -> float | None:
    """A measured time in nanoseconds."""
    found = positive(value)
    ns = None if found is None or unit not in NS_PER else found * NS_PER[unit]
    return ns if ns is not None and math.isfinite(ns) else None


def when(value: object) -> datetime | None:
    """The time of a row: ISO 8601, or seconds or milliseconds since 1970."""
    if isinstance(value, str) and number(value) is None:
        return time_of(value)
    found = positive(value)
    if found is None:
        return None
    try:
        return datetime.fromtimestamp(found / 1000 if found >= _MILLISECONDS_FROM else found, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def said(value: Any) -> str:
    """A row's own words; empty where the field holds none."""
    return value if isinstance(value, str) else ""
