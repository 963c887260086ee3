"""Records made by hand, for tests of what reads records. Every number is the test's own."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.goal import Goal, default_goal
from harness.manifest import Manifest, ManifestScenario, scenario_sha256
from harness.operator import Scenario
from harness.record import (
    Aggregate,
    BuildReport,
    Environment,
    Hashes,
    ProtocolConstants,
    Record,
    ScenarioRecord,
    Seeds,
    Timing,
)
from harness.statistics import block_log_ratios
from harness.verdict import Outcome, Speed, Status, outcome

CANDIDATE, START, OPERATOR = "c" * 64, "5" * 64, "0" * 64
SCENARIOS = tuple(Scenario(f"toy-n{n}", "toy", {"n": n, "scale": n**-0.5}) for n in (8, 16, 32, 64))
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def made_manifest(scenarios: tuple[Scenario, ...] = SCENARIOS) -> Manifest:
    """Sets `demo` (all) and `one` (the first)."""
    listed = tuple(
        ManifestScenario(id=s.id, sha256=scenario_sha256(s.id, s.family, s.params)) for s in scenarios
    )
    return Manifest(
        workspace="toy-1",
        created=NOW,
        operator="toy",
        operator_sha256=OPERATOR,
        start_sha256=START,
        sets={"demo": listed, "one": listed[:1]},
    )


def made_goal(target: float = 1.8) -> Goal:
    """Correct, and above the target, over `demo`."""
    return default_goal("demo", target)


def made_timing(low: float, high: float) -> Timing:
    """A timing with that interval, from two blocks that have it."""
    base = 10**12
    a = tuple((round(end * base), round(end * base)) for end in (low, high))
    b = ((base, base),) * 2
    logs = block_log_ratios(a, b)
    ratio = math.exp(sum(logs) / 2)
    return Timing(
        order=("ABBA", "BAAB"),
        raw_ns_a=a,
        raw_ns_b=b,
        outside_ns_a=a,
        outside_ns_b=b,
        block_log_ratio=tuple(logs),
        ratio=ratio,
        low=low,
        high=high,
        confidence=0.5,
        verdict=Speed.FASTER if low > 1.01 else Speed.SAME,
        median_ns_a=2e6,
        median_ns_b=2e6 / ratio,
        warmup_calls=(2, 2),
        checked_calls=4,
    )


def made_scenario(
    scenario: Scenario, status: Status = Status.CORRECT, interval: tuple[float, float] | None = (1.9, 2.1)
) -> ScenarioRecord:
    timed = status is Status.CORRECT and interval is not None
    return ScenarioRecord(
        id=scenario.id,
        family=scenario.family,
        params=dict(scenario.params),
        status=status,
        check="" if status is Status.CORRECT else "rel_rms",
        evidence="" if status is Status.CORRECT else "out is off by 0.5 in row 3",
        timing=made_timing(*interval) if timed and interval else None,
    )


def made_record(
    scenarios: tuple[ScenarioRecord, ...] | None = None,
    hashes: Mapping[str, str] | None = None,
    **changes: Any,
) -> Record:
    """A record of `demo` that meets `made_goal()`, but for `changes`."""
    if scenarios is None:
        scenarios = tuple(made_scenario(scenario) for scenario in SCENARIOS)
    correct = sum(scenario.status is Status.CORRECT for scenario in scenarios)
    ended = outcome([scenario.status for scenario in scenarios])
    geomean = 2.0 if ended is Outcome.CORRECT else None
    record = Record(
        eval_id="20260102T030405000-00000001",
        started=NOW,
        ended=NOW,
        seconds=1.5,
        status=ended,
        summary=f"{correct} of {len(scenarios)} scenarios are correct.",
        operator="toy",
        scenario_set="demo",
        baseline="start",
        candidate="candidate.cpp",
        frozen="candidates/c.cpp",
        owner="session-1",
        hashes=Hashes(
            **{
                "candidate": CANDIDATE,
                "start": START,
                "baseline": START,
                "operator": OPERATOR,
                "harness": "a" * 64,
                **(hashes or {}),
            }
        ),
        build=BuildReport(
            command=("g++",),
            compiler="g++",
            returncode=0,
            seconds=0.5,
            cached=False,
            log_sha256="b" * 64,
            log_tail="",
        ),
        env=Environment(
            platform="Linux",
            kernel="6",
            cpu="cpu",
            cores=2,
            affinity=(0,),
            python="3.11",
            numpy="2",
            torch="2",
            reference_python="python",
        ),
        protocol=_constants(),
        seeds=Seeds(root="00" * 8, bootstrap=1),
        scenarios=scenarios,
        aggregate=Aggregate(
            geomean=geomean,
            low=geomean and 1.9,
            high=geomean and 2.1,
            verdict=Speed.FASTER if geomean else None,
            floor=0.012,
            score=geomean if geomean else 0.0,
            n_correct=correct,
            n_total=len(scenarios),
        ),
    )
    # Through the model, so that a change is checked as a file would be.
    return Record.model_validate({**record.model_dump(), **changes})


def store(record: Record, folder: Path, number: int = 1) -> Path:
    """Write it under a name that sorts by `number`."""
    named = record.model_copy(update={"eval_id": f"20260102T030405000-{number:08d}"})
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{named.eval_id}.json"
    path.write_text(named.model_dump_json(), encoding="utf-8")
    return path


def _constants() -> ProtocolConstants:
    numbers: dict[str, Any] = dict.fromkeys(ProtocolConstants.model_fields, 1)
    return ProtocolConstants(**{**numbers, "name": "made", "off": ()})
