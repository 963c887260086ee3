"""Records made by hand, for tests of what reads records. Every number is the test's own."""

import math
import statistics
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from harness import seeds
from harness.aggregate import aggregate, floor_of, summary
from harness.blocks import blocks_of
from harness.correctness import gate
from harness.correctness.off_list import chosen, wanted
from harness.environment import constants
from harness.goal import Goal, default_goal
from harness.manifest import Manifest, ManifestScenario, scenario_sha256
from harness.operator import Scenario, Work
from harness.protocol import Protocol
from harness.record.files import sealed
from harness.record.parts import Asked, BuildReport, Environment, Hashes, Seeds
from harness.record.record import Record, ScenarioRecord
from harness.record.samples import (
    Ceilings,
    InputSetResult,
    OutputError,
    SameAgainstSame,
    Slope,
    Timing,
)
from harness.sides import spread
from harness.timing.ceilings import bound_of
from harness.timing.slope import calls_in_a_row
from harness.timing.statistics import block_log_ratios, confirmed, estimate, speed
from harness.verdict import Status, outcome

CANDIDATE, START, OPERATOR = "c" * 64, "5" * 64, "0" * 64
SCENARIOS = tuple(Scenario(f"toy-n{n}", "toy", {"n": n, "scale": n**-0.5}) for n in (8, 16, 32, 64))
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PROTOCOL = Protocol()
FLOOR = 0.012
"""What the baseline shows against itself in `made_record`, a log ratio."""
BASE = 10**8
SEED = 0x1234
BLOCKS = blocks_of("demo")
INPUT_SETS = ("nominal", "needles")
CEILINGS = Ceilings(bandwidth=((1024, 1e9),), operations={"float32": 1e9}, measured=NOW)
WORK = Work(bytes=10_000, operations=10_000)
"""Of every scenario: 10 us by these ceilings, in which no call is near them."""


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


def made_samples(*ratios: float) -> dict[str, Any]:
    """A block a ratio, and what follows from them. One or two are repeated to `BLOCKS`; of two the interval
    is from one to the other.

    B's calls take `BASE` ns.
    """
    if len(ratios) <= 2:
        ratios = ratios * (BLOCKS // len(ratios))
    a = tuple((round(end * BASE), round(end * BASE)) for end in ratios)
    b = ((BASE, BASE),) * len(ratios)
    logs = block_log_ratios(a, b)
    found = estimate(logs, PROTOCOL.confidence)
    return {
        "order": tuple("BAAB" if index % 2 else "ABBA" for index in range(len(ratios))),
        "raw_ns_a": a,
        "raw_ns_b": b,
        "outside_ns_a": a,
        "outside_ns_b": b,
        "block_log_ratio": tuple(logs),
        "ratio": math.exp(found.log),
        "low": math.exp(found.low),
        "high": math.exp(found.high),
        "confidence": found.confidence,
        "cpu_ns_a": a,
        "cpu_ns_b": b,
        "witness_ratio": math.exp(found.log),
        "witness_low": math.exp(found.low),
        "witness_high": math.exp(found.high),
    }


def made_timing(*ratios: float, floor: float = FLOOR) -> Timing:
    """A timing of such blocks; of two the interval is from one to the other."""
    samples = made_samples(*ratios)
    low, high = math.log(samples["low"]), math.log(samples["high"])
    return Timing(
        **samples,
        verdict=confirmed(speed(low, high, floor), low, floor),
        median_ns_a=float(statistics.median(ns for pair in samples["raw_ns_a"] for ns in pair)),
        median_ns_b=BASE,
        warmup_calls=(2, 2),
        checked_calls=2 * len(samples["order"]),
        launcher_ns_a=(1000,) * PROTOCOL.launcher_calls,
        launcher_ns_b=(1000,) * PROTOCOL.launcher_calls,
        slope=made_slope(),
    )


def made_slope() -> Slope:
    """Calls in a row of `BASE` ns each, by every clock."""
    calls = calls_in_a_row(BASE, PROTOCOL)
    assert calls is not None
    took = (calls * BASE, 2 * calls * BASE)
    return Slope(calls=calls, outside_ns=took, inside_ns=took, cpu_ns=took)


def made_output(rel_rms: float = 1e-6) -> OutputError:
    """An output of ones that the start computes to 1e-6, with the limits that follow."""
    own = gate.StartError(1e-6, 2e-6, 3e-6)
    allowed = gate.limits(own, "float32", PROTOCOL)
    return OutputError(
        output="out",
        dtype="float32",
        row_rms=1.0,
        rel_rms=rel_rms,
        rel_rms_start=own.rel_rms,
        rel_rms_limit=allowed.rel_rms,
        row_rel_rms=rel_rms,
        row_rel_rms_start=own.row_rel_rms,
        row_rel_rms_limit=allowed.row_rel_rms,
        worst_row=(3,),
        max_abs=rel_rms,
        max_abs_start=own.max_abs,
        max_abs_limit=max(allowed.max_abs, allowed.max_share),
        worst_index=(3, 1),
        sha256="e" * 64,
    )


def made_scenario(
    scenario: Scenario, status: Status = Status.CORRECT, interval: tuple[float, ...] | None = (1.9, 2.1)
) -> ScenarioRecord:
    """A scenario that was checked on two input sets; of a wrong one the second is."""
    correct = status is Status.CORRECT
    timed = correct and interval is not None
    check = "" if correct else "rel_rms"
    evidence = "" if correct else "out is off by 0.5 in row 3"
    judged = status not in (Status.NOT_RUN, Status.NOT_ADMITTED, Status.INVALID_REFERENCE)
    results = [
        InputSetResult(
            input_set=name,
            seed=f"{seeds.check_seed(SEED, name):016x}",
            status=status if last else Status.CORRECT,
            check=check if last else "",
            evidence=evidence if last else "",
            outputs=(made_output(0.5 if last and not correct else 1e-6),),
        )
        for name, last in ((name, name == INPUT_SETS[-1]) for name in INPUT_SETS)
        if judged
    ]
    return ScenarioRecord(
        id=scenario.id,
        family=scenario.family,
        params=dict(scenario.params),
        status=status,
        check=check,
        evidence=evidence,
        admitted=None if not judged and status is not Status.NOT_ADMITTED else judged,
        trivial_failed=("zeros",) if judged else (),
        correctness=tuple(results),
        timing=made_timing(*interval) if timed and interval else None,
        bound=bound_of(WORK, CEILINGS),
        detail="Not timed." if correct and not timed else "",
        seed=f"{SEED:016x}",
    )


def made_shape(
    status: Status = Status.CORRECT, scenarios: Sequence[ScenarioRecord] = (), root: int = 0
) -> ScenarioRecord:
    """The shape off the list that is checked beside these scenarios (none: all of `SCENARIOS`)."""
    listed = [Scenario(one.id, one.family, one.params) for one in scenarios] or SCENARIOS
    (like,) = chosen(listed, wanted(len(listed), PROTOCOL.off_list_share), root)
    shape = Scenario(f"{like.id}~n9", like.family, like.params)
    return made_scenario(shape, status, interval=None).model_copy(update={"bound": bound_of(WORK, None)})


def reckoned(record: Record) -> Record:
    """The record with the numbers, the outcome and the line that its scenarios come to, and its digest."""
    floor = made_samples(*[math.exp(FLOOR)] * record.protocol.blocks)
    listed = [Scenario(one.id, one.family, one.params) for one in record.scenarios]
    again = {one.id for one in spread(listed, record.protocol.aa_scenarios)}
    aa = tuple(
        SameAgainstSame(scenario=one.id, **floor)
        for one in record.scenarios
        if one.id in again and one.timing is not None
    )
    came_to = outcome([one.status for one in (*record.scenarios, *record.off_list)])
    whole = aggregate(
        record.scenarios,
        total=len(record.scenarios),
        floor=floor_of(aa, record.protocol.minimum_floor, record.protocol.confidence) if aa else None,
        resamples=record.protocol.resamples,
        seed=record.seeds.bootstrap,
        confidence=record.protocol.confidence,
        off_list=record.off_list,
    )
    line = summary(came_to, record.scenarios, whole, record.baseline, record.off_list)
    return record.model_copy(update={"aa": aa, "status": came_to, "aggregate": whole, "summary": line})


_COUNTED = frozenset({"off_list", "baseline", "protocol", "asked", "ceilings"})
"""Fields from which others follow."""


def made_record(
    scenarios: tuple[ScenarioRecord, ...] | None = None,
    hashes: Mapping[str, str] | None = None,
    **changes: Any,
) -> Record:
    """A record of `demo` that meets `made_goal()`, but for `changes`."""
    if scenarios is None:
        scenarios = tuple(made_scenario(scenario) for scenario in SCENARIOS)
    blocks = changes["protocol"].blocks if "protocol" in changes else BLOCKS
    refused = bool(scenarios) and all(one.status is Status.NOT_RUN for one in scenarios)
    names = ("candidate", "start", "baseline", "runner")
    binaries = {f"{name}_binary": "b" * 64 for name in names}
    record = Record(
        eval_id="20260102T030405000-00000001",
        started=NOW,
        ended=NOW + timedelta(seconds=1.5),
        seconds=1.5,
        status=outcome([]),
        summary="",
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
                **binaries,
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
            containment=("seccomp", "cpu-clock"),
            python="3.11",
            numpy="2",
            torch="2",
            reference_python="python",
        ),
        protocol=constants(PROTOCOL, blocks=BLOCKS),
        seeds=Seeds(root="00" * 8, bootstrap=seeds.derive(0, "bootstrap") >> 32),
        asked=Asked(
            scenarios=tuple(one.id for one in scenarios),
            input_sets=INPUT_SETS,
            blocks=blocks if blocks != BLOCKS else None,
        ),
        scenarios=scenarios,
        off_list=() if refused else (made_shape(scenarios=scenarios),),
        ceilings=CEILINGS,
        aggregate=aggregate((), total=0, floor=None, resamples=1, seed=0, confidence=0.95),
    )
    early = {name: value for name, value in changes.items() if name in _COUNTED}
    late = {name: value for name, value in changes.items() if name not in _COUNTED}
    record = reckoned(record.model_copy(update=early))
    # Through the model, so that a change is checked as a file would be.
    changed = Record.model_validate({**record.model_dump(), **early, **late})
    return changed if "digest" in changes else sealed(changed)


def store(record: Record, folder: Path, number: int = 1) -> Path:
    """Write it under a name that sorts by `number`."""
    named = sealed(record.model_copy(update={"eval_id": f"20260102T030405000-{number:08d}"}))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{named.eval_id}.json"
    path.write_text(named.model_dump_json(), encoding="utf-8")
    return path
