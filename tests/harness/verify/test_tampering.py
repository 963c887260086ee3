"""A record in which any one thing was changed is refused; where it decides anything, without its digest."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from harness.environment import constants
from harness.errors import RefusedRecord
from harness.record.files import digest_of, dump_record, sealed
from harness.record.record import Record, ScenarioRecord
from harness.verdict import Status
from harness.verify.record import fault, faults, verified
from tests.made_records import PROTOCOL, SCENARIOS, made_record, made_scenario

Place = tuple[str | int, ...]


def off_list() -> tuple[ScenarioRecord, ...]:
    return (made_scenario(SCENARIOS[0], interval=None).model_copy(update={"id": "toy-n9"}),)


def no_cpu(scenario: ScenarioRecord) -> ScenarioRecord:
    """Timed where the kernel does not say what a call cost."""
    assert scenario.timing is not None
    timing = scenario.timing.model_copy(update={"cpu_ns_a": (), "cpu_ns_b": ()})
    return scenario.model_copy(update={"timing": timing})


GOOD = {
    "correct": made_record(off_list=off_list()),
    "many-blocks": made_record(
        tuple(
            made_scenario(s, interval=tuple(1.5 + 0.07 * ((7 * at + 3 * n) % 11) for at in range(6)))
            for n, s in enumerate(SCENARIOS)
        ),
        protocol=constants(PROTOCOL, blocks=6),
    ),
    "slow": made_record(tuple(made_scenario(s, interval=(0.6, 0.9)) for s in SCENARIOS)),
    "no-cpu": made_record((*map(made_scenario, SCENARIOS[:3]), no_cpu(made_scenario(SCENARIOS[3])))),
    "wrong": made_record((made_scenario(SCENARIOS[0], Status.WRONG), *map(made_scenario, SCENARIOS[1:]))),
    "off-list-wrong": made_record(
        off_list=(made_scenario(SCENARIOS[0], Status.WRONG).model_copy(update={"id": "toy-n9"}),)
    ),
    "not-admitted": made_record((made_scenario(SCENARIOS[0], Status.NOT_ADMITTED),)),
}
# What only the digest holds, and why a verdict does not rest on it.
FREE = re.compile(
    r"""
    (env|build|hashes|language|flags|ceilings|notes|device|rehearsed|owner|eval_id|started)(\..*)?  # words
  | (operator|scenario_set|scenario_glob|candidate|frozen|digest)  # a goal asks
  | protocol\.(aa_scenarios|launcher_calls|max_deaths|poison_byte|red_zone_bytes|workspace_bytes|tries
      |retakes_per_call|warmup_calls|warmup_ns|pause_slack_ns|slope_calls|slope_tries
      |\w+_seconds|slope_ns|slope_most_ns)  # how long and how often
  | (scenarios|off_list)\.\d+\.(family|detail|params\..*|trivial_failed.*|evidence|bound|flags|id)
  | (scenarios|off_list)\.\d+\.correctness\.\d+\.(input_set|evidence)
  | (scenarios|off_list)\.\d+\.correctness\.\d+\.outputs\.\d+\.(output|sha256|worst_row.*|worst_index.*
      |rel_rms|row_rel_rms|max_abs|\w+_start)  # measured once
  | (scenarios\.\d+\.timing|aa\.\d+)\.(outside_ns_[ab].*|retaken.*|warmup_calls.*|checked_calls|cross_runner
      |launcher_ns_[ab]|slope)  # no ratio is of them
    """,
    re.VERBOSE,
)
NO_MEAN = re.compile(r"protocol\.(blocks|resamples)|seeds\..*|baseline|scenarios\.\d+\.check")
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
    if name == "many-blocks" and "cpu_ns" in dotted:
        return False  # a rank statistic rests on the middle ones
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
