"""What a reader should look at before believing a number, with the reason. Pure; flags refuse nothing.

The thresholds are guesses: what they catch is meant to be looked at, not believed.
"""

import math
import statistics
import sys
from collections.abc import Mapping, Sequence

from harness.aggregate import comparable
from harness.record.parts import Flag
from harness.record.record import Record, ScenarioRecord
from harness.record.samples import Timing
from harness.timing.launcher import sentence, share
from harness.timing.statistics import disagree
from harness.verdict import Speed, Status

LARGE_RATIO = 5.0
FAMILY_FACTOR = 3.0
NEAR_BOUND = 1.2
"""How often the floor a call takes that is closer to it than code usually gets."""
RETAKEN_SHARE = 0.5
SLOW_START = 2.0
"""How much slower the first quarter of the blocks is than the last, beside the baseline's."""
IN_A_ROW = 1.5
"""How much longer a call in a row takes than a single one; it should be shorter, its data are warm."""
MORE_WORK = 4.0
NO_GROWTH = 1.25
BASELINE_GROWTH = 2.0


def flagged(record: Record) -> Record:
    """The record with its flags, those of scenarios and those of the whole."""
    scenarios = with_flags(record.scenarios)
    whole = flags_of_set(scenarios, same_source=record.hashes.candidate == record.hashes.start)
    return record.model_copy(update={"scenarios": scenarios, "flags": (*record.flags, *whole)})


def with_flags(scenarios: Sequence[ScenarioRecord]) -> tuple[ScenarioRecord, ...]:
    """The same scenarios, each with what is to be said of it."""
    families: dict[str, list[ScenarioRecord]] = {}
    for one in scenarios:
        if one.timing is not None and one.status is Status.CORRECT:
            families.setdefault(one.family, []).append(one)
    return tuple(
        one.model_copy(update={"flags": (*one.flags, *_of_scenario(one, one.timing, families[one.family]))})
        if one.timing is not None and one.status is Status.CORRECT
        else one
        for one in scenarios
    )


def flags_of_set(scenarios: Sequence[ScenarioRecord], *, same_source: bool) -> tuple[Flag, ...]:
    """What is to be said of all of them together."""
    outputs = [output for one in scenarios for result in one.correctness for output in result.outputs]
    faster = sum(one.timing is not None and one.timing.verdict is Speed.FASTER for one in scenarios)
    same = all(
        (output.rel_rms, output.row_rel_rms, output.max_abs)
        == (output.rel_rms_start, output.row_rel_rms_start, output.max_abs_start)
        for output in outputs
    )
    if outputs and same and faster and not same_source:
        words = (
            f"Every one of {len(outputs)} outputs is as far from the reference as the start's, to the last "
            f"digit, and {faster} scenarios are faster: it does the start's arithmetic, or has its outputs."
        )
        return (Flag(code="same_bits", evidence=words),)
    return ()


def _of_scenario(one: ScenarioRecord, timing: Timing, family: Sequence[ScenarioRecord]) -> tuple[Flag, ...]:
    found: Mapping[str, str] = {
        "large_ratio": _large_ratio(timing),
        "clocks_disagree": _clocks_disagree(timing),
        "family": _family(timing, family),
        "near_bound": _near_bound(one, timing),
        "retaken": _retaken(timing),
        "slow_start": _slow_start(timing),
        "slower_in_a_row": _slower_in_a_row(timing),
        "no_growth": _no_growth(one, timing, family),
        "launcher": sentence(timing),
    }
    return tuple(Flag(code=code, evidence=words) for code, words in found.items() if words)


def _large_ratio(timing: Timing) -> str:
    if timing.ratio <= LARGE_RATIO:
        return ""
    return (
        f"The ratio is {timing.ratio:.3g}: over {LARGE_RATIO:g} more often a baseline that is slow, or "
        "work that is left out, than a kernel that is fast."
    )


def _clocks_disagree(timing: Timing) -> str:
    """Only where the witness measures the same (`aggregate.comparable`)."""
    low, high = timing.witness_low, timing.witness_high
    if timing.witness_ratio is None or low is None or high is None or not comparable(timing):
        return ""
    if not disagree(*(math.log(max(end, sys.float_info.min)) for end in (timing.low, high))):
        return ""
    clock = "the processor time it was charged" if timing.cpu_ns_b else "the judge's clock"
    return (
        f"The ratio is {timing.ratio:.3g} [{timing.low:.3g}, {timing.high:.3g}] by the clock in the "
        f"candidate's process and {timing.witness_ratio:.3g} [{low:.3g}, {high:.3g}] by {clock}: believe the "
        "smaller."
    )


def _family(timing: Timing, family: Sequence[ScenarioRecord]) -> str:
    median = statistics.median(one.timing.ratio for one in family if one.timing is not None)
    if timing.ratio <= FAMILY_FACTOR * median:
        return ""
    return (
        f"The ratio is {timing.ratio:.3g}, {timing.ratio / median:.3g} times the median of its family "
        f"({median:.3g} over {len(family)} scenarios)."
    )


def _near_bound(one: ScenarioRecord, timing: Timing) -> str:
    floor = one.bound.floor_ns if one.bound is not None else None
    if floor is None or timing.median_ns_b >= NEAR_BOUND * floor:
        return ""
    return (
        f"The median call of {timing.median_ns_b / 1e6:.3g} ms is {timing.median_ns_b / floor:.3g} times the "
        f"least this machine can take ({floor / 1e6:.3g} ms): closer than code usually gets."
    )


def _retaken(timing: Timing) -> str:
    again, wanted = timing.retaken[1], 2 * len(timing.order)
    if again <= RETAKEN_SHARE * wanted:
        return ""
    return (
        f"{again} calls were taken again for {wanted} that count, because one was disturbed: the machine is "
        "busy, or the candidate has itself interrupted."
    )


def _slow_start(timing: Timing) -> str:
    quarter = max(1, len(timing.order) // 4)
    if len(timing.order) < 2 * quarter:
        return ""

    def decline(raw: Sequence[tuple[int, int]]) -> float:
        first = statistics.median(ns for pair in raw[:quarter] for ns in pair)
        last = statistics.median(ns for pair in raw[-quarter:] for ns in pair)
        return first / max(last, 1)

    ours, theirs = decline(timing.raw_ns_b), decline(timing.raw_ns_a)
    if ours <= SLOW_START * max(theirs, 1.0):
        return ""
    return (
        f"The first {2 * quarter} timed calls took {ours:.3g} times as long as the last (the baseline's "
        f"{theirs:.3g} times): something is kept from one call to the next."
    )


def _slower_in_a_row(timing: Timing) -> str:
    slope = timing.slope
    if slope is None:
        return ""
    each = slope.inside_ns[1] / (2 * slope.calls)
    if each <= IN_A_ROW * timing.median_ns_b:
        return ""
    return (
        f"A call in a row took {each / 1e6:.3g} ms and a single one {timing.median_ns_b / 1e6:.3g} ms; "
        "in a row it should be no slower."
    )


def _no_growth(one: ScenarioRecord, timing: Timing, family: Sequence[ScenarioRecord]) -> str:
    """Against the scenario of its family and dtypes with a quarter of its work or less that took the longest.

    Of another dtype it says nothing: half as many bytes an element, or units that are twice as fast.
    """
    if share(timing).get("candidate", 0.0) > 0.2:
        return ""  # mostly the launcher's time, which does not grow
    smaller = [
        (other, other.timing)
        for other in family
        if other.timing is not None
        and _dtypes(one) == _dtypes(other)
        and _times_the_work(one, other) >= MORE_WORK
        and timing.median_ns_a >= BASELINE_GROWTH * other.timing.median_ns_a
    ]
    if not smaller:
        return ""
    other, theirs = max(smaller, key=lambda pair: pair[1].median_ns_b)
    if timing.median_ns_b >= NO_GROWTH * theirs.median_ns_b:
        return ""
    return (
        f"It takes {timing.median_ns_b / 1e6:.3g} ms where {other.id}, with a quarter of the work or less, "
        f"takes {theirs.median_ns_b / 1e6:.3g} ms; the baseline takes "
        f"{timing.median_ns_a / theirs.median_ns_a:.3g} times as long."
    )


def _dtypes(one: ScenarioRecord) -> tuple[str, frozenset[tuple[str, str]]]:
    """What it computes in, and what its outputs are."""
    outputs = frozenset((made.output, made.dtype) for result in one.correctness for made in result.outputs)
    return one.bound.precision if one.bound is not None else "", outputs


def _times_the_work(one: ScenarioRecord, other: ScenarioRecord) -> float:
    """The smaller of the factors in bytes and in operations; 0 where a bound is missing."""
    if one.bound is None or other.bound is None:
        return 0.0
    return min(
        one.bound.bytes / max(other.bound.bytes, 1),
        one.bound.operations / max(other.bound.operations, 1),
    )
