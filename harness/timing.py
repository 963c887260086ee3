"""Takes the samples: A B B A blocks in which every timed call is a checked call.

A is the baseline, B the candidate or the baseline's twin. All four calls of a block get the same inputs,
which no call before has seen. Everything but the call itself is off the clock.
"""

import math
import statistics as plain
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from harness.arena import Arena, Violation
from harness.calls import Checked, checked_call
from harness.gate import GateResult
from harness.operator import Array
from harness.protocol import Protocol
from harness.record import Pair
from harness.runner import Runner, RunnerDied
from harness.statistics import Estimate, block_log_ratios, estimate
from harness.verdict import Status

MAX_WARMUP_CALLS = 200
Side = Literal["a", "b"]
Order = Literal["ABBA", "BAAB"]
Outputs = Mapping[str, Array]
BOTH: tuple[Side, ...] = ("a", "b")
ORDERS: dict[Order, tuple[Side, ...]] = {"ABBA": ("a", "b", "b", "a"), "BAAB": ("b", "a", "a", "b")}


class Misbehaved(Exception):  # noqa: N818 - an outcome, not a defect
    """A side did in a timed call what it may not; the samples so far are worth nothing."""

    def __init__(self, side: Side, violation: Violation) -> None:
        super().__init__(violation.evidence)
        self.side: Side = side
        self.violation = violation


@dataclass
class Samples:
    """Raw times in ns, a pair a block and side, on the runner's clock and on the judge's."""

    order: list[Order] = field(default_factory=list)
    raw: dict[Side, list[Pair]] = field(default_factory=lambda: {"a": [], "b": []})
    outside: dict[Side, list[Pair]] = field(default_factory=lambda: {"a": [], "b": []})
    warmup_calls: dict[Side, int] = field(default_factory=lambda: {"a": 0, "b": 0})
    retaken: dict[Side, int] = field(default_factory=lambda: {"a": 0, "b": 0})
    checked_calls: int = 0

    def estimate(self, protocol: Protocol) -> Estimate:
        """The log ratio of A over B."""
        return estimate(block_log_ratios(self.raw["a"], self.raw["b"]), protocol.confidence)

    def median_ns(self, side: Side) -> float:
        """The median call of a side."""
        return float(plain.median(ns for pair in self.raw[side] for ns in pair))

    def unseen_ns(self, side: Side) -> list[int]:
        """What the judge's clock saw of each call and the runner's did not, ascending."""
        pairs = zip(self.outside[side], self.raw[side], strict=True)
        return sorted(o - r for outside, raw in pairs for o, r in zip(outside, raw, strict=True))


def measure(
    a: Runner,
    b: Runner,
    arena: Arena,
    *,
    blocks: int,
    protocol: Protocol,
    set_inputs: Callable[[int], None],
    compare: Callable[[int, Outputs, Outputs], GateResult],
) -> Samples:
    """Warm both sides up and take the samples.

    `set_inputs(i)` gives the arena the inputs of block i (−1: warm-up). `compare(i, of_a, of_b)` holds an
    output of B's against A's of the same block. Raises `Misbehaved`.
    """
    samples = Samples()
    budget = 4 * blocks * protocol.retakes_per_call
    sides: dict[Side, Runner] = {"a": a, "b": b}
    set_inputs(-1)
    for side in (*BOTH, *BOTH):
        _warm(side, sides[side], arena, samples, protocol)
    for block in range(blocks):
        order: Order = "BAAB" if block % 2 else "ABBA"
        set_inputs(block)
        calls: dict[Side, list[Checked]] = {"a": [], "b": []}
        for side in ORDERS[order]:
            calls[side].append(_undisturbed(side, sides[side], arena, samples, protocol, budget))
        for call in calls["b"]:
            result = compare(block, calls["a"][0].outputs, call.outputs)
            samples.checked_calls += 1
            if not result.passed:
                words = f"In a timed call: {result.evidence}"
                raise Misbehaved("b", Violation(result.status, result.check, words))
        samples.order.append(order)
        for side in BOTH:
            first, second = calls[side]
            samples.raw[side].append((first.ns, second.ns))
            samples.outside[side].append((first.outside_ns, second.outside_ns))
    compare_clocks(samples, protocol)
    return samples


def block_fields(samples: Samples, found: Estimate) -> dict[str, Any]:
    """What every comparison in a record has (`BlockSamples`)."""
    return {
        "order": tuple(samples.order),
        "raw_ns_a": tuple(samples.raw["a"]),
        "raw_ns_b": tuple(samples.raw["b"]),
        "outside_ns_a": tuple(samples.outside["a"]),
        "outside_ns_b": tuple(samples.outside["b"]),
        "block_log_ratio": tuple(block_log_ratios(samples.raw["a"], samples.raw["b"])),
        "ratio": math.exp(found.log),
        "low": math.exp(found.low),
        "high": math.exp(found.high),
        "confidence": found.confidence,
        "retaken": (samples.retaken["a"], samples.retaken["b"]),
    }


def _warm(side: Side, runner: Runner, arena: Arena, samples: Samples, protocol: Protocol) -> None:
    """Half of a side's warm-up; the sides take turns so that neither starts colder."""
    calls, spent = 0, 0
    while calls < -(-protocol.warmup_calls // 2) or spent < protocol.warmup_ns // 2:
        spent += _call(side, runner, arena).ns
        calls += 1
        if calls >= MAX_WARMUP_CALLS:
            break
    samples.warmup_calls[side] += calls


def _undisturbed(
    side: Side, runner: Runner, arena: Arena, samples: Samples, protocol: Protocol, budget: float
) -> Checked:
    """A timed call, taken again where another process had the core in the middle of it."""
    best = _call(side, runner, arena)
    for _ in range(protocol.tries - 1):
        if not best.preempted or sum(samples.retaken.values()) >= budget:
            break
        samples.retaken[side] += 1
        again = _call(side, runner, arena)
        best = again if again.preempted <= best.preempted else best
    return best


def _call(side: Side, runner: Runner, arena: Arena) -> Checked:
    try:
        call = checked_call(runner, arena)
    except RunnerDied as died:
        raise Misbehaved(side, died.violation) from died
    if call.violation is not None:
        violation = call.violation
        if violation.status is Status.UNSUPPORTED:
            violation = Violation(Status.WRONG, "status", "ks_run returned KS_UNSUPPORTED in a timed call.")
        raise Misbehaved(side, violation)
    return call


def compare_clocks(samples: Samples, protocol: Protocol) -> None:
    """Raise `Misbehaved` where the runner's clock misses time: it lives in the candidate's process.

    A busy machine delays some wake-ups of either side, so the candidate is held to its lower quartile and
    the baseline to its median: only time that goes missing in most calls is called missing.
    """
    outside = plain.median(ns for pair in samples.outside["b"] for ns in pair)
    theirs = samples.unseen_ns("b")
    unseen = theirs[len(theirs) // 4] - plain.median(samples.unseen_ns("a"))
    slack = max(protocol.clock_slack_ns, protocol.clock_slack_share * outside)
    if unseen > slack:
        words = (
            f"Calls took {outside / 1e6:.3g} ms by the judge's clock, of which the runner's clock missed "
            f"{unseen / 1e6:.3g} ms more than for the baseline, limit {slack / 1e6:.3g} ms."
        )
        raise Misbehaved("b", Violation(Status.WRONG, "clock", words))
