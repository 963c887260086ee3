"""Counts of a session: tool calls by kind, what was built and measured, subagents, spend, and active time."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sessions import events as ev
from sessions.seen import Spend
from sessions.state import SessionState
from sessions.vocabulary import Activity, Layer

IDLE_GAP = 600.0
"""Seconds: a longer gap between two events with nothing running is idle and left out of the active time (the
study counts 41.3 active hours of 68; its own constant is not published, this one is ours)."""
LONGEST_RUN = 3600.0
"""Seconds that one gap may count while something runs: a call whose result was lost runs on in the record."""

_EDITS = frozenset({Activity.KERNEL_EDIT, Activity.BENCHMARK_EDIT, Activity.OTHER_EDIT})


@dataclass(frozen=True, slots=True)
class Tally:
    """`by_kind` counts tool calls by what they do, `by_tool` by the tool's name.

    `builds` are calls that compile, alone or in a chain; times are seconds, absent where no event has a time.
    """

    tool_calls: int
    by_kind: dict[Activity, int]
    by_tool: dict[str, int]
    builds: int
    benchmark_runs: int
    profiler_runs: int
    disassemblies: int
    host_traces: int
    subagents: int
    evaluations: int
    judged: int
    turns: int
    spend: Spend
    wall: float | None
    active: float | None


@dataclass(slots=True)
class ActiveTime:
    """Follows a session: `take` every event right after the state took it in."""

    first: datetime | None = None
    last: datetime | None = None
    active: float = 0.0
    _busy: bool = field(default=False)

    @property
    def wall(self) -> float | None:
        """Seconds from the first event with a time to the last."""
        return (self.last - self.first).total_seconds() if self.first and self.last else None

    def take(self, state: SessionState, event: ev.AnyEvent) -> None:
        """Take in the newest event. One that is older than what came before it moves nothing."""
        time = utc(event.time)
        if time is not None:
            if self.first is None or self.last is None:
                self.first = self.last = time
            gap = (time - self.last).total_seconds()
            if gap > 0:
                self.last = time
                if gap <= IDLE_GAP:
                    self.active += gap
                elif self._busy:
                    self.active += min(gap, LONGEST_RUN)
        self._busy = state.busy


def tally(state: SessionState, time: ActiveTime) -> Tally:
    """The counts as the state stands."""
    kinds = Counter(run.activity for run in state.tools)
    compiled = (run for run in state.tools if Layer.BUILD in run.layers)
    return Tally(
        tool_calls=len(state.tools),
        by_kind=dict(kinds.most_common()),
        by_tool=dict(Counter(run.call.tool for run in state.tools).most_common()),
        builds=sum(run.activity not in _EDITS | {Activity.DISASSEMBLE, Activity.READ} for run in compiled),
        benchmark_runs=kinds[Activity.BENCHMARK_RUN],
        profiler_runs=kinds[Activity.PROFILE],
        disassemblies=kinds[Activity.DISASSEMBLE],
        host_traces=kinds[Activity.HOST_TRACE],
        subagents=len({seen.event.subagent for seen in state.subagents}),
        evaluations=len(state.evaluations),
        judged=sum(seen.event.source_kind == "judge" for seen in state.evaluations),
        turns=state.turns,
        spend=state.spend,
        wall=time.wall,
        active=time.active if time.first is not None else None,
    )


def utc(time: datetime | None) -> datetime | None:
    """A time that can be compared with any other; one without a zone is read as UTC."""
    return time.replace(tzinfo=UTC) if time is not None and time.tzinfo is None else time
