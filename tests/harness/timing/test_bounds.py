"""A whole evaluation against made ceilings: what a call may not be faster than, and what launching costs."""

import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.checks import Check
from harness.device import CpuDevice
from harness.operator import Baseline, Scenario, Work
from harness.record.samples import Ceilings
from harness.verdict import Outcome, Status
from harness.verify.record import fault
from tests.cheats import FOLDER
from tests.harness.conftest import PROTOCOL, Bench
from tests.harness.toy import START, Toy, candidate

pytestmark = pytest.mark.slow

SPIN = """
  struct timespec from, at;
  clock_gettime(CLOCK_MONOTONIC, &from);
  do clock_gettime(CLOCK_MONOTONIC, &at);
  while ((at.tv_sec - from.tv_sec) * 1000000000L + at.tv_nsec - from.tv_nsec < 6000000);
"""
A_GIGABYTE_A_SECOND = Ceilings(
    bandwidth=((16384, 1e9),), operations={"float32": 1e12}, measured=datetime.now(UTC)
)


@dataclass
class Heavy(Toy):
    """Says that a call moves so many bytes: as many nanoseconds at the made ceiling."""

    moved: int = 2_000_000

    def bound(self, scenario: Scenario) -> Work:
        return Work(bytes=self.moved, operations=2)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """How the ceilings were asked for."""
    seen: list[bool] = []

    def made(_: CpuDevice, *, anew: bool = False) -> Ceilings:
        seen.append(anew)
        return A_GIGABYTE_A_SECOND

    monkeypatch.setattr(CpuDevice, "ceilings", made)
    return seen


@pytest.fixture(scope="module")
def slow_start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("start") / "start.cpp"
    path.write_text(candidate(before=SPIN, above="#include <time.h>"))
    return path


def test_a_call_faster_than_the_machine_is_impossible(
    bench: Bench, slow_start: Path, asked: list[bool]
) -> None:
    heavy = Heavy(start=slow_start)
    record = bench.judge(START, operator=heavy, scenario_set="one")
    (one,) = record.scenarios
    assert (record.status, one.status, one.check) == (Outcome.WRONG, Status.IMPOSSIBLE, Check.IMPOSSIBLE)
    assert one.evidence.startswith("A call took 0.")
    assert "to move 2000000 bytes takes this machine 2 ms at its measured best" in one.evidence
    assert record.aggregate.score == 0.0
    assert record.ceilings == A_GIGABYTE_A_SECOND
    assert asked == [False, True]  # measured again before it was refused
    assert fault(record) is None

    off = replace(PROTOCOL, off=frozenset({Check.IMPOSSIBLE}))
    (one,) = bench.judge(START, operator=heavy, scenario_set="one", protocol=off).scenarios
    assert one.status is Status.CORRECT
    assert one.bound is not None
    assert one.bound.floor_ns == pytest.approx(2e6)
    assert "near_bound" in [flag.code for flag in one.flags]
    assert one.timing is not None
    assert len(one.timing.launcher_ns_a) == PROTOCOL.launcher_calls
    assert one.timing.launcher_ns_a == one.timing.launcher_ns_b
    assert one.timing.slope is not None


def test_a_start_below_the_bound_shows_that_the_bound_is_wrong(bench: Bench, asked: list[bool]) -> None:
    record = bench.judge(START, operator=Heavy(moved=200_000_000), scenario_set="one")
    (one,) = record.scenarios
    assert (record.status, one.status) == (Outcome.INFRASTRUCTURE, Status.INVALID_REFERENCE)
    assert "the bound of toy or this machine's ceilings are wrong" in one.evidence


def test_so_does_any_other_baseline_below_it(bench: Bench, slow_start: Path, asked: list[bool]) -> None:
    """No baseline is the candidate's: the slow start is above the bound, the other one is not."""
    heavy = Heavy(start=slow_start, baselines=(Baseline("quick", START),))
    (one,) = bench.judge(START, operator=heavy, scenario_set="one", baseline="quick").scenarios
    assert (one.status, one.check) == (Status.INVALID_REFERENCE, Check.IMPOSSIBLE)
    assert one.evidence.startswith(
        "The baseline quick itself is faster than the bound, so the bound of toy or"
    )


def test_a_call_at_its_bound_is_fine(bench: Bench, slow_start: Path, asked: list[bool]) -> None:
    record = bench.judge(START, operator=Heavy(start=slow_start, moved=1), scenario_set="one")
    (one,) = record.scenarios
    assert one.status is Status.CORRECT
    assert asked == [False]


FORGES = (FOLDER / "forges_clock.cpp").read_text()
HIDES_A_TENTH_OF_A_MILLISECOND = candidate(
    above=FORGES.partition("// The cheat itself")[2].partition("\n")[2].partition("// The end of")[0],
    before="const long began = now();",
    after="while (now() - began < 140000) {}\n  forge(began, 100000);",
)


@pytest.mark.skipif(sys.platform != "linux", reason="finds the runner's stack as Linux lays it out")
def test_a_clock_that_hides_a_part_of_short_calls_is_seen_in_a_row(bench: Bench) -> None:
    """The check of single calls lets 0.3 ms go."""
    record = bench.judge(HIDES_A_TENTH_OF_A_MILLISECOND, scenario_set="one")
    (one,) = record.scenarios
    assert (one.status, one.check) == (Status.WRONG, Check.SLOPE), one.evidence
    assert "calls in a row took" in one.evidence
    off = replace(PROTOCOL, off=frozenset({Check.SLOPE}))
    (one,) = bench.judge(HIDES_A_TENTH_OF_A_MILLISECOND, scenario_set="one", protocol=off).scenarios
    assert one.status is Status.CORRECT, one.evidence
