import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from harness.arena import Arena
from harness.checks import Check
from harness.correctness.gate import GateResult
from harness.operator import Array, TensorSpec
from harness.protocol import Protocol
from harness.record.samples import Slope
from harness.runner import Call, Runner
from harness.timing.samples import Draw, Misbehaved
from harness.timing.slope import calls_in_a_row, holds, take_slope, unseen
from harness.verdict import Status

MS = 1_000_000
PROTOCOL = Protocol()
SPECS = (TensorSpec("x", "input", "float32", (4,)), TensorSpec("out", "output", "float32", (4,)))
RIGHT = GateResult(Status.CORRECT)


class Made:
    """A runner that copies x to out; `says(n)` is what n calls take (inside, outside, processor)."""

    def __init__(self, arena: Arena, says: Callable[[int], tuple[int, int, int | None]]) -> None:
        self._arena, self._says = arena, says
        self.workspace_wanted, self.protocol, self.preempted = 0, PROTOCOL, 0
        self.more_slack_ns = 0
        self.asked: list[int] = []

    def run(self) -> Call:
        return self.run_many(1)

    def run_many(self, calls: int) -> Call:
        self.asked.append(calls)
        source, target = (place.offset for place in self._arena.places())
        os.pwrite(self._arena.descriptor, os.pread(self._arena.descriptor, 16, source), target)
        inside, outside, cpu = self._says(calls)
        return Call(0, inside, outside, self.preempted, cpu)


@pytest.fixture
def arena() -> Iterator[Arena]:
    made = Arena(SPECS, PROTOCOL)
    made.resize(0)
    yield made
    made.close()


def take(
    arena: Arena, says: Callable[[int], tuple[int, int, int | None]], **changes: Any
) -> tuple[Slope | None, Made, list[Draw]]:
    made = Made(arena, says)
    slope, drawn = take_by(arena, made, **changes)
    return slope, made, drawn


def take_by(
    arena: Arena,
    made: Made,
    *,
    call_ns: float = 100_000,
    protocol: Protocol = PROTOCOL,
    python: bool = False,
    verdict: Callable[[Draw], GateResult] = lambda _: RIGHT,
) -> tuple[Slope | None, list[Draw]]:
    drawn: list[Draw] = []

    def set_inputs(draw: Draw) -> None:
        drawn.append(draw)
        arena.set_inputs({"x": np.full(4, len(drawn), np.float32)})

    def compare(draw: Draw, of_a: Mapping[str, Array], of_b: Mapping[str, Array]) -> GateResult:
        assert draw == drawn[-1]
        assert of_a["out"].tolist() == of_b["out"].tolist() == [len(drawn)] * 4
        return verdict(draw)

    slope = take_slope(
        cast(Runner, Made(arena, lambda n: (n, n, n))),
        cast(Runner, made),
        arena,
        call_ns=call_ns,
        python=python,
        block=8,
        protocol=protocol,
        set_inputs=set_inputs,
        compare=compare,
    )
    return slope, drawn


def test_an_honest_clock_holds_at_the_first_try(arena: Arena) -> None:
    slope, made, drawn = take(arena, lambda n: (n * 100_000, n * 101_000 + MS, n * 101_000 + 80_000))
    assert made.asked == [64, 128]
    assert drawn == [Draw(8)]
    assert slope == Slope(
        calls=64,
        outside_ns=(64 * 101_000 + MS, 128 * 101_000 + MS),
        inside_ns=(6_400_000, 12_800_000),
        cpu_ns=(64 * 101_000 + 80_000, 128 * 101_000 + 80_000),
    )


@pytest.mark.parametrize("known", [True, False])
def test_short_calls_that_hide_half_of_their_time_are_refused(arena: Arena, known: bool) -> None:
    """A tenth of a millisecond is far within what the check of single calls lets go."""

    def says(n: int) -> tuple[int, int, int | None]:
        return n * 50_000, n * 100_000 + MS, n * 100_000 + MS if known else None

    words = (
        r"128 calls in a row took 13\.8 ms by the kernel's count of processor time, of which the runner's "
        r"clock saw 6\.4 ms"
        if known
        else r"64 more calls in a row took 6\.4 ms by the judge's clock, of which the runner's clock saw 3\.2"
    )
    with pytest.raises(Misbehaved, match=words) as refused:
        take(arena, says)
    assert refused.value.side == "b"
    assert refused.value.violation.check == Check.SLOPE
    slope, _, _ = take(arena, says, protocol=replace(PROTOCOL, off=frozenset({Check.SLOPE})))
    assert slope is not None
    assert not holds(slope, PROTOCOL)


def test_a_request_that_came_back_late_is_no_evidence(arena: Arena) -> None:
    """Without a processor clock: three tries with a late second request, then one without."""
    late = iter([0, 40 * MS, 5 * MS, 30 * MS, 0, 20 * MS, 0, 0])

    def says(n: int) -> tuple[int, int, int | None]:
        return n * 100_000, n * 100_000 + MS + next(late), None

    slope, made, drawn = take(arena, says)
    assert drawn == [Draw(8, attempt) for attempt in range(4)]
    assert made.asked == [64, 128] * 4
    assert slope is not None
    assert slope.outside_ns == (64 * 100_000 + MS, 128 * 100_000 + MS)


def test_processor_time_is_asked_and_not_a_clock_that_load_delays(arena: Arena) -> None:
    slope, _, drawn = take(arena, lambda n: (n * 100_000, n * 900_000, n * 100_000))
    assert slope is not None
    assert len(drawn) == 1


def test_what_surrounds_tiny_calls_is_no_cheat(arena: Arena) -> None:
    take(arena, lambda n: (n * 40, n * 2_000, n * 2_000), call_ns=200)
    with pytest.raises(Misbehaved):
        take(arena, lambda n: (n * 40, n * 8_000, n * 8_000), call_ns=200)
    take(arena, lambda n: (n * 40, n * 80_000, n * 80_000), call_ns=200, python=True)


def test_a_wrong_output_in_a_row_is_refused_like_any(arena: Arena) -> None:
    bad = GateResult(Status.WRONG, "rel_rms", "it is off.")
    with pytest.raises(Misbehaved, match=r"In timed calls in a row: it is off\.") as refused:
        take(arena, lambda n: (n, n, n), verdict=lambda _: bad)
    assert refused.value.violation.check == "rel_rms"


@pytest.mark.parametrize(
    ("call_ns", "calls"),
    [(0.0, 64), (100_000, 64), (1 * MS, 15), (8 * MS, 1), (119 * MS, 1), (121 * MS, None)],
)
def test_so_many_calls_take_about_fifteen_milliseconds(call_ns: float, calls: int | None) -> None:
    assert calls_in_a_row(call_ns, PROTOCOL) == calls


def test_calls_that_are_too_long_are_not_taken_in_a_row(arena: Arena) -> None:
    slope, made, _ = take(arena, lambda n: (n, n, n), call_ns=500 * MS)
    assert slope is None
    assert made.asked == []


def test_without_a_processor_clock_the_share_is_of_the_difference() -> None:
    made = Slope(calls=10, outside_ns=(9 * MS, 19 * MS), inside_ns=(5 * MS, 13 * MS))
    assert holds(made, PROTOCOL)
    assert holds(made.model_copy(update={"inside_ns": (5 * MS, 13 * MS - 30_000)}), PROTOCOL)
    assert not holds(made.model_copy(update={"inside_ns": (5 * MS, 13 * MS - 31_000)}), PROTOCOL)


@pytest.mark.parametrize(("once", "twice", "fine"), [(0, 0, True), (1, 0, False), (0, 1, False)])
def test_by_processor_time_each_request_has_to_hold(once: int, twice: int, fine: bool) -> None:
    """10 calls of 1 ms, of which 0.9 is asked, less 3 µs a call and 0.3 ms a request."""
    inside = (9 * MS - 330_000 - once, 18 * MS - 360_000 - twice)
    made = Slope(calls=10, outside_ns=(MS, 2 * MS), inside_ns=inside, cpu_ns=(10 * MS, 20 * MS))
    assert holds(made, PROTOCOL) is fine


def test_where_the_core_is_taken_away_the_least_disturbed_requests_count(arena: Arena) -> None:
    """The time away is in the runner's clock, so that it may hide what is missing."""
    away = iter([(0, 0), (9 * MS, 2), (5 * MS, 1), (0, 0)])

    def says(n: int) -> tuple[int, int, int | None]:
        gone, preempted = next(away)
        made.preempted = preempted
        return n * 50_000 + gone, n * 100_000 + gone, n * 100_000

    made = Made(arena, says)
    with pytest.raises(Misbehaved, match=r"128 calls in a row took 12\.8 ms .* saw 6\.4 ms"):
        take_by(arena, made)
    assert made.asked == [64, 128] * 2
    quiet = Made(arena, lambda n: (n * 100_000 + 5 * MS, n * 900_000, n * 100_000))
    assert take_by(arena, quiet)[0] is not None  # an honest one that waited
    assert quiet.asked == [64, 128]


def test_a_fifth_of_every_call_is_not_let_go() -> None:
    """By processor time nothing lengthens what was charged, so more of it has to be seen."""
    hidden = Slope(
        calls=15,
        outside_ns=(15 * MS, 30 * MS),
        inside_ns=(12 * MS, 24 * MS),
        cpu_ns=(15 * MS, 30 * MS),
    )
    assert not holds(hidden, PROTOCOL)
    assert holds(hidden.model_copy(update={"cpu_ns": None}), PROTOCOL)
    # The largest excess of an honest kernel that was seen: 1.004 ms around five calls on a busy machine.
    honest = Slope(
        calls=5, outside_ns=(20 * MS, 40 * MS), inside_ns=(12_321_433, 26 * MS), cpu_ns=(13_325_353, 27 * MS)
    )
    assert holds(honest, PROTOCOL)


@pytest.mark.parametrize("call_ns", [1_000, 10_000, 100_000, 1 * MS, 4 * MS, 8 * MS, 119 * MS])
def test_what_is_let_go_is_what_the_page_says(call_ns: int) -> None:
    calls = calls_in_a_row(call_ns, PROTOCOL)
    assert calls is not None

    def made(hidden: float) -> Slope:
        times = [(count * call_ns, round(count * (call_ns - hidden))) for count in (calls, 2 * calls)]
        cpu, inside = zip(*times, strict=True)
        return Slope(calls=calls, outside_ns=cpu, inside_ns=inside, cpu_ns=cpu)

    let_go = unseen(call_ns, PROTOCOL)
    assert holds(made(let_go - 2), PROTOCOL)
    assert let_go == call_ns or not holds(made(let_go + 2), PROTOCOL)


def test_of_calls_too_long_for_a_row_all_may_go_unseen_here() -> None:
    assert unseen(121 * MS, PROTOCOL) == 121 * MS
    assert unseen(100_000, PROTOCOL) == pytest.approx(15_344, abs=1)
    assert unseen(MS, PROTOCOL) == pytest.approx(113_000, abs=1)
