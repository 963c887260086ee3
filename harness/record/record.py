"""The record of an evaluation: everything needed to audit it and to compute its numbers again.

Raw samples are always kept; every number is finite; an unknown key is refused; absent is not zero.
"""

from datetime import datetime
from typing import Literal

from harness.record.parts import (
    Asked,
    BuildReport,
    Environment,
    Finite,
    Flag,
    Hashes,
    LeftOut,
    Part,
    ProtocolConstants,
    Resumed,
    Seeds,
)
from harness.record.samples import Bound, Ceilings, InputSetResult, SameAgainstSame, Timing
from harness.verdict import Outcome, Speed, Status

SCHEMA_VERSION: Literal[2] = 2


class ScenarioRecord(Part):
    """One scenario. `check` and `evidence` are of the first thing that failed; `detail` is for a reader.

    `seed` (16 hex digits) is what all its inputs were drawn from, revealed with the record.
    """

    id: str
    family: str
    params: dict[str, int | Finite]
    status: Status
    check: str = ""
    evidence: str = ""
    admitted: bool | None = None
    trivial_failed: tuple[str, ...] = ()
    correctness: tuple[InputSetResult, ...] = ()
    timing: Timing | None = None
    bound: Bound | None = None
    detail: str = ""
    seed: str = ""
    flags: tuple[Flag, ...] = ()


class Worst(Part):
    """A scenario among the slowest, as its ratio says."""

    id: str
    ratio: Finite
    low: Finite
    high: Finite
    verdict: Speed


class Aggregate(Part):
    """The whole set. `geomean` is None, with `reason`, unless every scenario is CORRECT and was timed.

    `score` is 0 where a runnable scenario was wrong, else the geometric mean, else None. All are by the
    runner's clock; where that and the witness disagree by the witness, and then `disbelieved` is the mean by
    the runner's (`harness.aggregate`).
    `geomean_without_best` leaves the best twentieth of the scenarios out (one at the least), so that a mean
    that rests on a few can be seen.
    """

    geomean: Finite | None = None
    low: Finite | None = None
    high: Finite | None = None
    verdict: Speed | None = None
    floor: Finite | None = None
    score: Finite | None = None
    n_correct: int
    n_total: int
    n_faster: int = 0
    n_slower: int = 0
    worst: str | None = None
    worst_ratio: Finite | None = None
    worst_five: tuple[Worst, ...] = ()
    geomean_without_best: Finite | None = None
    disbelieved: Finite | None = None
    reason: str = ""


class Record(Part):
    """One run of the judge over a set of scenarios.

    `off_list` are shapes that are on no list, checked and not timed, one for each of `off_list.chosen` but
    those in `left_out`. `digest` is over all the rest
    (`harness.verify.record`): it shows damage, not a forger.
    """

    schema_version: Literal[2] = SCHEMA_VERSION
    eval_id: str
    started: datetime
    ended: datetime
    seconds: Finite
    status: Outcome
    summary: str
    operator: str
    scenario_set: str
    scenario_glob: str | None = None
    baseline: str
    candidate: str
    frozen: str
    owner: str = "none"
    rehearsed: bool = False
    device: str = "cpu"
    hashes: Hashes
    build: BuildReport
    env: Environment
    protocol: ProtocolConstants
    seeds: Seeds
    asked: Asked
    scenarios: tuple[ScenarioRecord, ...]
    off_list: tuple[ScenarioRecord, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    aa: tuple[SameAgainstSame, ...] = ()
    aggregate: Aggregate
    flags: tuple[Flag, ...] = ()
    ceilings: Ceilings | None = None
    language: Literal["c++", "python"] = "c++"
    resumed: tuple[Resumed, ...] = ()
    notes: tuple[str, ...] = ()
    digest: str = ""


def not_run(record: Record) -> bool:
    """Whether the candidate was refused before anything of it ran: its build failed or broke a rule."""
    refused = record.status in {Outcome.BUILD_FAILED, Outcome.POLICY}
    return refused and all(one.status is Status.NOT_RUN for one in record.scenarios)
