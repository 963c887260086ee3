"""Single calls are held to calls in a row."""

import pytest

from harness.protocol import Protocol
from harness.record.samples import Slope
from harness.timing.alone import alone_fault, in_a_row_ns

PROTOCOL = Protocol(alone_share=0.6, cpu_slack_ns=0)


def row(ns: int, *, cpu: bool = True, calls: int = 10) -> Slope:
    """Calls of this length in a row, by the processor's clock; the runner's own says half."""
    seen = (calls * ns, 2 * calls * ns)
    half = (calls * ns // 2, calls * ns)
    return Slope(calls=calls, outside_ns=seen, inside_ns=half if cpu else seen, cpu_ns=seen if cpu else None)


@pytest.mark.parametrize(
    ("single", "refused"), [(1_000, False), (600, False), (599, True), (1, True), (5_000, False)]
)
@pytest.mark.parametrize("cpu", [True, False])
def test_a_call_alone_takes_most_of_what_it_takes_in_a_row(single: int, refused: bool, cpu: bool) -> None:
    words = alone_fault([(single, single)] * 4, row(1_000, cpu=cpu), PROTOCOL)
    assert bool(words) is refused
    if refused:
        assert "in a row of 20" in words
        assert "60% of that at least" in words


def test_few_short_ones_are_nothing() -> None:
    raw = [(1, 1)] * 3 + [(1_000, 1_000)] * 4
    assert alone_fault(raw, row(1_000), PROTOCOL) == ""


def test_the_requests_own_cost_is_taken_off() -> None:
    slope = row(1_000, calls=10)
    assert in_a_row_ns(slope) == 1_000
    loose = Protocol(alone_share=0.6, cpu_slack_ns=10_000)
    assert alone_fault([(400, 400)] * 4, slope, PROTOCOL)
    assert alone_fault([(400, 400)] * 4, slope, loose) == ""
    assert alone_fault([(200, 200)] * 4, slope, loose)


def test_without_calls_in_a_row_nothing_is_said() -> None:
    assert alone_fault([(1, 1)], None, PROTOCOL) == ""
