"""Whether a record says the same thing twice: its numbers are computed again from its raw samples. Pure.

A record that passes may still be a lie; one that does not was not written by the judge.
"""

import math

from harness.aggregate import witness_logs
from harness.record import BlockSamples, Record, not_run
from harness.statistics import Estimate, block_log_ratios, estimate
from harness.verdict import outcome

TOLERANCE = 1e-6
"""Relative: between one machine's logarithms and another's."""
MOST_NS = 1 << 53


def clocks(samples: BlockSamples) -> tuple[Estimate, Estimate]:
    """The log ratio on the runner's clock and by the witness, from the raw samples."""
    return estimate(block_log_ratios(samples.raw_ns_a, samples.raw_ns_b)), estimate(witness_logs(samples))


def audit(record: Record) -> str:
    """The first contradiction in a sentence without its full stop; "" where there is none."""
    found = outcome([scenario.status for scenario in record.scenarios])
    if not not_run(record) and record.status is not found:
        return f"it says {record.status} where its scenarios come to {found}"
    for scenario in record.scenarios:
        if scenario.timing is not None:
            fault = _samples(scenario.timing)
            if fault:
                return f"{scenario.id}: {fault}"
    return ""


def _samples(timing: BlockSamples) -> str:
    columns = [timing.raw_ns_a, timing.raw_ns_b, timing.outside_ns_a, timing.outside_ns_b]
    if timing.cpu_ns_a or timing.cpu_ns_b:
        columns += [timing.cpu_ns_a, timing.cpu_ns_b]
    if not timing.order or any(len(column) != len(timing.order) for column in columns):
        return f"{len(timing.order)} blocks, but another number of samples"
    if any(not 0 < ns < MOST_NS for column in columns for pair in column for ns in pair):
        return "a call that took no time, or years"
    inside, witness = clocks(timing)
    said = [
        ("ratio", timing.ratio, inside.log),
        ("low", timing.low, inside.low),
        ("high", timing.high, inside.high),
    ]
    if timing.witness_low is not None:
        said.append(("witness_low", timing.witness_low, witness.low))
    for name, value, log in said:
        if not math.isclose(value, math.exp(log), rel_tol=TOLERANCE):
            return f"its {name} is {value:.4g}, its samples give {math.exp(log):.4g}"
    return ""
