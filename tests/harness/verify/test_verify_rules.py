"""Each rule that a record has to keep, broken alone: the field it names, and the words."""

import copy
import json
import math
from typing import Any

import pytest

from harness.aggregate import timing_verdict, witness_logs
from harness.protocol import Protocol
from harness.record.files import dump_record, sealed
from harness.record.record import Record
from harness.request import FEWEST_BLOCKS, MOST_BLOCKS
from harness.suspicion import with_flags
from harness.timing.statistics import estimate
from harness.verdict import Status
from harness.verify.fault import Fault, differences
from harness.verify.record import faults
from harness.verify.rules import MAX_RESAMPLES, OPEN, protocol_of
from tests.made_records import BASE, FLOOR, NOW, SCENARIOS, made_record, made_scenario

GOOD = made_record()
WRONG = made_record((made_scenario(SCENARIOS[0], Status.WRONG), *map(made_scenario, SCENARIOS[1:])))
HALF = BASE // 2
CEILINGS = {"bandwidth": [[1024, 1e9]], "operations": {"float32": 1e9}, "measured": "2026-01-02T03:04:05Z"}


def broken(record: Record, changes: dict[str, Any]) -> list[str]:
    """What is found where these fields (dotted) say something else, under a digest that fits."""
    said = json.loads(dump_record(record))
    for dotted, value in changes.items():
        inside = said
        *path, last = [int(part) if part.isdigit() else part for part in dotted.split(".")]
        for part in path:
            inside = inside[part]
        inside[last] = copy.deepcopy(value)
    return [str(one) for one in faults(sealed(Record.model_validate(said)))]


OUTPUT = "scenarios.1.correctness.0.outputs.0"
TIMING = "scenarios.2.timing"
DOUBLE = json.loads(dump_record(GOOD))["scenarios"][1]["correctness"][0]["outputs"][0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        # The head.
        ({"eval_id": "20260102T030405000-0000000g"}, "eval_id: is no evaluation's id"),
        ({"ended": "2026-01-02T03:04:04Z"}, "ended: is before `started`"),
        ({"seconds": 1.6}, "seconds: says 1.6, from `started` to `ended` it is 1.5"),
        ({"hashes.candidate": "C" * 64}, "hashes.candidate: is no SHA-256"),
        ({"hashes.runner_binary": "c" * 63}, "hashes.runner_binary: is no SHA-256"),
        ({"hashes.baseline": "d" * 64}, "hashes.baseline: is not the start's, which is the baseline"),
        ({"hashes.start_binary": "d" * 64}, "hashes.baseline_binary: is not the start's"),
        ({"build.log_sha256": "x"}, "build.log_sha256: is no SHA-256"),
        ({"seeds.root": "0" * 15}, "seeds.root: is no 16 hex digits"),
        ({"seeds.root": "0" * 15 + "1"}, "seeds.bootstrap: says"),
        # The build.
        ({"build.returncode": 1}, "status: says CORRECT, but the build failed"),
        ({"build.timed_out": True}, "status: says CORRECT, but the build failed"),
        ({"status": "BUILD_FAILED"}, "status: says BUILD_FAILED, but the build did not fail"),
        # Ids.
        ({"scenarios.1.id": "toy-n8"}, "scenarios.1.id: says toy-n8, which is there already"),
        ({"off_list.0.id": "toy-n8"}, "off_list.0.id: says toy-n8, which is there already"),
        ({"scenario_glob": "toy-n?"}, "scenarios.1.id: says toy-n16, which `scenario_glob` does not match"),
        ({"aa.0.scenario": "x"}, "aa.0.scenario: says x, which is none of the set or there twice"),
        ({"aa": []}, "aa: is empty, but scenarios were timed"),
        (
            {"resumed": [{"started": "2026-01-02T03:04:05Z", "checked": 6, "timed": 0}]},
            "resumed.0.checked: says 6",
        ),
        (
            {"resumed": [{"started": "2026-01-02T03:04:05Z", "checked": 5, "timed": -1}]},
            "resumed.0.timed: says -1",
        ),
        # A scenario.
        (
            {"scenarios.0.status": "UNSUPPORTED"},
            "scenarios.0.timing: is there, but the scenario is UNSUPPORTED",
        ),
        (
            {"off_list.0.timing": json.loads(dump_record(GOOD))["scenarios"][0]["timing"]},
            "off_list.0.timing: is there",
        ),
        ({"scenarios.0.seed": "1"}, "scenarios.0.seed: is no 16 hex digits"),
        ({"scenarios.0.seed": "0" * 16}, "scenarios.0.correctness.0.seed: says"),
        ({"scenarios.0.admitted": False}, "scenarios.0.admitted: says False, but the scenario is CORRECT"),
        ({"scenarios.0.admitted": None}, "scenarios.0.admitted: says None, but the scenario is CORRECT"),
        ({"scenarios.0.check": "rel_rms"}, "scenarios.0.check: says rel_rms, but the status is CORRECT"),
        ({"scenarios.0.evidence": "x"}, "scenarios.0.evidence: says what failed"),
        ({"scenarios.0.correctness": []}, "scenarios.0.correctness: is empty"),
        (
            {"scenarios.0.correctness.1.input_set": "nominal"},
            "scenarios.0.correctness.1.input_set: says nominal, which is there already",
        ),
        # An input set.
        (
            {"scenarios.0.correctness.0.status": "WRONG"},
            "scenarios.0.status: says CORRECT, its input set nominal says WRONG",
        ),
        (
            {"scenarios.0.correctness.0.status": "WRONG"},
            "scenarios.0.correctness.0.check: says '', which is no check's name",
        ),
        (
            {"scenarios.0.correctness.0.check": "finite"},
            "scenarios.0.correctness.0.check: says finite, but the status",
        ),
        ({"scenarios.0.correctness.0.evidence": "x"}, "scenarios.0.correctness.0.evidence: says what failed"),
        ({"scenarios.0.correctness.0.seed": "xyz"}, "scenarios.0.correctness.0.seed: is no 16 hex digits"),
        ({"scenarios.0.correctness.0.outputs": []}, "scenarios.0.correctness.0.outputs: is empty"),
        (
            {"scenarios.1.correctness.0.outputs": [DOUBLE, DOUBLE]},
            "scenarios.1.correctness.0.outputs.1.output: says out, which is there already",
        ),
        # An output.
        ({f"{OUTPUT}.sha256": "e"}, f"{OUTPUT}.sha256: is no SHA-256"),
        ({f"{OUTPUT}.rel_rms": -1e-9}, f"{OUTPUT}.rel_rms: is negative"),
        ({f"{OUTPUT}.max_abs_start": -1e-9}, f"{OUTPUT}.max_abs_start: is negative"),
        ({f"{OUTPUT}.dtype": "int7"}, f"{OUTPUT}.dtype: says int7, which is no dtype of a tensor"),
        (
            {f"{OUTPUT}.dtype": "float16"},
            f"{OUTPUT}.rel_rms_limit: says 1e-05, the start's error and the constants give",
        ),
        ({f"{OUTPUT}.row_rms": None}, f"{OUTPUT}.row_rms: is missing"),
        (
            {f"{OUTPUT}.row_rms": 2.0},
            f"{OUTPUT}.max_abs_limit: says 4e-05, the start's error and the constants give 8e-05",
        ),
        (
            {f"{OUTPUT}.rel_rms": 1.1e-5},
            f"{OUTPUT}.rel_rms: is 1.1e-05, over its limit 1e-05, but the status is CORRECT",
        ),
        ({f"{OUTPUT}.row_rel_rms": 3.1e-5}, f"{OUTPUT}.row_rel_rms: is 3.1e-05, over its limit 3e-05"),
        ({f"{OUTPUT}.max_abs": 4.1e-5}, f"{OUTPUT}.max_abs: is 4.1e-05, over its limit 4e-05"),
        # Constants.
        ({"protocol.off": ["rel_rms"]}, "protocol.off: lists rel_rms: made with checks switched off"),
        ({"protocol.blocks": 0}, f"protocol.blocks: says 0, it is {FEWEST_BLOCKS} to {MOST_BLOCKS}"),
        ({"protocol.blocks": 3, "asked.blocks": 3}, "protocol.blocks: says 3, it is 4 to"),
        ({"protocol.blocks": 9}, "protocol.blocks: says 9, the set demo has 8"),
        ({"asked.blocks": 9}, "protocol.blocks: says 8, `asked.blocks` says 9"),
        ({"protocol.blocks": MOST_BLOCKS + 1}, f"protocol.blocks: says {MOST_BLOCKS + 1}"),
        ({"protocol.resamples": 0}, f"protocol.resamples: says 0, it is 1 to {MAX_RESAMPLES}"),
        (
            {"protocol.resamples": MAX_RESAMPLES + 1},
            f"protocol.resamples: says {MAX_RESAMPLES + 1}, it is 1 to",
        ),
        ({"seeds.bootstrap": -1}, "seeds.bootstrap: says -1, a seed is not negative"),
        ({"protocol.name": "other"}, f"protocol.name: says other, this judge knows {Protocol().name}"),
        ({"protocol.error_factor": 4.0}, f"protocol.error_factor: says 4, {Protocol().name} has 2"),
        ({"protocol.impossible_share": None}, "protocol.impossible_share: is missing"),
        # Samples.
        (
            {"protocol.blocks": 9, "asked.blocks": 9},
            "scenarios.0.timing.order: has 8 blocks, protocol.blocks says 9",
        ),
        ({f"{TIMING}.order": ["ABBA", "ABBA"] * 4}, f"{TIMING}.order.1: says ABBA, in turns it is BAAB"),
        ({f"{TIMING}.order": ["BAAB", "BAAB"] * 4}, f"{TIMING}.order.0: says BAAB, in turns it is ABBA"),
        ({f"{TIMING}.raw_ns_a": [[1, 1]]}, f"{TIMING}.raw_ns_a: has 1 pairs for 8 blocks"),
        ({f"{TIMING}.cpu_ns_a": []}, f"{TIMING}.cpu_ns_a: has 0 pairs for 8 blocks"),
        ({f"{TIMING}.raw_ns_a.1": [0, 1]}, f"{TIMING}.raw_ns_a.1: is a call that took no time, or years"),
        ({f"{TIMING}.outside_ns_b.0": [1, 1 << 53]}, f"{TIMING}.outside_ns_b.0: is a call that took no time"),
        ({"aa.0.cpu_ns_b.0": [1, -1]}, "aa.0.cpu_ns_b.0: is a call that took no time"),
        # Numbers.
        ({f"{TIMING}.verdict": "SAME"}, f"{TIMING}.verdict: says SAME, samples give FASTER"),
        ({f"{TIMING}.median_ns_a": 2.1e8}, f"{TIMING}.median_ns_a: says 2.1e+08, samples give 2e+08"),
        ({f"{TIMING}.median_ns_b": 2.1e8}, f"{TIMING}.median_ns_b: says 2.1e+08, samples give 1e+08"),
        ({f"{TIMING}.confidence": 0.95}, f"{TIMING}.confidence: says 0.95, samples give 0.9609"),
        ({f"{TIMING}.witness_ratio": None}, f"{TIMING}.witness_ratio: is missing"),
        ({f"{TIMING}.block_log_ratio": [0.1]}, f"{TIMING}.block_log_ratio: has 1 items, samples give 8"),
        ({"aggregate.geomean": 2.5}, "aggregate.geomean: says 2.5, samples give 1.997"),
        ({"aggregate.n_total": 5}, "aggregate.n_total: says 5, samples give 4"),
        ({"aggregate.floor": 0.5}, "aggregate.floor: says 0.5, samples give 0.012"),
        ({"aggregate.worst_five": []}, "aggregate.worst_five: has 0 items, samples give 4"),
        ({"aggregate.geomean_without_best": 3.0}, "aggregate.geomean_without_best: says 3"),
        ({"summary": "x"}, "summary: says x, the rest says CORRECT 4/4"),
        ({"status": "WRONG"}, "status: says WRONG, its scenarios come to CORRECT"),
        ({"off_list.0.status": "POLICY"}, "status: says CORRECT, its scenarios come to POLICY"),
        # Clocks.
        (
            {f"{TIMING}.checked_calls": 3},
            f"{TIMING}.checked_calls: says 3, but 16 timed calls have to be checked",
        ),
        ({f"{TIMING}.warmup_calls": [2, -1]}, f"{TIMING}.warmup_calls: is negative"),
        ({f"{TIMING}.retaken": [-1, 0]}, f"{TIMING}.retaken: is negative"),
        ({f"{TIMING}.launcher_ns_a": [5, 0]}, f"{TIMING}.launcher_ns_a: holds a call that took no time"),
        ({f"{TIMING}.launcher_ns_b": [1 << 53]}, f"{TIMING}.launcher_ns_b: holds a call that took no time"),
        (
            {f"{TIMING}.outside_ns_b.1": [BASE, BASE - 1]},
            f"{TIMING}.outside_ns_b.1: is shorter than the call inside it",
        ),
        (
            {f"{TIMING}.outside_ns_a.0": [1, 10 * BASE]},
            f"{TIMING}.outside_ns_a.0: is shorter than the call inside it",
        ),
        (
            {
                f"{TIMING}.slope": {
                    "calls": 1,
                    "outside_ns": [BASE, 2 * BASE],
                    "inside_ns": [BASE, BASE + HALF],
                    "cpu_ns": [BASE, 2 * BASE],
                }
            },
            f"{TIMING}.slope: says that the runner's clock missed time",
        ),
        (
            {
                f"{TIMING}.slope": {
                    "calls": 1,
                    "outside_ns": [BASE, 2 * BASE],
                    "inside_ns": [BASE + 1, 2 * BASE],
                    "cpu_ns": [BASE, 2 * BASE],
                }
            },
            f"{TIMING}.slope.outside_ns: is shorter than the calls inside it",
        ),
        (
            {f"{TIMING}.slope": {"calls": 0, "outside_ns": [BASE, 2 * BASE], "inside_ns": [BASE, 2 * BASE]}},
            f"{TIMING}.slope: holds a number that is none",
        ),
        # Bounds.
        ({"scenarios.2.bound": {"bytes": -1, "operations": 1}}, "scenarios.2.bound: is of less than no work"),
        ({"scenarios.2.bound": {"bytes": 1, "operations": 10**400}}, "scenarios.2.bound: is of less than no"),
        (
            {
                "scenarios.2.bound": {
                    "bytes": 1,
                    "operations": 1,
                    "memory_ns": 5.0,
                    "compute_ns": 7.0,
                    "floor_ns": 5.0,
                }
            },
            "scenarios.2.bound.floor_ns: says 5.0, its parts give 7.0",
        ),
        (
            {"scenarios.2.bound": {"bytes": 1, "operations": 1, "memory_ns": 5.0}},
            "scenarios.2.bound.floor_ns: says None, its parts give 5.0",
        ),
        (
            {
                "ceilings": {**CEILINGS, "bandwidth": [[1024, 0.0]]},
                "scenarios.2.bound": {
                    "bytes": 1,
                    "operations": 1,
                    "memory_ns": 5.0,
                    "compute_ns": 1.0,
                    "floor_ns": 5.0,
                },
            },
            "scenarios.2.bound.memory_ns: says 5, but `ceilings` does not say by what",
        ),
    ],
)
def test_a_broken_rule_is_named_with_its_field(changes: dict[str, Any], words: str) -> None:
    found = broken(GOOD, changes)
    assert any(one.startswith(words) for one in found), found
    assert not any(one.startswith("digest") for one in found)


@pytest.mark.parametrize(
    ("bytes_", "memory", "words"),
    [
        (10**7, 1e7, ""),
        (10**7, 1.1e7, ""),  # by lower ceilings, measured before
        (10**7, 0.9e7, "scenarios.2.bound.memory_ns: says 9000000.0, work and ceilings give 1e+07"),
        (2 * 10**8, 2e8, "scenarios.2.timing.median_ns_b: is IMPOSSIBLE: A call took 100 ms"),
    ],
)
def test_a_bound_follows_from_the_ceilings_and_no_call_is_faster(
    bytes_: int, memory: float, words: str
) -> None:
    bound = {"bytes": bytes_, "operations": 1, "memory_ns": memory, "compute_ns": 1.0, "floor_ns": memory}
    found = broken(GOOD, {"ceilings": CEILINGS, "scenarios.2.bound": bound})
    assert found == [] if not words else found[0].startswith(words), found


def reclocked(clock: str, later_a: int, later_b: int) -> Record:
    """The third scenario's calls took so much longer by another clock, and all its numbers say so."""
    parts = list(map(made_scenario, SCENARIOS))
    timing = parts[2].timing
    assert timing is not None
    changes: dict[str, Any] = {"cpu_ns_a": (), "cpu_ns_b": ()}
    assert timing.slope is not None
    if clock != "cpu_ns":
        in_a_row = BASE + later_b - later_a <= Protocol().slope_most_ns
        changes["slope"] = timing.slope.model_copy(update={"cpu_ns": None}) if in_a_row else None
    for side, later in (("a", later_a), ("b", later_b)):
        raw = getattr(timing, f"raw_ns_{side}")
        changes[f"{clock}_{side}"] = tuple((x + later, y + later) for x, y in raw)
    timing = timing.model_copy(update=changes)
    seen = estimate(witness_logs(timing))
    words = {"witness_ratio": seen.log, "witness_low": seen.low, "witness_high": seen.high}
    timing = timing.model_copy(update={name: math.exp(log) for name, log in words.items()})
    parts[2] = parts[2].model_copy(update={"timing": timing_verdict(timing, FLOOR, 0.95)})
    env = GOOD.env.model_copy(update={"containment": ("seccomp",)} if clock != "cpu_ns" else {})
    return made_record(with_flags(parts), env=env)


def test_a_call_is_held_to_the_processor_time_it_used() -> None:
    least = (300_000 + 0.05 * BASE) / 0.95
    assert list(faults(reclocked("cpu_ns", 0, round(least) - 10))) == []
    # What a busy machine charges both sides is none of the candidate's.
    assert list(faults(reclocked("cpu_ns", 2 * round(least), 2 * round(least)))) == []
    found = [str(one) for one in faults(reclocked("cpu_ns", 0, round(least) + 10))]
    assert len(found) == 1
    assert found[0].startswith(f"{TIMING}.cpu_ns_b: speaks against its clock: Calls used 106 ms of")


def test_without_processor_time_a_clock_is_held_to_the_judges() -> None:
    least = 0.2 * BASE / 0.8
    assert list(faults(reclocked("outside_ns", 0, round(least) - 10))) == []
    found = [str(one) for one in faults(reclocked("outside_ns", 0, round(least) + 10))]
    assert len(found) == 1
    assert found[0].startswith(f"{TIMING}.outside_ns_b: speaks against its clock: Calls took 125 ms")
    # A delay of the channel's own, on both sides, is none of the candidate's.
    assert list(faults(reclocked("outside_ns", BASE, BASE))) == []


def test_a_slope_that_holds_is_none() -> None:
    twice = [BASE, 2 * BASE]
    slope = {"calls": 1, "outside_ns": twice, "inside_ns": twice, "cpu_ns": [BASE, 2 * BASE + HALF // 5]}
    assert broken(GOOD, {f"{TIMING}.slope": slope}) == []


def test_what_is_suspicious_has_to_be_said() -> None:
    fast = made_record(tuple(made_scenario(s, interval=(5.5, 6.5)) for s in SCENARIOS))
    found = [str(one) for one in faults(fast)]
    assert found == [f"scenarios.{n}.flags: does not say large_ratio, which its samples do" for n in range(4)]


def test_the_check_that_failed_is_the_first_number_over_its_limit() -> None:
    base = "scenarios.0.correctness.1"
    words = "check rel_rms: out differs from the reference by much."
    assert broken(WRONG, {f"{base}.evidence": words}) == []
    found = broken(
        WRONG, {f"{base}.evidence": words, f"{base}.check": "max_abs", "scenarios.0.check": "max_abs"}
    )
    assert f"{base}.check: says max_abs, the first number over its limit is rel_rms" in found
    found = broken(
        WRONG,
        {
            f"{base}.evidence": words,
            f"{base}.outputs.0.rel_rms": 0.0,
            f"{base}.outputs.0.row_rel_rms": 0.0,
            f"{base}.outputs.0.max_abs": 0.0,
        },
    )
    assert f"{base}.check: says rel_rms, the first number over its limit is none" in found


def test_a_refused_candidate_has_nothing_measured() -> None:
    parts = tuple(made_scenario(s, Status.NOT_RUN) for s in SCENARIOS)
    words = "It does not compile: x"
    build = GOOD.build.model_copy(update={"returncode": 1})
    whole = made_record(parts).aggregate.model_copy(update={"reason": words, "score": 0.0})
    record = made_record(
        parts, status="BUILD_FAILED", summary=f"BUILD_FAILED: {words}", build=build, aggregate=whole
    )
    assert list(faults(record)) == []
    assert broken(record, {"summary": "BUILD_FAILED: y"}) == [
        f"summary: says BUILD_FAILED: y, the rest says BUILD_FAILED: {words}"
    ]
    assert broken(record, {"build.returncode": 0})[0].startswith(
        "status: says BUILD_FAILED, but the build did not"
    )
    assert broken(record, {"aggregate.score": None}) == ["aggregate.score: is missing"]
    measured = json.loads(dump_record(GOOD))["aa"]
    found = broken(record, {"aa": measured})
    assert "aa: holds measurements of a candidate that was not run" in found
    policy = made_record(parts, status="POLICY", summary=f"POLICY: {words}", aggregate=whole)
    assert list(faults(policy)) == []


def test_all_but_the_open_constants_are_the_protocols() -> None:
    assert {
        "confidence",
        "error_factor",
        "fp32_floor",
        "minimum_floor",
        "resamples",
        "slope_share",
    }.isdisjoint(OPEN)
    assert protocol_of(GOOD.protocol) == Protocol()
    found = broken(GOOD, {f"protocol.{name}": 7 for name in sorted(OPEN - {"name", "off", "priority"})})
    assert found == []


@pytest.mark.parametrize(
    ("said", "found", "faults_"),
    [
        (1.0, 1.0 + 0.9e-6, []),
        (1.0, 1.0 + 1.1e-6, ["x: says 1.0, samples give 1.0000011"]),
        (0.0, 0.9e-12, []),
        (0.0, 1.1e-12, ["x: says 0, samples give 1.1e-12"]),
        (1, 2, ["x: says 1, samples give 2"]),
        (None, 1.0, ["x: is missing"]),
        (1.0, None, ["x: says 1, samples give none"]),
        ("a", "b", ["x: says a, samples give b"]),
        ("a" * 90, "b", [f"x: says {'a' * 77}..., samples give b"]),
        ({"a": 1}, {"a": 1, "b": 2}, ["x.b: is missing"]),
        ({"a": 1, "b": 2}, {"a": 1}, ["x.b: is nothing that belongs there"]),
        ([1, [2]], [1, [3]], ["x.1.0: says 2, samples give 3"]),
        ([1], [1, 2], ["x: has 1 items, samples give 2"]),
        ((1, 2), [1, 2], []),
    ],
)
def test_two_values_are_compared_leaf_by_leaf(said: Any, found: Any, faults_: list[str]) -> None:
    assert [str(one) for one in differences("x", said, found)] == faults_
    assert str(Fault("a.b", "is odd")) == "a.b: is odd"


def test_a_record_of_another_time_is_the_same_to_the_reader() -> None:
    assert GOOD.started == NOW
