"""A record in which any one thing was changed is refused; where it decides anything, without its digest."""

import copy
import json
import math
import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from harness.aggregate import aggregate, floor_of, summary, timing_verdict
from harness.environment import constants
from harness.errors import RefusedRecord
from harness.goal_check import check_goal
from harness.record.files import digest_of, dump_record, sealed
from harness.record.parts import LeftOut
from harness.record.record import Record, ScenarioRecord
from harness.timing.statistics import block_log_ratios
from harness.verdict import Speed, Status
from harness.verify.record import clocks, fault, faults, verified
from tests.made_records import (
    CANDIDATE,
    PROTOCOL,
    SCENARIOS,
    made_goal,
    made_manifest,
    made_record,
    made_scenario,
    made_shape,
)

Place = tuple[str | int, ...]


def no_cpu(scenario: ScenarioRecord) -> ScenarioRecord:
    """Timed where the kernel does not say what a call cost."""
    assert scenario.timing is not None
    assert scenario.timing.slope is not None
    slope = scenario.timing.slope.model_copy(update={"cpu_ns": None})
    timing = scenario.timing.model_copy(update={"cpu_ns_a": (), "cpu_ns_b": (), "slope": slope})
    return scenario.model_copy(update={"timing": timing})


LIKE = made_shape().id.partition("~")[0]
GOOD = {
    "correct": made_record(),
    "many-blocks": made_record(
        tuple(
            made_scenario(s, interval=tuple(1.5 + 0.07 * ((7 * at + 3 * n) % 11) for at in range(6)))
            for n, s in enumerate(SCENARIOS)
        ),
        protocol=constants(PROTOCOL, blocks=6),
    ),
    "slow": made_record(tuple(made_scenario(s, interval=(0.6, 0.9)) for s in SCENARIOS)),
    "no-cpu": made_record(
        (*map(made_scenario, SCENARIOS[:3]), no_cpu(made_scenario(SCENARIOS[3]))),
        env=made_record().env.model_copy(update={"containment": ("seccomp",)}),
    ),
    "wrong": made_record((made_scenario(SCENARIOS[0], Status.WRONG), *map(made_scenario, SCENARIOS[1:]))),
    "off-list-wrong": made_record(off_list=(made_shape(Status.WRONG),)),
    "left-out": made_record(
        off_list=(), left_out=(LeftOut(scenario=LIKE, why="its start is no measure there"),)
    ),
    "not-admitted": made_record((made_scenario(SCENARIOS[0], Status.NOT_ADMITTED),)),
}
# What only the digest holds, and why a verdict does not rest on it.
FREE = re.compile(
    r"""
    (env|build|hashes|language|flags|ceilings|notes|device|rehearsed|owner|eval_id|started)(\..*)?  # words
  | (operator|scenario_set|scenario_glob|candidate|frozen|digest)  # a goal asks
  | protocol\.(max_deaths|poison_byte|red_zone_bytes|workspace_bytes|tries
      |retakes_per_call|warmup_calls|warmup_ns|pause_slack_ns|slope_tries
      |\w+_seconds)  # how long and how often
  | (scenarios|off_list)\.\d+\.(family|detail|params\..*|trivial_failed\..*|evidence|flags|id)
  | off_list\.\d+\.bound\..*|left_out\.\d+\.why
  | (scenarios|off_list)\.\d+\.correctness\.\d+\.evidence
  | (scenarios|off_list)\.\d+\.correctness\.\d+\.outputs\.\d+\.(output|sha256|worst_row.*|worst_index.*
      |rel_rms|row_rel_rms|max_abs|\w+_start)  # measured once
  | (scenarios\.\d+\.timing|aa\.\d+)\.(outside_ns_[ab].*|retaken.*|warmup_calls.*|checked_calls|cross_runner
      |launcher_ns_[ab].*|slope\.\w+_ns.*  # no ratio is of them
      |cpu_ns_[ab].*)  # a rank statistic rests on the middle ones
    """,
    re.VERBOSE,
)
NO_MEAN = re.compile(
    r"protocol\.(blocks|resamples)|seeds\..*|baseline|scenarios\.\d+\.check|asked\.check_only"
)
"""Free where nothing was timed."""


def leaves(value: Any, place: Place = ()) -> Iterator[Place]:
    """Every number, text, truth and absence of a JSON value, and every empty list or table."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*place, key))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(inner, (*place, index))
    else:
        yield place


def at(said: Any, place: Place) -> Any:
    for part in place:
        said = said[part]
    return said


def put(said: Any, place: Place, value: Any) -> Any:
    said = copy.deepcopy(said)
    at(said, place[:-1])[place[-1]] = value
    return said


def objects(record: Record) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(dump_record(record))
    return said


OBJECTS = {name: objects(record) for name, record in GOOD.items()}
LEAVES = [(name, place) for name, said in OBJECTS.items() for place in leaves(said)]


def nudged(value: Any, factor: float) -> Any:
    """Something else of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + max(1, round(abs(value) * abs(factor)))
    if isinstance(value, float):
        return value * (1 + factor) if value else factor
    if isinstance(value, str):
        return f"{value}x"
    return {"a": 1} if value is None or isinstance(value, dict) else [*value, "x"]


def refusal(said: dict[str, Any], folder: Path) -> str:
    path = folder / "record.json"
    path.write_text(json.dumps(said), encoding="utf-8")
    try:
        verified(path)
    except RefusedRecord as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", GOOD)
def test_what_the_judge_wrote_passes(name: str, tmp_path: Path) -> None:
    assert list(faults(GOOD[name])) == []
    assert refusal(OBJECTS[name], tmp_path) == ""


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(LEAVES), st.sampled_from([1e-5, -1e-5, 0.5, 3.0]))
def test_any_leaf_that_was_changed_is_refused(
    tmp_path_factory: pytest.TempPathFactory, where: tuple[str, Place], factor: float
) -> None:
    name, place = where
    said = OBJECTS[name]
    changed = put(said, place, nudged(at(said, place), factor))
    assert refusal(changed, tmp_path_factory.getbasetemp()), place


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(LEAVES), st.data())
def test_any_part_that_was_dropped_or_doubled_is_refused(
    tmp_path_factory: pytest.TempPathFactory, where: tuple[str, Place], data: st.DataObject
) -> None:
    name, place = where
    place = place[: data.draw(st.integers(1, len(place)))]
    changed = copy.deepcopy(OBJECTS[name])
    inside = at(changed, place[:-1])
    if isinstance(inside, list) and data.draw(st.booleans()):
        inside.insert(int(place[-1]), copy.deepcopy(inside[int(place[-1])]))
    else:
        del inside[place[-1]]
    assert refusal(changed, tmp_path_factory.getbasetemp()), place


def decides(name: str, place: Place) -> bool:
    """Whether a number, a verdict or the outcome rests on it."""
    dotted = ".".join(map(str, place))
    timed = GOOD[name].aggregate.geomean is not None
    return not FREE.fullmatch(dotted) and (timed or not NO_MEAN.fullmatch(dotted))


DECIDING = [(name, place) for name, place in LEAVES if decides(name, place)]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(DECIDING), st.sampled_from([2e-5, -2e-5, 0.5, 3.0]))
def test_what_decides_is_refused_by_its_field_even_with_a_new_digest(
    tmp_path_factory: pytest.TempPathFactory, where: tuple[str, Place], factor: float
) -> None:
    name, place = where
    said = OBJECTS[name]
    changed = put(said, place, nudged(at(said, place), factor))
    changed["digest"] = digest_of(changed)
    found = refusal(changed, tmp_path_factory.getbasetemp())
    event(str(place[0]))
    assert found, place
    assert "digest" not in found


def test_a_key_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    text = dump_record(GOOD["correct"])
    path.write_text(text.replace('"seconds"', '"owner": "none",\n "seconds"', 1))
    with pytest.raises(RefusedRecord, match="the key 'owner' is there twice"):
        verified(path)


def test_free_text_is_held_by_the_digest() -> None:
    record = GOOD["correct"].model_copy(update={"notes": ("a note",)})
    found = fault(record)
    assert found is not None
    assert found.field == "digest"
    assert fault(sealed(record)) is None
    assert fault(record.model_copy(update={"digest": ""})) is not None


def test_a_record_with_checks_off_is_none() -> None:
    record = made_record()
    off = record.protocol.model_copy(update={"off": ("rel_rms",)})
    assert str(fault(sealed(record.model_copy(update={"protocol": off})))) == (
        "protocol.off: lists rel_rms: made with checks switched off"
    )


ABSENT = {
    r"env\.(affinity|containment|torch|triton)": "words about the machine",
    r"build\.(command|errors|sandbox|needed|undefined)": "words about the build",
    r"(scenarios|off_list)\.\d+\.correctness\.\d+\.evidence": "words",
    r"digest": "made anew",
}
"""What may be dropped under a new digest, and why no verdict rests on it."""


def pruned(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every list without its last or first item or without any, and every other part that is not there."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*place, key), None
            yield from pruned(inner, (*place, key))
    elif isinstance(value, list) and value and not isinstance(value[0], int | float):
        for less in ([], value[:-1], value[1:])[: 3 if len(value) > 1 else 1]:
            yield place, less
        for index in {0, len(value) - 1}:
            yield from pruned(value[index], (*place, index))
    elif isinstance(value, list) and value:
        yield place, []
        yield place, value[:-1]


@pytest.mark.parametrize("name", ["correct", "wrong", "left-out", "no-cpu"])
def test_whatever_is_dropped_is_refused_even_with_a_new_digest(name: str, tmp_path: Path) -> None:
    kept = []
    for place, less in pruned(OBJECTS[name]):
        dotted = ".".join(map(str, place))
        if at(OBJECTS[name], place) == less or any(re.fullmatch(one, dotted) for one in ABSENT):
            continue
        changed = put(OBJECTS[name], place, less)
        changed["digest"] = digest_of(changed)
        found = refusal(changed, tmp_path)
        if not found or "digest" in found:
            kept.append((dotted, less))
    assert kept == []


def test_what_may_be_absent_is_no_more_than_it_says(tmp_path: Path) -> None:
    listed = {
        dotted: place for place, _ in pruned(OBJECTS["correct"]) if (dotted := ".".join(map(str, place)))
    }
    for pattern in ABSENT:
        assert any(re.fullmatch(pattern, dotted) for dotted in listed), pattern


Forgery = Callable[[Record], Record]


def best_blocks(record: Record) -> Record:
    """Of each scenario the block that is kindest to the candidate, of each A/A the calmest."""

    def only(samples: Any, kindest: int) -> Any:
        columns = [name for name in type(samples).model_fields if re.match(r"(raw|outside|cpu)_ns_", name)]
        kept = {name: getattr(samples, name)[kindest : kindest + 1] for name in columns}
        return samples.model_copy(update={**kept, "order": ("ABBA",), "retaken": (0, 0)})

    scenarios = []
    for one in record.scenarios:
        assert one.timing is not None
        logs = one.timing.block_log_ratio
        scenarios.append(one.model_copy(update={"timing": only(one.timing, logs.index(max(logs)))}))
    aa = tuple(only(one, one.block_log_ratio.index(min(one.block_log_ratio, key=abs))) for one in record.aa)
    constants = record.protocol.model_copy(update={"blocks": 1})
    return record.model_copy(update={"scenarios": tuple(scenarios), "aa": aa, "protocol": constants})


def asked_for_one(record: Record) -> Record:
    asked = record.asked.model_copy(update={"blocks": 1})
    return best_blocks(record).model_copy(update={"asked": asked})


def one_input_set(record: Record) -> Record:
    scenarios = tuple(one.model_copy(update={"correctness": one.correctness[:1]}) for one in record.scenarios)
    return record.model_copy(update={"scenarios": scenarios})


def no_off_list(record: Record) -> Record:
    return record.model_copy(update={"off_list": ()})


def calmest_again(record: Record) -> Record:
    return record.model_copy(update={"aa": record.aa[:1]})


def two_scenarios(record: Record) -> Record:
    return record.model_copy(update={"scenarios": record.scenarios[:2], "aa": record.aa[:2]})


def unbounded(record: Record) -> Record:
    """No slope, no launcher, no bound, no ceilings."""
    bare: dict[str, Any] = {"slope": None, "launcher_ns_a": (), "launcher_ns_b": ()}
    scenarios = tuple(
        one.model_copy(update={"bound": None, "timing": one.timing and one.timing.model_copy(update=bare)})
        for one in record.scenarios
    )
    return record.model_copy(update={"scenarios": scenarios, "ceilings": None})


def all_of_it(record: Record) -> Record:
    return no_off_list(one_input_set(best_blocks(record)))


def reckoned_again(record: Record) -> Record:
    """The numbers, the line and the digest that follow, as a forger would make them."""
    confidence = record.protocol.confidence

    def fields(samples: Any) -> dict[str, Any]:
        inside, seen = clocks(samples, confidence)
        found = {"ratio": inside.log, "low": inside.low, "high": inside.high}
        found |= {"witness_ratio": seen.log, "witness_low": seen.low, "witness_high": seen.high}
        return {
            **{name: math.exp(log) for name, log in found.items()},
            "block_log_ratio": tuple(block_log_ratios(samples.raw_ns_a, samples.raw_ns_b)),
            "confidence": inside.confidence,
        }

    aa = tuple(one.model_copy(update=fields(one)) for one in record.aa)
    floor = floor_of(aa, record.protocol.minimum_floor, confidence)
    scenarios = []
    for one in record.scenarios:
        assert one.timing is not None
        timing = one.timing.model_copy(update=fields(one.timing))
        medians = {
            f"median_ns_{side}": float(
                statistics.median(ns for pair in getattr(timing, f"raw_ns_{side}") for ns in pair)
            )
            for side in "ab"
        }
        timing = timing_verdict(timing.model_copy(update=medians), floor, confidence)
        scenarios.append(one.model_copy(update={"timing": timing}))
    whole = aggregate(
        scenarios,
        total=len(scenarios),
        floor=floor,
        resamples=record.protocol.resamples,
        seed=record.seeds.bootstrap,
        confidence=confidence,
        off_list=record.off_list,
    )
    line = summary(record.status, scenarios, whole, record.baseline, record.off_list)
    changes = {"scenarios": tuple(scenarios), "aa": aa, "aggregate": whole, "summary": line}
    return sealed(Record.model_validate({**record.model_copy(update=changes).model_dump()}))


@pytest.mark.parametrize(
    ("forge", "field"),
    [
        (best_blocks, "protocol.blocks: says 1, it is 4 to 256"),
        (asked_for_one, "protocol.blocks: says 1, it is 4 to 256"),
        (one_input_set, "scenarios.0.correctness: has 1 of 2 input sets, without needles"),
        (no_off_list, "off_list: has 0 shapes, 1 are checked less 0 in `left_out`"),
        (calmest_again, "aa: has 1 items, spread over the timed scenarios there are 4"),
        (two_scenarios, "scenarios: has 2 of 4 that were asked for, without toy-n32, toy-n64"),
        (unbounded, "scenarios.0.bound: is missing"),
        (all_of_it, "protocol.blocks: says 1, it is 4 to 256"),
    ],
)
def test_a_record_pruned_to_look_better_is_refused_and_meets_nothing(forge: Forgery, field: str) -> None:
    """From one that is no faster, with all that follows computed again."""
    noisy = tuple(0.9 + 0.01 * ((7 * at) % 41) for at in range(8))
    scenarios = tuple(made_scenario(one, interval=noisy) for one in SCENARIOS)
    honest = reckoned_again(made_record(scenarios))
    assert list(faults(honest)) == []
    forged = reckoned_again(forge(honest))
    assert str(fault(forged)) == field
    report = check_goal(made_goal(1.01), made_manifest(), forged, CANDIDATE)
    assert report.met is False
    if forge in (best_blocks, all_of_it):
        assert forged.aggregate.verdict is Speed.FASTER
        assert honest.aggregate.verdict is not Speed.FASTER


def test_fewer_blocks_that_were_asked_for_are_verified_and_meet_nothing() -> None:
    few = made_record(
        tuple(made_scenario(s, interval=(1.9, 2.0, 2.1, 2.0)) for s in SCENARIOS),
        protocol=constants(PROTOCOL, blocks=4),
    )
    assert list(faults(few)) == []
    report = check_goal(made_goal(), made_manifest(), few, CANDIDATE)
    assert report.met is False
    assert "made with 4 blocks a scenario in place of 8" in report.reason
