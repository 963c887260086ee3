"""Scores of a session, higher is better: evaluations, or where there are none, what benchmark runs printed.

Reading printed scores is deliberately narrow: a number behind the words for a geometric mean or a fraction
of peak, in the output of a command, and no time. A user's own benchmark gets a mapping of its own later.
"""

import re
from dataclasses import dataclass

from sessions import events as ev
from sessions.figures import LOOKED_AT, prints_figure
from sessions.state import SessionState, ToolRun
from sessions.vocabulary import FILES_ONLY, Activity

# Relative gain below which two scores without intervals are called equal.
NOISE_FLOOR = 0.02

_SCORE = re.compile(
    r"\b(geo(?:metric)?[ _-]?mean|peak_fraction)\b(?P<between>[ \w:=*|-]{0,24}?)[ :=*|]"
    r"(?P<value>\d+(?:\.\d+)?)(?P<unit> ?(?:ns|us|µs|ms|s|sec)\b)?",
    re.IGNORECASE,
)
_WORST = re.compile(r"\b(?:worst|min(?:imum)?)\b[ :=]{1,3}(\d+(?:\.\d+)?)", re.IGNORECASE)
_TIME = re.compile(r"time|latency|duration", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Score:
    """One measurement of the whole set. `low` is absent where there is no interval.

    `series` names what may be compared with what: a change of set, baseline or label begins anew.
    `ratios` are per scenario where they are known; `worst` is the lowest of them or as printed.
    """

    event_id: str
    index: int
    series: tuple[str, ...]
    value: float
    low: float | None
    floor: float
    quote: str
    worst: float | None = None
    best: float | None = None
    laggards: tuple[str, ...] = ()
    candidate: str | None = None


def score_of(state: SessionState, event: ev.AnyEvent) -> Score | None:
    """The score that the newest event brings, if it brings one.

    An evaluation that failed to build or run is none; a wrong one scores 0. Printed scores count only while
    the session has no evaluations.
    """
    if isinstance(event, ev.Evaluation):
        return _evaluated(state, event)
    if isinstance(event, ev.ToolResult) and event.agent is None and not state.evaluations:
        return _printed(state, event)
    return None


def measures(state: SessionState, event: ev.AnyEvent) -> bool:
    """Whether the newest event is a measurement, as far as it can be recognised.

    One notion for all that is said of measurements: an evaluation, a benchmark run, or a command that
    printed a score, a time or a rate. Reading a file that holds one is none.
    """
    if isinstance(event, ev.Evaluation):
        return True
    if isinstance(event, ev.ToolCall):
        return state.tools[-1].activity is Activity.BENCHMARK_RUN
    if not isinstance(event, ev.ToolResult) or (run := _own_run(state, event)) is None:
        return False
    if run.activity is Activity.BENCHMARK_RUN:
        return True
    return prints_figure(event.output) or _printed(state, event) is not None


def _own_run(state: SessionState, event: ev.ToolResult) -> ToolRun | None:
    """The command that printed this, unless it only read or wrote a file."""
    run = state.run_of(event.call)
    return None if run is None or run.activity in FILES_ONLY or run.result is not event else run


def _evaluated(state: SessionState, event: ev.Evaluation) -> Score | None:
    if event.geomean is None:
        return None
    ratios = {row.id: row.ratio for row in event.scenarios if row.ratio is not None and row.ratio > 0}
    best = max(ratios.values(), default=None)
    laggards = tuple(sorted(name for name, ratio in ratios.items() if best is not None and ratio <= best / 2))
    return Score(
        event_id=event.id,
        index=state.count - 1,
        series=("evaluation", event.scenario_set, event.baseline, str(event.total)),
        value=event.geomean,
        low=event.low,
        floor=event.noise_floor or NOISE_FLOOR,
        quote=f"geometric mean {event.geomean:.3g}x",
        worst=min(ratios.values(), default=None),
        best=best,
        laggards=laggards,
        candidate=event.candidate_sha256,
    )


def _printed(state: SessionState, event: ev.ToolResult) -> Score | None:
    output = event.output[-LOOKED_AT:]
    if (
        "mean" not in output
        and "MEAN" not in output
        and "Mean" not in output
        and "peak_fraction" not in output
    ):
        return None
    if _own_run(state, event) is None:
        return None
    found = None
    for match in _SCORE.finditer(output):
        if not match["unit"] and not _TIME.search(match["between"]):
            found = match
    if found is None:
        return None
    line = output[output.rfind("\n", 0, found.start()) + 1 : (output + "\n").index("\n", found.end())]
    worst = _WORST.search(line)
    label = re.sub(r"[ _-]", "", found[1].lower())
    return Score(
        event_id=event.id,
        index=state.count - 1,
        series=("printed", label),
        value=float(found["value"]),
        low=None,
        floor=NOISE_FLOOR,
        quote=" ".join(line.split())[-160:],
        worst=float(worst[1]) if worst else None,
    )
