"""Whether single calls are as long as calls in a row say. Pure.

A call alone finds its inputs in a farther cache than the second of a row does, so by an honest clock it takes
at least about as long. The clock of calls in a row is held to processor time closely (`slope`); that of a
single call only within `cpu_slack_ns`, which is all of a short one. Held to each other, no more can be hidden
in short calls than in a row of them.
"""

import statistics as plain
from collections.abc import Sequence

from harness.protocol import Protocol
from harness.record.parts import Pair
from harness.record.samples import Slope


def in_a_row_ns(slope: Slope) -> float:
    """A call's time in the longer request: by processor time where the kernel counts it."""
    seen = slope.cpu_ns[1] if slope.cpu_ns is not None else slope.inside_ns[1]
    return seen / (2 * slope.calls)


def alone_fault(raw: Sequence[Pair], slope: Slope | None, protocol: Protocol) -> str:
    """Why single calls are too short beside those in a row, in a sentence; "" where they are not.

    `raw` are B's single calls on the runner's clock (ns).
    """
    if slope is None:
        return ""
    single = plain.median(ns for pair in raw for ns in pair)
    row = in_a_row_ns(slope)
    constant = protocol.cpu_slack_ns / (2 * slope.calls) if slope.cpu_ns is not None else 0.0
    if single >= protocol.alone_share * (row - constant):
        return ""
    return (
        f"A call alone took {single / 1e6:.3g} ms by the runner's clock, but {row / 1e6:.3g} ms in a row of "
        f"{2 * slope.calls}; alone it has to take {protocol.alone_share:.0%} of that at least."
    )
