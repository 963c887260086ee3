"""Which clock, which confidence and which floor go into a set's numbers, and the line's last words."""

import math

import pytest

from harness.aggregate import aggregate, floor_of, summary, timing_verdict, witness_logs
from harness.record.record import Aggregate, ScenarioRecord
from harness.timing.statistics import estimate, geometric_mean
from harness.verdict import Outcome, Speed, Status
from tests.made_records import SCENARIOS, made_scenario, made_timing

SCATTERED = (1.0, 1.01, 1.02, 1.03, 1.05, 1.3, 1.01, 1.02)


def whole(scenarios: list[ScenarioRecord], floor: float = 0.012, confidence: float = 0.95) -> Aggregate:
    return aggregate(
        scenarios, total=len(scenarios), floor=floor, resamples=200, seed=7, confidence=confidence
    )


def test_the_witness_is_the_processors_clock_and_where_one_side_has_none_the_judges() -> None:
    timing = made_timing(*SCATTERED)
    later = tuple((x * 2, y * 2) for x, y in timing.raw_ns_a)
    timing = timing.model_copy(update={"outside_ns_b": later})
    assert witness_logs(timing) == pytest.approx(list(timing.block_log_ratio))
    outside = witness_logs(timing.model_copy(update={"cpu_ns_a": (), "cpu_ns_b": ()}))
    assert outside == pytest.approx([-math.log(2)] * 8)
    for name in ("cpu_ns_a", "cpu_ns_b"):
        assert witness_logs(timing.model_copy(update={name: ()})) == outside


def test_what_it_costs_to_be_asked_is_taken_of_both_but_across_launchers() -> None:
    timing = made_timing(2.0, 2.0)
    asked = {
        name: tuple((x + 10**7, y + 10**7) for x, y in getattr(timing, name))
        for name in ("cpu_ns_a", "cpu_ns_b")
    }
    timing = timing.model_copy(update=asked)
    blocks = len(timing.order)
    assert witness_logs(timing) == pytest.approx([math.log(2)] * blocks)
    across = witness_logs(timing.model_copy(update={"cross_runner": True}))
    assert across == pytest.approx([math.log(2 / 1.1)] * blocks)


def test_a_verdict_and_a_floor_are_of_the_confidence_that_is_asked_for() -> None:
    timing = made_timing(*SCATTERED)
    sure, hardly = (estimate(timing.block_log_ratio, confidence).low for confidence in (0.95, 0.3))
    assert sure < hardly
    floor = (sure + hardly) / 2
    assert timing_verdict(timing, floor, 0.95).verdict is Speed.AMBIGUOUS
    assert timing_verdict(timing, floor, 0.3).verdict is Speed.FASTER
    for confidence in (0.95, 0.3):
        assert floor_of((timing,), 0.001, confidence) == estimate(timing.block_log_ratio, confidence).log
    assert floor_of((timing,), 0.5, 0.95) == 0.5


def test_a_mean_is_of_the_seed_and_the_confidence_that_are_asked_for() -> None:
    parts = [
        one.model_copy(update={"timing": made_timing(*(ratio * by for ratio in SCATTERED))})
        for one, by in zip(map(made_scenario, SCENARIOS), (1.0, 1.1, 1.2, 1.3), strict=True)
    ]
    logs = [one.timing.block_log_ratio for one in parts if one.timing is not None]
    for confidence in (0.95, 0.5):
        found = whole(parts, confidence=confidence)
        mean = geometric_mean(logs, resamples=200, seed=7, confidence=confidence)
        assert (found.low, found.high) == (math.exp(mean.low), math.exp(mean.high))


def test_the_witnesss_mean_is_of_the_seed_and_the_confidence_too() -> None:
    timing = made_timing(*(2 * ratio for ratio in SCATTERED))
    slow = tuple((round(x * 1.8), round(y * 1.8)) for x, y in timing.cpu_ns_b)
    one = made_scenario(SCENARIOS[0]).model_copy(
        update={"timing": timing.model_copy(update={"cpu_ns_b": slow})}
    )
    assert one.timing is not None
    for confidence in (0.95, 0.5):
        found = whole([one], confidence=confidence)
        logs = [witness_logs(one.timing)]
        seen = geometric_mean(logs, resamples=200, seed=7, confidence=confidence)
        assert (found.low, found.high) == (math.exp(seen.low), math.exp(seen.high))
        assert found.disbelieved == pytest.approx(1.8 * (found.geomean or 0))


def test_the_line_says_the_floor_in_percent() -> None:
    parts = [made_scenario(s) for s in SCENARIOS]
    wide = whole(parts, floor=0.3)
    assert ", floor 30.0 %; the least is toy-n8 at 2x" in summary(Outcome.CORRECT, parts, wide, "start")
    none = wide.model_copy(update={"floor": None})
    assert ", floor 0.0 %;" in summary(Outcome.CORRECT, parts, none, "start")
    bare = wide.model_copy(update={"geomean": None, "reason": ""})
    assert summary(Outcome.CORRECT, parts, bare, "start") == "CORRECT 4/4: not timed"


def test_three_names_are_said_and_the_rest_counted() -> None:
    three, four = (whole([made_scenario(s, Status.WRONG) for s in SCENARIOS[:count]]) for count in (3, 4))
    assert three.reason.endswith("toy-n8, toy-n16, toy-n32.")
    assert four.reason.endswith("toy-n8, toy-n16, toy-n32 and 1 more.")


def test_across_launchers_a_slower_witness_takes_no_sameness_from_a_set() -> None:
    timing = made_timing(*([1.0] * 8))
    slow = tuple((round(x * 1.2), round(y * 1.2)) for x, y in timing.cpu_ns_b)
    for across, verdict in ((True, Speed.SAME), (False, Speed.AMBIGUOUS)):
        update = {"cpu_ns_b": slow, "cross_runner": across}
        one = made_scenario(SCENARIOS[0]).model_copy(update={"timing": timing.model_copy(update=update)})
        assert whole([one]).verdict is verdict
