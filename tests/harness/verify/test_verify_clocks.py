"""What `verify` says of clocks and floors is what the judge's own functions say of the same samples."""

from datetime import UTC, datetime

import pytest

from harness.record.record import Record
from harness.record.samples import Bound, Ceilings
from harness.timing.timekeeper import too_fast
from harness.verify.clocks import clock_faults, samples_of
from harness.verify.rules import protocol_of
from tests.made_records import BASE, made_record

ASKED = BASE // 20
"""What it costs to be asked, more than the floor below."""
FLOOR = BASE // 25
CEILINGS = Ceilings(bandwidth=((1024, 1e9),), operations={"float32": 1e12}, measured=datetime.now(UTC))
BOUND = Bound(bytes=FLOOR, operations=1, memory_ns=float(FLOOR), compute_ns=1e-3, floor_ns=float(FLOOR))


def idle(cost: int) -> Record:
    """The third scenario's candidate takes 1 µs, and so much more by the processor's clock."""
    record = made_record()
    timing = record.scenarios[2].timing
    assert timing is not None
    times = {
        "raw_ns_b": tuple((1_000, 1_000) for _ in timing.order),
        "cpu_ns_a": tuple((x + ASKED, y + ASKED) for x, y in timing.raw_ns_a),
        "cpu_ns_b": tuple((1_000 + cost, 1_000 + cost) for _ in timing.order),
    }
    idler = record.scenarios[2].model_copy(update={"timing": timing.model_copy(update=times), "bound": BOUND})
    parts = (*record.scenarios[:2], idler, *record.scenarios[3:])
    return record.model_copy(update={"scenarios": parts, "ceilings": CEILINGS})


@pytest.mark.parametrize(
    ("cost", "across", "refused"),
    [
        (ASKED, False, True),
        (ASKED + FLOOR, False, False),  # a forged clock may hide what the floor asks for; others refuse that
        (ASKED, True, False),
    ],
)
def test_a_call_that_does_nothing_is_impossible_without_what_it_costs_to_be_asked(
    cost: int, across: bool, refused: bool
) -> None:
    record = idle(cost)
    timing = record.scenarios[2].timing
    assert timing is not None
    timing = timing.model_copy(update={"cross_runner": across})
    scenario = record.scenarios[2].model_copy(update={"timing": timing})
    record = record.model_copy(update={"scenarios": (*record.scenarios[:2], scenario, *record.scenarios[3:])})
    found = [str(one) for one in clock_faults(record) if "IMPOSSIBLE" in str(one)]
    words = too_fast(samples_of(timing), BOUND, protocol_of(record.protocol))
    assert bool(words) is refused
    expected = [f"scenarios.2.timing.median_ns_b: is IMPOSSIBLE: {words.rstrip('.')}"] if refused else []
    assert found == expected
