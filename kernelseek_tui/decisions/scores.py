"""Scores of a session, higher is better: evaluations, or where there are none, what benchmark runs printed.

Reading printed scores is deliberately narrow: a number behind the words for a geometric mean or a fraction
of peak, in the output of a command, and no time. A user's own benchmark gets a mapping of its own later.
"""

import re
from dataclasses import dataclass

from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import Activity

# Relative gain below which two scores without intervals are called equal.
NOISE_FLOOR = 0.02

_SCORE = re.compile(
    r"\b(geo(?:metric)?[ _-]?mean|peak_fraction)\b(?P<between>[ \w:=*|-]{0,24}?)[ :=*|]"
    r"(?P<value>\d+(?:\.\d+)?)(?P<unit> ?(?:ns|us|µs|ms|s|sec)\b)?",
    re.IGNORECASE,
)
_WORST = re.compile(r"\b(?:worst|min(?:imum)?)\b[ :=]{1,3}(\d+(?:\.\d+)?)", re.IGNORECASE)
_TIME = re.compile(r"time|latency|duration", re.IGNORECASE)
_LOOKED_AT = 8_000  # characters at the end of an output: scores are printed last
_READS = frozenset({Activity.READ, Activity.KERNEL_EDIT, Activity.BENCHMARK_EDIT, Activity.OTHER_EDIT})


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
    output = event.output[-_LOOKED_AT:]
    if (
        "mean" not in output
        and "MEAN" not in output
        and "Mean" not in output
        and "peak_fraction" not in output
    ):
        return None
    run = state.run_of(event.call)
    if run is None or run.activity in _READS or run.result is not event:
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
