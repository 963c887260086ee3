import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from harness.build import NATIVE, Build
from harness.children import Children, children
from harness.device import CpuDevice
from harness.operator import Work
from harness.protocol import Protocol
from harness.record.samples import Ceilings
from harness.timing import ceilings
from harness.timing.ceilings import bound_of, most, parse, times

NOW = datetime(2026, 1, 2, tzinfo=UTC)
MADE = Ceilings(
    bandwidth=((16_000, 100e9), (64_000, 50e9), (256_000, 10e9)),
    operations={"float32": 100e9, "float64": 50e9, "bfloat16": 800e9, "float16": 100e9},
    measured=NOW,
)


def test_bytes_are_held_to_the_largest_measured_set_that_is_no_larger() -> None:
    for bytes_, rate in ((1_000, 100e9), (16_000, 100e9), (63_999, 100e9), (64_000, 50e9), (10**9, 10e9)):
        assert bound_of(Work(bytes_, 0), MADE).memory_ns == pytest.approx(bytes_ / rate * 1e9)


def test_a_larger_set_that_was_faster_lowers_the_floor() -> None:
    odd = MADE.model_copy(update={"bandwidth": ((16_000, 100e9), (64_000, 50e9), (256_000, 70e9))})
    assert bound_of(Work(64_000, 0), odd).memory_ns == pytest.approx(64_000 / 70)


def test_the_floor_is_the_larger_of_memory_and_operations() -> None:
    moves, computes = bound_of(Work(64_000, 1), MADE), bound_of(Work(1, 10**6, "float64"), MADE)
    assert moves.floor_ns == moves.memory_ns == pytest.approx(1280)
    assert computes.floor_ns == computes.compute_ns == pytest.approx(20_000)
    assert computes.precision == "float64"


def test_a_precision_may_be_made_of_narrower_products_and_never_has_less_than_float32() -> None:
    assert bound_of(Work(1, 10**6, "float32"), MADE).compute_ns == pytest.approx(2500)  # 800e9 / 2
    assert bound_of(Work(1, 10**6, "bfloat16"), MADE).compute_ns == pytest.approx(1250)
    slow = MADE.model_copy(update={"operations": {**MADE.operations, "bfloat16": 1e9}})
    assert bound_of(Work(1, 10**6, "bfloat16"), slow).compute_ns == pytest.approx(10_000)


def test_without_ceilings_there_is_no_floor() -> None:
    unknown = bound_of(Work(5, 7), None)
    assert (unknown.bytes, unknown.operations, unknown.floor_ns) == (5, 7, None)
    no_operations = MADE.model_copy(update={"operations": {}})
    assert bound_of(Work(64_000, 10**9), no_operations).compute_ns is None
    assert bound_of(Work(64_000, 10**9), no_operations).floor_ns == pytest.approx(1280)


def test_the_highest_of_two_measurements_counts() -> None:
    other = Ceilings(
        bandwidth=((16_000, 90e9), (1_024_000, 5e9)),
        operations={"float32": 120e9},
        measured=NOW + timedelta(hours=1),
    )
    both = most(MADE, other)
    assert both == most(other, MADE)
    assert both.bandwidth == ((16_000, 100e9), (64_000, 50e9), (256_000, 10e9), (1_024_000, 5e9))
    assert both.operations == {**MADE.operations, "float32": 120e9}
    assert both.measured == other.measured


def test_a_call_on_several_cores_may_do_so_many_times_as_much() -> None:
    assert times(MADE, 2).bandwidth[0] == (16_000, 200e9)
    assert times(MADE, 2).operations["float64"] == 100e9


def test_what_the_program_prints_is_read_and_noise_is_not() -> None:
    found = parse("noise\nbandwidth 65536 2e10\nbandwidth 16384 4e10\noperations float32 1.5e11\n")
    assert found is not None
    assert found.bandwidth == ((16_384, 4e10), (65_536, 2e10))
    assert found.operations == {"float32": 1.5e11}
    assert parse("operations float32 1e9\n") is None


@pytest.fixture
def mine() -> Iterator[Children]:
    with children() as made:
        yield made


def program(folder: Path, rate: float, code: int = 0) -> Build:
    """A stand-in that measures `rate` and counts how often it ran."""
    path = folder / "program"
    path.write_text(f"#!/bin/sh\necho >> {folder}/runs\necho bandwidth 16384 {rate:g}\nexit {code}\n")
    path.chmod(0o755)
    return Build(path, "key", (), "c++", 0, 0.0, True, "")


def ask(made: Build, mine: Children, folder: Path, *, anew: bool = False) -> float | None:
    found = ceilings.ceilings(made, children=mine, cache=folder, core=None, priority=0, anew=anew)
    return found.bandwidth[0][1] if found is not None else None


def runs(folder: Path) -> int:
    return len((folder / "runs").read_text())


def test_they_are_measured_once_a_day_and_the_highest_is_kept(mine: Children, tmp_path: Path) -> None:
    assert [ask(program(tmp_path, 5e9), mine, tmp_path) for _ in range(2)] == [5e9, 5e9]
    assert runs(tmp_path) == 1
    assert ask(program(tmp_path, 7e9), mine, tmp_path, anew=True) == 7e9
    assert ask(program(tmp_path, 6e9), mine, tmp_path, anew=True) == 7e9
    assert runs(tmp_path) == 3
    (kept,) = (tmp_path / "ceilings").glob("*.json")
    said = json.loads(kept.read_text())
    for age in (timedelta(days=1, seconds=1), timedelta(days=-1)):  # old, or of a clock that was set back
        said["measured"] = (datetime.now(UTC) - age).isoformat()
        kept.write_text(json.dumps(said))
        assert ask(program(tmp_path, 8e9), mine, tmp_path) == 8e9
    assert runs(tmp_path) == 5


def test_a_damaged_file_is_measured_again_and_a_failing_program_is_no_ceiling(
    mine: Children, tmp_path: Path
) -> None:
    assert ask(program(tmp_path, 5e9, code=1), mine, tmp_path) is None
    ask(program(tmp_path, 5e9), mine, tmp_path)
    (kept,) = (tmp_path / "ceilings").glob("*.json")
    kept.write_text("{")
    assert ask(program(tmp_path, 6e9), mine, tmp_path) == 6e9
    assert ask(program(tmp_path, 9e9, code=1), mine, tmp_path, anew=True) == 6e9
    assert ask(replace(program(tmp_path, 1e9), output=None), mine, tmp_path, anew=True) == 6e9


@pytest.mark.slow
def test_this_machines_ceilings_are_what_a_processor_can_do(mine: Children, tmp_path: Path) -> None:
    assert (NATIVE / "ceilings.cpp").is_file()
    found = CpuDevice(mine, tmp_path, tmp_path, Protocol()).ceilings()
    assert found is not None
    sets = [size for size, _ in found.bandwidth]
    assert sets == [16384 * 4**n for n in range(8)]
    assert all(1e8 < rate < 1e13 for _, rate in found.bandwidth)
    assert all(1e8 < rate < 1e14 for rate in found.operations.values())
