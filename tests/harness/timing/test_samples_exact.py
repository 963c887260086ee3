"""Boundaries and sentences of the clocks' checks, and what a record is given of the samples."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from harness.arena import Arena
from harness.checks import Check
from harness.correctness.gate import GateResult
from harness.operator import Array, TensorSpec
from harness.protocol import Protocol
from harness.runner import Call, Runner
from harness.timing.samples import (
    Draw,
    Misbehaved,
    Samples,
    block_fields,
    compare_clocks,
    compare_processor_time,
    measure,
    timed_call,
)
from harness.timing.statistics import block_log_ratios, estimate, witness_log_ratios
from harness.verdict import Status

PROTOCOL = Protocol()
SPECS = (TensorSpec("x", "input", "float32", (1,)), TensorSpec("out", "output", "float32", (1,)))
RATIOS = (2.0, 1.5, 3.0, 1.8, 2.2, 2.4, 1.1, 2.6)


def samples_of(*, cpu: bool = True, across: bool = False) -> Samples:
    """Eight blocks whose three clocks say different things."""
    a = [(round(1_000_000 * ratio), round(1_100_000 * ratio)) for ratio in RATIOS]
    b = [(1_000_000, 1_050_000 + 1000 * at) for at in range(len(RATIOS))]

    def later(pairs: list[tuple[int, int]], by: int) -> list[tuple[int, int]]:
        return [(x + by, y + by) for x, y in pairs]

    none = [(0, 0)] * len(RATIOS)
    return Samples(
        ["ABBA"] * len(RATIOS),
        raw={"a": a, "b": b},
        outside_ns={"a": later(a, 70_000), "b": later(b, 90_000)},
        cpu_ns={"a": later(a, 20_000), "b": later(b, 50_000)} if cpu else {"a": none, "b": none},
        retaken={"a": 3, "b": 5},
        cross_runner=across,
    )


@pytest.mark.parametrize("cpu", [True, False])
@pytest.mark.parametrize("across", [True, False])
def test_what_a_record_is_given(cpu: bool, across: bool) -> None:
    samples = samples_of(cpu=cpu, across=across)
    protocol = replace(PROTOCOL, confidence=0.8)
    seen = samples.cpu_ns if cpu else samples.outside_ns
    logs = block_log_ratios(samples.raw["a"], samples.raw["b"])
    found = estimate(logs, 0.8)
    witness = estimate(witness_log_ratios(samples.raw["a"], seen["a"], seen["b"], across=across), 0.8)
    assert samples.estimate(protocol) == found != samples.estimate(PROTOCOL)
    assert samples.witness(protocol) == witness != samples.witness(PROTOCOL)
    assert block_fields(samples, protocol) == {
        "order": ("ABBA",) * 8,
        "raw_ns_a": tuple(samples.raw["a"]),
        "raw_ns_b": tuple(samples.raw["b"]),
        "outside_ns_a": tuple(samples.outside_ns["a"]),
        "outside_ns_b": tuple(samples.outside_ns["b"]),
        "block_log_ratio": tuple(logs),
        "ratio": math.exp(found.log),
        "low": math.exp(found.low),
        "high": math.exp(found.high),
        "confidence": found.confidence,
        "cpu_ns_a": tuple(samples.cpu_ns["a"]) if cpu else (),
        "cpu_ns_b": tuple(samples.cpu_ns["b"]) if cpu else (),
        "witness_ratio": math.exp(witness.log),
        "witness_low": math.exp(witness.low),
        "witness_high": math.exp(witness.high),
        "retaken": (3, 5),
    }


def calls(a: int, b: int, around_a: int, around_b: int, *, cpu: bool, more: int = 0) -> Samples:
    """Four blocks of calls of so long and what another clock saw around them."""
    seen = {"a": [(a + around_a,) * 2] * 4, "b": [(b + around_b,) * 2] * 4}
    none = {"a": [(0, 0)] * 4, "b": [(0, 0)] * 4}
    made = Samples(["ABBA"] * 4, raw={"a": [(a, a)] * 4, "b": [(b, b)] * 4}, more_slack_ns=more)
    made.outside_ns, made.cpu_ns = (none, seen) if cpu else (seen, none)  # type: ignore[assignment]
    return made


def refused(check: Callable[[Samples, Protocol], None], samples: Samples) -> str:
    """What a check says of B; "" where it lets it be."""
    try:
        check(samples, PROTOCOL)
    except Misbehaved as what:
        said = what
    else:
        return ""
    assert (said.side, said.violation.status, said.violation.check) == ("b", Status.WRONG, Check.CLOCK)
    return said.violation.evidence


def test_the_processors_clock_may_miss_its_slack_and_no_more() -> None:
    """0.3 ms, a twentieth of the call, and what the baseline misses."""
    used = 2_000_000
    slack = 300_000 + used // 20

    def hidden(by: int, *, around: int = 0, more: int = 0, across: bool = False) -> str:
        samples = calls(10**6, used - by, around, by, cpu=True, more=more)
        samples.cross_runner = across
        return refused(compare_processor_time, samples)

    assert hidden(slack) == ""
    assert hidden(slack + 1) == (
        "Calls used 2 ms of processor time, of which the runner's clock missed 0.4 ms more than for the "
        "baseline, limit 0.4 ms."
    )
    assert hidden(slack + 50_000, around=50_000) == ""
    assert hidden(slack + 50_001, around=50_000)
    assert hidden(slack + 50_000, around=50_000, across=True)
    assert hidden(slack, across=True) == ""
    assert hidden(slack + 1, across=True)
    assert hidden(slack, around=-7) == ""
    assert hidden(slack + 1, around=-7)
    assert hidden(slack + 700, more=700) == ""
    assert hidden(slack + 701, more=700)


def test_the_judges_clock_may_miss_its_slack_and_no_more() -> None:
    """0.3 ms or a fifth of the call, whichever is more, beyond what the baseline misses."""

    def hidden(took: int, by: int, around: int = 0) -> str:
        return refused(compare_clocks, calls(10**6, took - by, around, by, cpu=False))

    assert hidden(1_000_000, 300_000) == ""
    assert hidden(1_000_000, 300_001)
    assert hidden(4_000_000, 800_000) == ""
    assert hidden(4_000_000, 850_000) == (
        "Calls took 4 ms by the judge's clock, of which the runner's clock missed 0.85 ms more than for the "
        "baseline, limit 0.8 ms."
    )
    assert hidden(1_000_000, 340_000, around=40_000) == ""
    assert hidden(1_000_000, 340_001, around=40_000)


def test_the_judges_clock_goes_by_the_lower_quartile() -> None:
    samples = calls(10**6, 10**6, 0, 0, cpu=False)
    late = (10**6 + 400_000,) * 2
    samples.outside_ns["b"] = [(10**6, 10**6), late, late, late]
    assert refused(compare_clocks, samples)  # of eight the third
    samples.outside_ns["b"] = [(10**6, 10**6), (10**6, 10**6 + 400_000), late, late]
    assert refused(compare_clocks, samples) == ""


class Said:
    """A runner that gives back the calls it was told, one after another, the last for ever."""

    def __init__(self, *told: Call) -> None:
        self._told, self.asked = list(told), 0
        self.workspace_wanted = self.more_slack_ns = 0
        self.protocol = PROTOCOL

    def run_many(self, calls: int) -> Call:
        return replace(self.run(), ns=100 * calls)

    def run(self) -> Call:
        self.asked += 1
        return self._told.pop(0) if len(self._told) > 1 else self._told[0]


@pytest.fixture
def arena() -> Iterator[Arena]:
    made = Arena(SPECS, PROTOCOL)
    made.resize(0)
    made.set_inputs({"x": np.ones(1, np.float32)})
    yield made
    made.close()


def take(
    arena: Arena,
    a: Said,
    b: Said,
    protocol: Protocol,
    verdict: GateResult | None = None,
    *,
    blocks: int = 2,
    across: bool = False,
) -> Samples:
    def compare(draw: Draw, of_a: Mapping[str, Array], of_b: Mapping[str, Array]) -> GateResult:
        return verdict or GateResult(Status.CORRECT)

    return measure(
        cast(Runner, a),
        cast(Runner, b),
        arena,
        blocks=blocks,
        protocol=protocol,
        set_inputs=lambda draw: None,
        compare=compare,
        across=across,
    )


QUICK = replace(PROTOCOL, warmup_ns=0)
TRUE = Call(0, 1000, 2000, 0, 1500)


def test_unsupported_in_a_timed_call_is_wrong_and_names_its_side(arena: Arena) -> None:
    said = cast(Runner, Said(Call(1, 100, 200, 0, 150)))
    with pytest.raises(Misbehaved, match=r"^ks_run returned KS_UNSUPPORTED in a timed call\.$") as what:
        timed_call("b", said, arena, PROTOCOL)
    violation = what.value.violation
    assert (what.value.side, violation.status, violation.check) == ("b", Status.WRONG, Check.STATUS)
    off = replace(PROTOCOL, off=frozenset({Check.STATUS}))
    assert timed_call("b", said, arena, off).ns == 100
    with pytest.raises(Misbehaved) as what:
        timed_call("a", cast(Runner, Said(Call(7, 100, 200, 0, 150))), arena, off)
    assert what.value.side == "a"
    assert "7" in what.value.violation.evidence


@pytest.mark.parametrize("before", [0, 2])
def test_unsupported_in_the_warm_up_and_in_a_block(arena: Arena, before: int) -> None:
    unsupported = Call(1, 100, 200, 0, 150)
    with pytest.raises(Misbehaved, match="KS_UNSUPPORTED") as what:
        take(arena, Said(TRUE), Said(*[TRUE] * before, unsupported), QUICK)
    assert what.value.side == "b"


def test_calls_in_a_row_are_one_request(arena: Arena) -> None:
    assert timed_call("b", cast(Runner, Said(TRUE)), arena, PROTOCOL, in_a_row=7).ns == 700
    assert timed_call("b", cast(Runner, Said(TRUE)), arena, PROTOCOL).ns == 1000


def test_a_runner_that_uses_more_beside_a_call_is_let(arena: Arena) -> None:
    b = Said(*[TRUE] * 2, *[unclear(400_000 + 5000)] * 4, TRUE)
    b.more_slack_ns = 5000
    samples = take(arena, Said(TRUE), b, QUICK)
    assert (samples.retaken["b"], samples.more_slack_ns) == (0, 5000)


def test_without_processor_time_the_judges_clock_is_asked_unless_the_check_is_off(arena: Arena) -> None:
    slow = Call(0, 1000, 1_000_000, 0, None)
    with pytest.raises(Misbehaved, match="by the judge's clock"):
        take(arena, Said(Call(0, 1000, 2000, 0, None)), Said(slow), QUICK)
    off = replace(QUICK, off=frozenset({Check.CLOCK}))
    samples = take(arena, Said(Call(0, 1000, 2000, 0, None)), Said(slow), off)
    assert samples.cpu_ns == {"a": [(0, 0)] * 2, "b": [(0, 0)] * 2}
    assert not samples.has_cpu


def test_a_wrong_output_is_passed_on_as_it_is(arena: Arena) -> None:
    with pytest.raises(Misbehaved) as what:
        take(arena, Said(TRUE), Said(TRUE), QUICK, GateResult(Status.NAN, "finite", "It is NaN."))
    violation = what.value.violation
    assert (what.value.side, violation.status, violation.check) == ("b", Status.NAN, "finite")
    assert violation.evidence == "In a timed call: It is NaN."


def test_samples_say_whether_they_are_across_launchers(arena: Arena) -> None:
    for across in (True, False):
        assert take(arena, Said(TRUE), Said(TRUE), QUICK, across=across).cross_runner is across


def unclear(by: int) -> Call:
    """A call that used 2 ms of processor time, of which its clock missed so much."""
    return Call(0, 2_000_000 - by, 3_000_000, 0, 2_000_000)


@pytest.mark.parametrize(("by", "again"), [(400_000, 0), (400_001, 3)])
def test_a_call_is_unclear_past_its_slack(arena: Arena, by: int, again: int) -> None:
    """Tried four times, so taken again three times, and the last one counts."""
    b = Said(*[TRUE] * 2, *[unclear(by)] * 4, TRUE)
    samples = take(arena, Said(TRUE), b, QUICK)
    assert samples.retaken == {"a": again, "b": again}
    assert samples.raw["b"][0][0] == 2_000_000 - by
    off = replace(QUICK, off=frozenset({Check.CLOCK}))
    assert take(arena, Said(TRUE), Said(*[TRUE] * 2, *[unclear(by)] * 4, TRUE), off).retaken["b"] == 0


def test_the_first_of_tries_that_are_alike_counts(arena: Arena) -> None:
    told = [Call(0, ns, ns + 1000, 1, ns + 500) for ns in (500, 600, 700, 800)]
    samples = take(arena, Said(TRUE), Said(*[TRUE] * 2, *told, TRUE), QUICK)
    assert samples.raw["b"][0] == (500, 1000)
    assert samples.checked_calls == 7


@pytest.mark.parametrize(
    ("calls_wanted", "ns", "each", "made"),
    [(2, 0, 10, 2), (3, 0, 10, 4), (5, 0, 10, 6), (0, 1000, 250, 4), (0, 1001, 250, 4), (0, 1002, 250, 6)],
)
def test_each_half_of_a_warm_up_has_half_of_the_calls_and_of_the_time(
    arena: Arena, calls_wanted: int, ns: int, each: int, made: int
) -> None:
    protocol = replace(PROTOCOL, warmup_calls=calls_wanted, warmup_ns=ns)
    told = Call(0, each, each, 0, each)
    samples = take(arena, Said(told), Said(told), protocol, blocks=1)
    assert samples.warmup_calls == {"a": made, "b": made}


def test_a_warm_up_ends_after_two_hundred_calls_a_half(arena: Arena) -> None:
    samples = take(arena, Said(TRUE), Said(TRUE), replace(PROTOCOL, warmup_ns=10**12), blocks=1)
    assert samples.warmup_calls == {"a": 400, "b": 400}
