"""Scores of a session, higher is better: evaluations, judged or recognised in what benchmark runs printed.

Where a session has none with a score, any command's output is looked at, deliberately narrowly: a number
behind the words for a geometric mean or a fraction of peak, and no time.
"""

import re
from dataclasses import dataclass

from sessions import events as ev
from sessions.figures import LOOKED_AT, prints_figure
from sessions.state import Seen, SessionState, ToolRun
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
    the session has no judge and no evaluation with a score.
    """
    if isinstance(event, ev.Evaluation):
        return _evaluated(state, event)
    if isinstance(event, ev.ToolResult) and event.agent is None and not any(map(_tells, state.evaluations)):
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


def _tells(seen: Seen[ev.Evaluation]) -> bool:
    return seen.event.source_kind == "judge" or seen.event.geomean is not None


def _evaluated(state: SessionState, event: ev.Evaluation) -> Score | None:
    parsed = event.source_kind == "parsed"
    if event.geomean is None or (parsed and event.agent is not None):
        return None  # a subagent's benchmark is one of its own
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
        quote=_quote(event),
        worst=min(ratios.values(), default=_worst(event.detail) if parsed else None),
        best=best,
        laggards=laggards,
        candidate=event.candidate_sha256,
    )


def _quote(event: ev.Evaluation) -> str:
    if event.source_kind == "judge":
        return f"geometric mean {event.geomean:.3g}x"
    return f"{event.geomean:.4g}x" + (f" ({event.detail[:140]})" if event.detail else "")


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
    label = re.sub(r"[ _-]", "", found[1].lower())
    return Score(
        event_id=event.id,
        index=state.count - 1,
        series=("printed", label),
        value=float(found["value"]),
        low=None,
        floor=NOISE_FLOOR,
        quote=" ".join(line.split())[-160:],
        worst=_worst(line),
    )


def _worst(line: str) -> float | None:
    found = _WORST.search(line)
    return float(found[1]) if found else None
