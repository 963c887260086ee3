import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.arena import Arena, Violation
from harness.correctness.gate import GateResult
from harness.operator import Array, TensorSpec
from harness.protocol import Protocol
from harness.record.samples import Bound
from harness.runner import Call, Runner, RunnerDied
from harness.timing.samples import Draw, Misbehaved, Samples, compare_processor_time, measure
from harness.timing.timekeeper import too_fast
from harness.verdict import Status

SPECS = (TensorSpec("x", "input", "float32", (4,)), TensorSpec("out", "output", "float32", (4,)))
PROTOCOL = Protocol(warmup_ns=0)


class Scripted:
    """A runner that copies x to out and says of call n what `says(n)` gives: (ns, preempted)."""

    def __init__(
        self, arena: Arena, log: list[str], name: str, says: Callable[[int], tuple[int, int]]
    ) -> None:
        self._arena, self._log, self._name, self._says, self._calls = arena, log, name, says, 0
        self.workspace_wanted = self.more_slack_ns = 0
        self.hidden: Callable[[int], int] = lambda _: 500

    def run(self) -> Call:
        source, target = (place.offset for place in self._arena.places())
        os.pwrite(self._arena.descriptor, os.pread(self._arena.descriptor, 16, source), target)
        self._log.append(self._name)
        ns, preempted = self._says(self._calls)
        self._calls += 1
        return Call(0, ns, ns + 1000, preempted, ns + self.hidden(self._calls))


@pytest.fixture
def arena() -> Iterator[Arena]:
    made = Arena(SPECS, PROTOCOL)
    made.resize(0)
    yield made
    made.close()


def take(
    arena: Arena,
    a: Callable[[int], tuple[int, int]],
    b: Callable[[int], tuple[int, int]],
    *,
    blocks: int = 4,
    protocol: Protocol = PROTOCOL,
    verdict: Callable[[int], GateResult] = lambda _: GateResult(Status.CORRECT),
    hidden: Callable[[int], int] = lambda _: 500,
) -> tuple[Samples, list[str]]:
    log: list[str] = []
    pairs: list[tuple[list[float], list[float]]] = []

    drawn: list[Draw] = []

    def set_inputs(draw: Draw) -> None:
        assert draw not in drawn
        drawn.append(draw)
        log.append(str(draw.block) if not draw.attempt and not draw.half else "+" if draw.attempt else "|")
        arena.set_inputs({"x": np.full(4, len(drawn), np.float32)})

    def compare(draw: Draw, of_a: Mapping[str, Array], of_b: Mapping[str, Array]) -> GateResult:
        assert draw == drawn[-1]
        pairs.append((of_a["out"].tolist(), of_b["out"].tolist()))
        assert pairs[-1] == ([len(drawn)] * 4, [len(drawn)] * 4)
        return verdict(draw.block)

    scripted = [Scripted(arena, log, name, says) for name, says in (("A", a), ("B", b))]
    scripted[1].hidden = hidden
    samples = measure(
        *(cast(Runner, one) for one in scripted),
        arena,
        blocks=blocks,
        protocol=protocol,
        set_inputs=set_inputs,
        compare=compare,
    )
    return samples, log


def test_blocks_alternate_and_every_block_has_fresh_inputs(arena: Arena) -> None:
    samples, log = take(arena, lambda n: (200, 0), lambda n: (100, 0), blocks=3)
    assert "".join(log) == "-1ABAB0AB|BA1BA|AB2AB|BA"
    assert samples.order == ["ABBA", "BAAB", "ABBA"]
    assert samples.raw == {"a": [(200, 200)] * 3, "b": [(100, 100)] * 3}
    assert samples.outside_ns["a"] == [(1200, 1200)] * 3
    assert samples.checked_calls == 6
    assert samples.warmup_calls == {"a": 2, "b": 2}
    assert np.exp(samples.estimate(PROTOCOL).log) == pytest.approx(2.0)


def test_a_call_that_was_interrupted_is_taken_again_with_its_partner_on_new_inputs(arena: Arena) -> None:
    samples, log = take(
        arena, lambda n: (900, 1) if n == 2 else (200, 0), lambda n: (900, 2) if n == 3 else (100, 0)
    )
    assert samples.retaken == {"a": 2, "b": 2}
    assert samples.raw == {"a": [(200, 200)] * 4, "b": [(100, 100)] * 4}
    assert "".join(log).startswith("-1ABAB0AB+AB+AB|BA1")


def test_on_a_busy_machine_the_least_interrupted_try_counts_and_there_is_an_end(arena: Arena) -> None:
    protocol = replace(PROTOCOL, tries=3, retakes_per_call=0.5)
    samples, _ = take(
        arena, lambda n: (1000 * (1 + n % 3), 1 + n % 3), lambda n: (100, 0), blocks=8, protocol=protocol
    )
    assert samples.retaken == {"a": 8, "b": 8}
    assert samples.raw["a"][0][0] == 1000


def test_a_wrong_output_in_a_timed_block_ends_it_with_evidence(arena: Arena) -> None:
    bad = GateResult(Status.WRONG, "row_rms", "check row_rms: row 3 is off.")
    with pytest.raises(Misbehaved, match=r"In a timed call: check row_rms: row 3 is off\.") as what:
        take(
            arena,
            lambda n: (1, 0),
            lambda n: (1, 0),
            verdict=lambda b: bad if b == 2 else GateResult(Status.CORRECT),
        )
    assert (what.value.side, what.value.violation.check) == ("b", "row_rms")


def test_a_death_is_blamed_on_its_side(arena: Arena) -> None:
    def dies(n: int) -> tuple[int, int]:
        if n == 4:
            raise RunnerDied(Violation(Status.CRASH, "process_alive", "It died."))
        return 100, 0

    with pytest.raises(Misbehaved, match=r"It died") as what:
        take(arena, dies, lambda n: (100, 0))
    assert what.value.side == "a"


def test_hidden_processor_time_is_taken_again_and_ends_a_side_that_goes_on(arena: Arena) -> None:
    """Single calls may be the machine's doing and are taken again; where most stay so, it is refused."""
    samples, _ = take_hiding(arena, lambda n: 900_000 if n == 4 else 500)
    assert samples.retaken == {"a": 1, "b": 1}
    assert samples.raw["b"] == [(100, 100)] * 8
    samples, _ = take_hiding(arena, lambda n: 900_000 if n % 2 else 500)
    assert all(b < 900_000 for pair in samples.cpu_ns["b"] for b in pair)
    with pytest.raises(Misbehaved, match=r"the runner's clock missed 0\.8\d* ms more") as what:
        take_hiding(arena, lambda n: 900_000)
    assert (what.value.side, what.value.violation.check) == ("b", "clock")


def clocked(missed_a: list[int], missed_b: list[int]) -> Samples:
    """Calls of 1 ms by the runner's clock, and what the processor's saw more of each."""
    raw = [(1_000_000, 1_000_000)] * (len(missed_a) // 2)

    def cpu(missed: list[int]) -> list[tuple[int, int]]:
        return [(1_000_000 + x, 1_000_000 + y) for x, y in zip(missed[::2], missed[1::2], strict=True)]

    return Samples(
        ["ABBA"] * len(raw), raw={"a": raw, "b": raw}, cpu_ns={"a": cpu(missed_a), "b": cpu(missed_b)}
    )


LEAST = round((300_000 + 0.05 * 1_000_000) / 0.95)
"""The least that is too much beside a baseline of which nothing is missed."""


@pytest.mark.parametrize(
    ("missed_a", "missed_b", "refused"),
    [
        ([0] * 16, [LEAST - 10] * 16, False),
        ([0] * 16, [LEAST + 10] * 16, True),
        ([0] * 16, [5_000_000] * 7 + [0] * 9, False),  # fewer than half
        ([0] * 16, [5_000_000] * 9 + [0] * 7, True),
        ([700_000] * 16, [700_000] * 16, False),  # a busy machine charges both
        ([700_000] * 16, [1_500_000] * 16, True),
        ([-50_000] * 16, [LEAST - 10] * 16, False),
    ],
)
def test_most_calls_are_held_to_the_baselines(
    missed_a: list[int], missed_b: list[int], refused: bool
) -> None:
    samples = clocked(missed_a, missed_b)
    if not refused:
        compare_processor_time(samples, PROTOCOL)
        return
    with pytest.raises(Misbehaved, match=r"^Calls used [\d.]+ ms of processor time, of which .* limit"):
        compare_processor_time(samples, PROTOCOL)


def test_across_launchers_the_baselines_calls_excuse_nothing_but_a_python_worker_has_its_own_slack() -> None:
    samples = clocked([900_000] * 16, [900_000] * 16)
    compare_processor_time(samples, PROTOCOL)
    samples.cross_runner = True
    with pytest.raises(Misbehaved):
        compare_processor_time(samples, PROTOCOL)
    samples.more_slack_ns = 700_000
    compare_processor_time(samples, PROTOCOL)


def take_hiding(arena: Arena, hidden: Callable[[int], int]) -> tuple[Samples, list[str]]:
    return take(arena, lambda n: (200, 0), lambda n: (100, 0), blocks=8, hidden=hidden)


def test_a_ratio_that_only_the_runners_clock_shows_is_not_the_witnesss(arena: Arena) -> None:
    samples, _ = take_hiding(arena, lambda n: 600)
    assert np.exp(samples.estimate(PROTOCOL).log) == pytest.approx(2.0)
    assert np.exp(samples.witness(PROTOCOL).high) <= 1.0


FLOOR_NS = 100_000
FLOOR_AT = Bound(bytes=1, operations=1, memory_ns=FLOOR_NS, compute_ns=1.0, floor_ns=FLOOR_NS)


def asked(a_ns: int, b_ns: int, *, cost_a: int, cost_b: int, known: bool = True) -> Samples:
    """Calls of so long by their runners' clocks, and what the processor's (else the judge's) saw beside."""
    raw = {"a": [(a_ns, a_ns)] * 4, "b": [(b_ns, b_ns)] * 4}
    seen = {
        side: [(ns + cost, ns + cost)] * 4 for side, ns, cost in (("a", a_ns, cost_a), ("b", b_ns, cost_b))
    }
    none = {"a": [(0, 0)] * 4, "b": [(0, 0)] * 4}
    return Samples(
        ["ABBA"] * 4,
        raw=raw,  # type: ignore[arg-type]
        outside_ns=seen,  # type: ignore[arg-type]
        cpu_ns=seen if known else none,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("b_ns", "cost_b", "words"),
    [
        (200, 150_000, "A call took 0.0002 ms"),  # does nothing: what it costs to be asked is above the floor
        (200, 190_000, "A call took 0.0402 ms"),  # and here a little more than the baseline's
        (94_000, 120_000, "A call took 0.094 ms"),
        (200, 260_000, ""),  # a clock that hides 0.11 ms: it took that long
        (95_000, 150_000, ""),
        (95_000, 0, ""),  # a true clock is believed, whatever was taken of the other
    ],
)
def test_what_it_costs_to_be_asked_is_no_part_of_a_call(
    known: bool, b_ns: int, cost_b: int, words: str
) -> None:
    samples = asked(2_000_000, b_ns, cost_a=150_000, cost_b=cost_b, known=known)
    said = too_fast(samples, FLOOR_AT, PROTOCOL)
    assert said.startswith(words) if words else said == ""
    assert too_fast(samples, FLOOR_AT, PROTOCOL, side="a") == ""
    assert samples.slower_ns("b") >= samples.median_ns("b")


def test_across_launchers_nobody_says_what_it_costs_to_be_asked() -> None:
    samples = asked(2_000_000, 200, cost_a=150_000, cost_b=150_000)
    samples.cross_runner = True
    assert too_fast(samples, FLOOR_AT, PROTOCOL) == ""
    far = FLOOR_AT.model_copy(update={"floor_ns": 160_000.0, "memory_ns": 160_000.0})
    assert too_fast(samples, far, PROTOCOL).startswith("A call took 0.1502 ms, but to move 1 bytes takes")
    assert samples.slower_ns("a") == 2_000_000


@given(
    st.lists(st.tuples(st.integers(95_000, 10**7), st.integers(95_000, 10**7)), min_size=4, max_size=12),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_a_kernel_whose_clock_is_true_and_that_the_machine_can_is_never_refused(
    calls: list[tuple[int, int]], cost_a: int, cost_b: int, across: bool
) -> None:
    samples = Samples(
        ["ABBA"] * len(calls),
        raw={"a": calls, "b": calls},
        cpu_ns={
            "a": [(x + cost_a, y + cost_a) for x, y in calls],
            "b": [(x + cost_b, y + cost_b) for x, y in calls],
        },
        cross_runner=across,
    )
    assert too_fast(samples, FLOOR_AT, PROTOCOL) == ""
