"""A record's numbers computed again from its raw samples: ratios, intervals, verdicts, the set. Pure."""

import math
import statistics as plain
from collections.abc import Iterator
from typing import Any

from harness.aggregate import aggregate, comparable, floor_of, summary, witness_logs
from harness.record.record import Record, ScenarioRecord, not_run
from harness.record.samples import BlockSamples, Timing
from harness.timing.statistics import Estimate, block_log_ratios, estimate, judged
from harness.verdict import outcome
from harness.verify.fault import Fault, differences

MOST_NS = 1 << 53
"""104 days; beyond it a double no longer counts nanoseconds."""
MOST_WORK = 1 << 63
"""Bytes or operations of a call."""
_COLUMNS = ("raw_ns_a", "raw_ns_b", "outside_ns_a", "outside_ns_b")
_CPU = ("cpu_ns_a", "cpu_ns_b")


def clocks(samples: BlockSamples, confidence: float = 0.95) -> tuple[Estimate, Estimate]:
    """The log ratio on the runner's clock and by the witness, from the raw samples."""
    inside = estimate(block_log_ratios(samples.raw_ns_a, samples.raw_ns_b), confidence)
    return inside, estimate(witness_logs(samples), confidence)


def number_faults(record: Record) -> Iterator[Fault]:
    """Numbers that do not follow from the samples; nothing is computed from samples that are none."""
    bad = list(_samples(record))
    yield from bad
    if bad:
        return
    for place, samples in blocks_of_samples(record):
        yield from _block_numbers(place, samples, record.protocol.confidence)
    floor = floor_of(_again(record), record.protocol.minimum_floor, record.protocol.confidence)
    for index, scenario in enumerate(record.scenarios):
        if scenario.timing is not None:
            yield from _timing(f"scenarios.{index}.timing", scenario.timing, floor, record)
    yield from _whole(record)


def blocks_of_samples(record: Record) -> Iterator[tuple[str, BlockSamples]]:
    """Every comparison of the record with its place."""
    for index, scenario in enumerate(record.scenarios):
        if scenario.timing is not None:
            yield f"scenarios.{index}.timing", scenario.timing
    for index, again in enumerate(record.aa):
        yield f"aa.{index}", again


def _samples(record: Record) -> Iterator[Fault]:
    """Samples of the wrong number or order, and times that are none."""
    wanted = record.protocol.blocks
    for place, samples in blocks_of_samples(record):
        blocks = len(samples.order)
        if blocks != wanted or not blocks:
            yield Fault(f"{place}.order", f"has {blocks} blocks, protocol.blocks says {wanted}")
        for index, order in enumerate(samples.order):
            due = "BAAB" if index % 2 else "ABBA"
            if order != due:
                yield Fault(f"{place}.order.{index}", f"says {order}, in turns it is {due}")
        cpu = bool(samples.cpu_ns_a or samples.cpu_ns_b)
        for name in (*_COLUMNS, *(_CPU if cpu else ())):
            column = getattr(samples, name)
            if len(column) != blocks:
                yield Fault(f"{place}.{name}", f"has {len(column)} pairs for {blocks} blocks")
            for index, pair in enumerate(column):
                if any(not 0 < ns < MOST_NS for ns in pair):
                    yield Fault(f"{place}.{name}.{index}", "is a call that took no time, or years")
    for index, scenario in enumerate(record.scenarios):
        yield from _beside(f"scenarios.{index}", scenario)


def _beside(place: str, scenario: ScenarioRecord) -> Iterator[Fault]:
    """The numbers beside the blocks: of the launcher, of calls in a row, of the work."""
    bound, timing = scenario.bound, scenario.timing
    if bound is not None and not (0 <= bound.bytes < MOST_WORK and 0 <= bound.operations < MOST_WORK):
        yield Fault(f"{place}.bound", "is of less than no work, or of more than there is")
    if timing is None:
        return
    for name in ("launcher_ns_a", "launcher_ns_b"):
        if any(not 0 < ns < MOST_NS for ns in getattr(timing, name)):
            yield Fault(f"{place}.timing.{name}", "holds a call that took no time, or years")
    slope = timing.slope
    if slope is not None:
        numbers = (slope.calls, *slope.outside_ns, *slope.inside_ns, *(slope.cpu_ns or ()))
        if any(not 0 < one < MOST_NS for one in numbers):
            yield Fault(f"{place}.timing.slope", "holds a number that is none of calls or of their times")


def _block_numbers(place: str, samples: BlockSamples, confidence: float) -> Iterator[Fault]:
    inside, witness = clocks(samples, confidence)
    found = {
        "block_log_ratio": block_log_ratios(samples.raw_ns_a, samples.raw_ns_b),
        "ratio": math.exp(inside.log),
        "low": math.exp(inside.low),
        "high": math.exp(inside.high),
        "confidence": inside.confidence,
        "witness_ratio": math.exp(witness.log),
        "witness_low": math.exp(witness.low),
        "witness_high": math.exp(witness.high),
    }
    yield from differences(place, {name: getattr(samples, name) for name in found}, found)


def _timing(place: str, timing: Timing, floor: float, record: Record) -> Iterator[Fault]:
    inside, witness = clocks(timing, record.protocol.confidence)
    found: dict[str, Any] = {
        "verdict": judged(inside, witness, floor, comparable=comparable(timing)),
        "median_ns_a": float(plain.median(ns for pair in timing.raw_ns_a for ns in pair)),
        "median_ns_b": float(plain.median(ns for pair in timing.raw_ns_b for ns in pair)),
    }
    yield from differences(place, {name: getattr(timing, name) for name in found}, found)


def _again(record: Record) -> list[BlockSamples]:
    """The baseline against itself, with the ratios that its samples give."""
    return [
        one.model_copy(update={"block_log_ratio": tuple(block_log_ratios(one.raw_ns_a, one.raw_ns_b))})
        for one in record.aa
    ]


def recomputed(scenario: ScenarioRecord, confidence: float) -> ScenarioRecord:
    """The scenario with the ratio and interval that its samples give."""
    timing = scenario.timing
    if timing is None:
        return scenario
    inside, _ = clocks(timing, confidence)
    found = {
        "block_log_ratio": tuple(block_log_ratios(timing.raw_ns_a, timing.raw_ns_b)),
        "ratio": math.exp(inside.log),
        "low": math.exp(inside.low),
        "high": math.exp(inside.high),
    }
    return scenario.model_copy(update={"timing": timing.model_copy(update=found)})


def _whole(record: Record) -> Iterator[Fault]:
    """The set's numbers, the outcome and the line that says both."""
    constants = record.protocol
    again = _again(record)
    scenarios = [recomputed(one, constants.confidence) for one in record.scenarios]
    found = aggregate(
        scenarios,
        total=len(scenarios),
        floor=floor_of(again, constants.minimum_floor, constants.confidence) if again else None,
        resamples=constants.resamples,
        seed=record.seeds.bootstrap,
        confidence=constants.confidence,
        off_list=record.off_list,
    )
    refused = not_run(record)
    if refused:
        words = record.aggregate.reason
        found = found.model_copy(update={"reason": words, "score": 0.0})
        line, came_to = f"{record.status}: {words}", record.status
    else:
        came_to = outcome([one.status for one in (*record.scenarios, *record.off_list)])
        line = summary(came_to, scenarios, found, record.baseline, record.off_list)
    yield from differences("status", record.status.value, came_to.value, "its scenarios come to")
    yield from differences("aggregate", record.aggregate.model_dump(), found.model_dump())
    yield from differences("summary", record.summary, line, "the rest says")
