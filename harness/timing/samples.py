"""Takes the samples: A B B A blocks in which every timed call is a checked call.

A is the baseline, B the candidate or the baseline's twin. The first calls of A and B in a block share
inputs, and so do the second; no side ever sees an input twice, for a pair that is taken again draws new
ones. Everything but the call itself is off the clock.
"""

import math
import statistics as plain
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from harness.arena import Arena, Violation
from harness.checks import Check
from harness.correctness.calls import Checked, checked_call
from harness.correctness.gate import GateResult
from harness.operator import Array
from harness.protocol import Protocol
from harness.record.parts import Pair
from harness.record.samples import Slope
from harness.runner import Runner, RunnerDied
from harness.timing.statistics import (
    Estimate,
    block_log_ratios,
    estimate,
    less,
    overhead,
    too_short,
    witness_log_ratios,
)
from harness.verdict import Status

MAX_WARMUP_CALLS = 200
Side = Literal["a", "b"]
Order = Literal["ABBA", "BAAB"]
Outputs = Mapping[str, Array]
BOTH: tuple[Side, ...] = ("a", "b")
ORDERS: dict[Order, tuple[Side, ...]] = {"ABBA": ("a", "b", "b", "a"), "BAAB": ("b", "a", "a", "b")}


@dataclass(frozen=True, slots=True)
class Draw:
    """Which inputs: of which block (−1: the warm-up), at which try, for the first or second calls (0, 1)."""

    block: int
    attempt: int = 0
    half: int = 0


class Misbehaved(Exception):  # noqa: N818 - an outcome, not a defect
    """A side did in a timed call what it may not; the samples so far are worth nothing."""

    def __init__(self, side: Side, violation: Violation) -> None:
        super().__init__(violation.evidence)
        self.side: Side = side
        self.violation = violation


@dataclass
class Samples:
    """Raw times in ns, a pair a block and side: on the runner's clock, on the judge's, and the processor time
    the kernel charged (0 where it did not say)."""

    order: list[Order] = field(default_factory=list)
    raw: dict[Side, list[Pair]] = field(default_factory=lambda: {"a": [], "b": []})
    outside_ns: dict[Side, list[Pair]] = field(default_factory=lambda: {"a": [], "b": []})
    cpu_ns: dict[Side, list[Pair]] = field(default_factory=lambda: {"a": [], "b": []})
    warmup_calls: dict[Side, int] = field(default_factory=lambda: {"a": 0, "b": 0})
    retaken: dict[Side, int] = field(default_factory=lambda: {"a": 0, "b": 0})
    checked_calls: int = 0
    more_slack_ns: int = 0
    cross_runner: bool = False
    slope: Slope | None = None

    def estimate(self, protocol: Protocol) -> Estimate:
        """The log ratio of A over B."""
        return estimate(block_log_ratios(self.raw["a"], self.raw["b"]), protocol.confidence)

    def witness(self, protocol: Protocol) -> Estimate:
        """The same by the clock that no candidate reaches: processor time where it is known of every call,
        else the judge's clock, which a busy machine makes wide."""
        seen = self.cpu_ns if self.has_cpu else self.outside_ns
        logs = witness_log_ratios(self.raw["a"], seen["a"], seen["b"], across=self.cross_runner)
        return estimate(logs, protocol.confidence)

    @property
    def comparable(self) -> bool:
        """Whether the witness measures what the runner's clock does: not across launchers, nor of calls that
        are shorter than what is around them."""
        seen = self.cpu_ns if self.has_cpu else self.outside_ns
        return not self.cross_runner and not too_short(self.raw["a"], seen["a"], seen["b"])

    def slower_ns(self, side: Side) -> float:
        """The median call of a side by the slower of its runner's clock and the witness.

        The witness without what it costs to be asked, as in a ratio by it (`statistics.overhead`); across
        launchers nobody true says what that is for B, so there B's calls count with it. Never less than
        `median_ns`, so a true clock is believed.
        """
        seen = self.cpu_ns if self.has_cpu else self.outside_ns
        of_a, of_b = overhead(self.raw["a"], seen["a"], across=self.cross_runner)
        net = less(seen[side], of_a if side == "a" else of_b)
        return max(self.median_ns(side), float(plain.median(ns for pair in net for ns in pair)))

    @property
    def has_cpu(self) -> bool:
        """Whether the processor time of every call is known."""
        return all(ns > 0 for side in BOTH for pair in self.cpu_ns[side] for ns in pair)

    def median_ns(self, side: Side) -> float:
        """The median call of a side."""
        return float(plain.median(ns for pair in self.raw[side] for ns in pair))

    def unseen_ns(self, side: Side) -> list[int]:
        """What the judge's clock saw of each call and the runner's did not, ascending."""
        pairs = zip(self.outside_ns[side], self.raw[side], strict=True)
        return sorted(o - r for outside, raw in pairs for o, r in zip(outside, raw, strict=True))


def measure(
    a: Runner,
    b: Runner,
    arena: Arena,
    *,
    blocks: int,
    protocol: Protocol,
    set_inputs: Callable[[Draw], None],
    compare: Callable[[Draw, Outputs, Outputs], GateResult],
    across: bool = False,
) -> Samples:
    """Warm both sides up and take the samples.

    `set_inputs` gives the arena the inputs of a draw, `compare(draw, of_a, of_b)` holds an output of B's
    against A's on the same inputs. `across`: the sides have different launchers. Raises `Misbehaved`.
    """
    samples = Samples(cross_runner=across)
    budget = 4 * blocks * protocol.retakes_per_call
    sides: dict[Side, Runner] = {"a": a, "b": b}
    set_inputs(Draw(-1))
    for side in (*BOTH, *BOTH):
        _warm(side, sides[side], arena, samples, protocol)
    for block in range(blocks):
        order: Order = "BAAB" if block % 2 else "ABBA"
        calls: dict[Side, list[Checked]] = {"a": [], "b": []}
        for half in (0, 1):
            turns = ORDERS[order][2 * half : 2 * half + 2]
            pair = _undisturbed(
                turns, sides, arena, samples, protocol, budget, (block, half), set_inputs, compare
            )
            for side in BOTH:
                calls[side].append(pair[side])
        samples.order.append(order)
        for side in BOTH:
            first, second = calls[side]
            samples.raw[side].append((first.ns, second.ns))
            samples.outside_ns[side].append((first.outside_ns, second.outside_ns))
            samples.cpu_ns[side].append((first.cpu_ns or 0, second.cpu_ns or 0))
    if protocol.on(Check.CLOCK):
        if samples.has_cpu:
            compare_processor_time(samples, protocol)
        else:
            compare_clocks(samples, protocol)
    return samples


def _undisturbed(
    turns: Sequence[Side],
    sides: Mapping[Side, Runner],
    arena: Arena,
    samples: Samples,
    protocol: Protocol,
    budget: float,
    place: tuple[int, int],
    set_inputs: Callable[[Draw], None],
    compare: Callable[[Draw, Outputs, Outputs], GateResult],
) -> dict[Side, Checked]:
    """A call of each side on the same new inputs; both again on others where one was disturbed.

    Outputs of tries that do not count are checked as well.
    """
    block, half = place
    best: dict[Side, Checked] = {}
    for attempt in range(protocol.tries):
        draw = Draw(block, attempt, half)
        set_inputs(draw)
        pair = {side: timed_call(side, sides[side], arena, protocol) for side in turns}
        result = compare(draw, pair["a"].outputs, pair["b"].outputs)
        samples.checked_calls += 1
        samples.more_slack_ns = max(samples.more_slack_ns, pair["b"].more_slack_ns)
        if not result.passed:
            words = f"In a timed call: {result.evidence}"
            raise Misbehaved("b", Violation(result.status, result.check, words))
        if not best or _disturbed(pair, protocol) < _disturbed(best, protocol):
            best = pair
        if _disturbed(best, protocol) == (False, 0) or sum(samples.retaken.values()) + 2 > budget:
            break
        if attempt < protocol.tries - 1:
            for side in BOTH:
                samples.retaken[side] += 1
    return best


def _unclear(call: Checked, protocol: Protocol) -> bool:
    """Whether a call used more processor time than its runner's clock saw pass."""
    if call.cpu_ns is None or not protocol.on(Check.CLOCK):
        return False
    slack = protocol.cpu_slack_ns + call.more_slack_ns + protocol.cpu_slack_share * call.cpu_ns
    return call.cpu_ns - call.ns > slack


def _disturbed(pair: Mapping[Side, Checked], protocol: Protocol) -> tuple[bool, int]:
    """What speaks against a try, the worst first; (False, 0): nothing."""
    return any(_unclear(one, protocol) for one in pair.values()), sum(one.preempted for one in pair.values())


def compare_processor_time(samples: Samples, protocol: Protocol) -> None:
    """Raise `Misbehaved` where most calls of B that count used more processor time than its clock saw pass.

    Held to A, which the same launcher runs on the same machine in turn: what a call costs around itself
    (waking, answering, stopping) grows on a busy machine, for both alike. Medians, because a machine that is
    short of cores charges single calls for what others did, also after all tries. A clock that is forged in
    fewer calls gains nothing by it: FASTER needs the processor clock's word besides.
    """
    theirs = plain.median(_missed(samples, "a"))
    around = 0.0 if samples.cross_runner else max(0.0, theirs)
    used = plain.median(ns for pair in samples.cpu_ns["b"] for ns in pair)
    missed = plain.median(_missed(samples, "b")) - around
    slack = protocol.cpu_slack_ns + samples.more_slack_ns + protocol.cpu_slack_share * used
    if missed > slack:
        words = (
            f"Calls used {used / 1e6:.3g} ms of processor time, of which the runner's clock missed "
            f"{missed / 1e6:.3g} ms more than for the baseline, limit {slack / 1e6:.3g} ms."
        )
        raise Misbehaved("b", Violation(Status.WRONG, Check.CLOCK, words))


def _missed(samples: Samples, side: Side) -> list[int]:
    """Processor time of each call that its runner's clock did not see. A side has one core, so time passes
    as fast as its threads together can use it."""
    pairs = zip(samples.cpu_ns[side], samples.raw[side], strict=True)
    return [used - ns for cpu, raw in pairs for used, ns in zip(cpu, raw, strict=True)]


def block_fields(samples: Samples, protocol: Protocol) -> dict[str, Any]:
    """What every comparison in a record has (`BlockSamples`)."""
    found, witness = samples.estimate(protocol), samples.witness(protocol)
    cpu = samples.cpu_ns if samples.has_cpu else {"a": [], "b": []}
    return {
        "order": tuple(samples.order),
        "raw_ns_a": tuple(samples.raw["a"]),
        "raw_ns_b": tuple(samples.raw["b"]),
        "outside_ns_a": tuple(samples.outside_ns["a"]),
        "outside_ns_b": tuple(samples.outside_ns["b"]),
        "block_log_ratio": tuple(block_log_ratios(samples.raw["a"], samples.raw["b"])),
        "ratio": math.exp(found.log),
        "low": math.exp(found.low),
        "high": math.exp(found.high),
        "confidence": found.confidence,
        "cpu_ns_a": tuple(cpu["a"]),
        "cpu_ns_b": tuple(cpu["b"]),
        "witness_ratio": math.exp(witness.log),
        "witness_low": math.exp(witness.low),
        "witness_high": math.exp(witness.high),
        "retaken": (samples.retaken["a"], samples.retaken["b"]),
    }


def _warm(side: Side, runner: Runner, arena: Arena, samples: Samples, protocol: Protocol) -> None:
    """Half of a side's warm-up; the sides take turns so that neither starts colder."""
    calls, spent = 0, 0
    while calls < -(-protocol.warmup_calls // 2) or spent < protocol.warmup_ns // 2:
        spent += timed_call(side, runner, arena, protocol).outside_ns
        calls += 1
        if calls >= MAX_WARMUP_CALLS:
            break
    samples.warmup_calls[side] += calls


def timed_call(
    side: Side, runner: Runner, arena: Arena, protocol: Protocol, *, in_a_row: int | None = None
) -> Checked:
    """A checked call (`calls.checked_call`). Raises `Misbehaved` where it did what it may not."""
    try:
        call = checked_call(runner, arena, in_a_row=in_a_row)
    except RunnerDied as died:
        raise Misbehaved(side, died.violation) from died
    if call.violation is not None:
        violation = call.violation
        if violation.status is Status.UNSUPPORTED:
            if not protocol.on(Check.STATUS):
                return call
            words = "ks_run returned KS_UNSUPPORTED in a timed call."
            violation = Violation(Status.WRONG, Check.STATUS, words)
        raise Misbehaved(side, violation)
    return call


def compare_clocks(samples: Samples, protocol: Protocol) -> None:
    """Raise `Misbehaved` where the runner's clock misses time: it lives in the candidate's process.

    A busy machine delays some wake-ups of either side, so the candidate is held to its lower quartile and
    the baseline to its median: only time that goes missing in most calls is called missing.
    """
    outside = plain.median(ns for pair in samples.outside_ns["b"] for ns in pair)
    theirs = samples.unseen_ns("b")
    unseen = theirs[len(theirs) // 4] - plain.median(samples.unseen_ns("a"))
    slack = max(protocol.clock_slack_ns, protocol.clock_slack_share * outside)
    if unseen > slack:
        words = (
            f"Calls took {outside / 1e6:.3g} ms by the judge's clock, of which the runner's clock missed "
            f"{unseen / 1e6:.3g} ms more than for the baseline, limit {slack / 1e6:.3g} ms."
        )
        raise Misbehaved("b", Violation(Status.WRONG, Check.CLOCK, words))
