"""The set as a whole: what it counts, when it has a mean, and the line that says so."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.aggregate import (
    aggregate,
    comparable,
    slowest,
    summary,
    timing_verdict,
    without_best,
    witness_logs,
)
from harness.operator import Scenario
from harness.record.record import Aggregate, ScenarioRecord
from harness.timing.statistics import estimate, judged
from harness.verdict import Outcome, Speed, Status
from tests.made_records import SCENARIOS, made_scenario, made_timing

MANY = tuple(Scenario(f"s{n}", "f", {"n": n}) for n in range(45))


def whole(scenarios: list[ScenarioRecord], **changes: object) -> Aggregate:
    given: dict[str, object] = {
        "total": len(scenarios),
        "floor": 0.012,
        "resamples": 200,
        "seed": 1,
        "confidence": 0.95,
    }
    return aggregate(scenarios, **{**given, **changes})  # type: ignore[arg-type]  # each test gives its own


def shape(status: Status) -> ScenarioRecord:
    return made_scenario(SCENARIOS[0], status, interval=None).model_copy(update={"id": "off"})


def test_a_set_that_is_correct_has_a_mean_and_its_score() -> None:
    intervals = [(1.9, 2.1), (0.5, 0.6), (1.0, 1.0), (3.9, 4.1)]
    found = whole([made_scenario(s, interval=i) for s, i in zip(SCENARIOS, intervals, strict=True)])
    ratios = [math.sqrt(low * high) for low, high in intervals]
    assert found.geomean == pytest.approx(math.prod(ratios) ** 0.25)
    assert found.score == found.geomean
    assert found.low is not None
    assert found.high is not None
    assert found.low < (found.geomean or 0) < found.high
    assert (found.n_correct, found.n_total, found.n_faster, found.n_slower) == (4, 4, 2, 1)
    assert (found.worst, found.worst_ratio) == ("toy-n16", pytest.approx(math.sqrt(0.3)))
    assert [one.id for one in found.worst_five] == ["toy-n16", "toy-n32", "toy-n8", "toy-n64"]
    assert (found.worst_five[0].low, found.worst_five[0].high) == (pytest.approx(0.5), pytest.approx(0.6))
    assert found.worst_five[0].verdict is Speed.SLOWER
    assert found.geomean_without_best == pytest.approx(math.prod(sorted(ratios)[:3]) ** (1 / 3))
    assert found.reason == ""


def test_one_wrong_scenario_makes_the_total_0() -> None:
    parts = [made_scenario(s) for s in SCENARIOS]
    for status in (Status.WRONG, Status.TIMEOUT, Status.POLICY, Status.IMPOSSIBLE):
        found = whole([made_scenario(SCENARIOS[0], status), *parts[1:]])
        assert (found.score, found.geomean, found.geomean_without_best) == (0.0, None, None)
        how = "ran past its limit" if status is Status.TIMEOUT else "is wrong"
        assert found.reason == f"1 of 4 scenarios {how}, so the total is 0: toy-n8."
    every = whole([made_scenario(s, Status.WRONG) for s in MANY[:5]])
    assert every.reason == "5 of 5 scenarios are wrong, so the total is 0: s0, s1, s2 and 2 more."
    late = [made_scenario(s, Status.TIMEOUT) for s in MANY[:3]]
    assert whole([*late, parts[3]]).reason == (
        "3 of 4 scenarios ran past their limits, so the total is 0: s0, s1, s2."
    )
    both = whole([made_scenario(SCENARIOS[0], Status.WRONG), late[0], *parts[2:]])
    assert both.reason == "1 of 4 scenarios is wrong and 1 ran past its limit, so the total is 0: toy-n8, s0."


def test_what_is_not_correct_and_not_wrong_leaves_no_mean_and_no_score() -> None:
    parts = [made_scenario(s) for s in SCENARIOS]
    found = whole([made_scenario(SCENARIOS[0], Status.UNSUPPORTED), *parts[1:]])
    assert (found.score, found.geomean) == (None, None)
    assert found.reason == "3 of 4 scenarios are correct: toy-n8."
    assert whole(parts, total=5).reason == "4 of 5 scenarios are correct."
    assert (
        whole([*parts[:3], made_scenario(SCENARIOS[3], interval=None)]).reason
        == "3 of 4 scenarios were timed."
    )
    assert whole(parts, floor=None).reason == "4 of 4 scenarios were timed."


def test_shapes_off_the_list_are_not_counted_and_decide() -> None:
    parts = [made_scenario(s) for s in SCENARIOS]
    good, bad, none = shape(Status.CORRECT), shape(Status.WRONG), shape(Status.UNSUPPORTED)
    assert whole(parts, off_list=(good,)) == whole(parts)
    wrong = whole(parts, off_list=(good, bad))
    assert (wrong.score, wrong.geomean, wrong.n_correct, wrong.n_total) == (0.0, None, 4, 4)
    assert wrong.reason == "1 of 2 shapes off the list is wrong, so the total is 0: off."
    unsupported = whole(parts, off_list=(good, none))
    assert (unsupported.score, unsupported.geomean) == (None, None)
    assert unsupported.reason == "1 of 2 shapes off the list are not correct: off."


def test_the_best_twentieth_is_left_out_and_one_at_the_least() -> None:
    assert without_best([]) is None
    assert without_best([2.0]) is None
    assert without_best([2.0, 8.0]) == pytest.approx(2.0)
    assert without_best([8.0] * 1 + [2.0] * 38) == pytest.approx(2.0)  # 39: one
    assert without_best([8.0] * 2 + [2.0] * 38) == pytest.approx(2.0)  # 40: two
    assert without_best([8.0] * 3 + [2.0] * 38) == pytest.approx(2 * 4 ** (1 / 39))  # 41: still two


@given(st.lists(st.floats(0.1, 10), min_size=2, max_size=60))
def test_a_mean_without_its_best_is_no_higher(ratios: list[float]) -> None:
    found = without_best(ratios)
    assert found is not None
    assert min(ratios) * (1 - 1e-9) <= found
    assert found <= math.exp(sum(map(math.log, ratios)) / len(ratios)) * (1 + 1e-9)


def test_the_five_slowest_come_first_and_equals_in_their_order() -> None:
    parts = [made_scenario(s, interval=(1 + n % 7, 1 + n % 7)) for n, s in enumerate(MANY[:10])]
    assert [one.id for one in slowest(parts)] == ["s0", "s7", "s1", "s8", "s2"]
    assert slowest([made_scenario(MANY[0], interval=None)]) == ()


def test_a_mean_is_faster_only_where_the_witness_says_so() -> None:
    parts = [made_scenario(s) for s in SCENARIOS]
    assert whole(parts).verdict is Speed.FASTER
    blind = []
    for one in parts:
        assert one.timing is not None
        same = {"cpu_ns_a": one.timing.raw_ns_b, "cpu_ns_b": one.timing.raw_ns_b}
        blind.append(one.model_copy(update={"timing": one.timing.model_copy(update=same)}))
    assert whole(blind).verdict is Speed.AMBIGUOUS
    timing = blind[0].timing
    assert timing is not None
    assert timing_verdict(timing, 0.012, 0.95).verdict is Speed.AMBIGUOUS
    assert timing_verdict(made_timing(1.9, 2.1), 0.012, 0.95).verdict is Speed.FASTER
    assert timing_verdict(made_timing(0.5, 0.6), 0.012, 0.95).verdict is Speed.SLOWER


def seen_at(ratio: float, witness: float) -> ScenarioRecord:
    """A scenario at this ratio, of which the processor's clock says another."""
    made = made_timing(*[ratio * (1 + step) for step in (-0.002, -0.001, 0.0, 0.0, 0.001, 0.002)])
    slow = tuple((round(x / witness), round(y / witness)) for x, y in made.cpu_ns_a)
    timing = made.model_copy(update={"cpu_ns_b": slow})
    return made_scenario(SCENARIOS[0]).model_copy(update={"timing": timing})


def test_where_the_clocks_disagree_the_mean_is_the_witnesss() -> None:
    apart = [seen_at(1.2, 0.98)] * 4
    found = whole(apart)
    assert found.geomean == found.score == pytest.approx(0.98, abs=1e-3)
    assert (found.low, found.high) == (pytest.approx(0.98, abs=1e-3), pytest.approx(0.98, abs=1e-3))
    assert found.geomean_without_best == pytest.approx(0.98, abs=1e-3)
    assert found.disbelieved == pytest.approx(1.2, abs=1e-3)
    assert found.verdict is Speed.AMBIGUOUS
    assert summary(Outcome.CORRECT, apart, found, "start").endswith(
        "; the clock in the candidate's process says 1.2x and is not believed"
    )
    # Both say FASTER: it is, by the smaller of the two.
    found = whole([seen_at(1.5, 1.2)] * 4)
    assert (found.verdict, found.disbelieved) == (Speed.FASTER, pytest.approx(1.5, abs=1e-3))
    assert found.geomean == pytest.approx(1.2, abs=1e-3)


@pytest.mark.parametrize("witness", [1.2, 1.195, 1.4])
def test_where_they_agree_or_the_runners_is_the_harder_it_is_believed(witness: float) -> None:
    found = whole([seen_at(1.2, witness)] * 4)
    assert found.geomean == found.score == pytest.approx(1.2, abs=1e-3)
    assert found.disbelieved is None


def test_across_launchers_the_witness_counts_the_launcher_and_is_not_quoted() -> None:
    one = seen_at(1.2, 1.1)
    assert one.timing is not None
    across = one.model_copy(update={"timing": one.timing.model_copy(update={"cross_runner": True})})
    found = whole([across] * 4)
    assert (found.geomean, found.disbelieved) == (pytest.approx(1.2, abs=1e-3), None)


@pytest.mark.parametrize(
    ("ratio", "witness", "across", "verdict"),
    [
        (1.2, 1.19, False, Speed.FASTER),
        (1.2, 1.0, False, Speed.AMBIGUOUS),
        (1.0, 1.0, False, Speed.SAME),
        (1.0, 0.9, False, Speed.AMBIGUOUS),
        (1.0, 0.9, True, Speed.SAME),
        (0.8, 0.7, False, Speed.SLOWER),
        (0.8, 1.0, False, Speed.SLOWER),
    ],
)
def test_a_verdict_is_one_function_of_both_clocks_and_the_floor(
    ratio: float, witness: float, across: bool, verdict: Speed
) -> None:
    timing = seen_at(ratio, witness).timing
    assert timing is not None
    timing = timing.model_copy(update={"cross_runner": across})
    assert timing_verdict(timing, 0.012, 0.95).verdict is verdict
    inside = estimate(timing.block_log_ratio)
    assert judged(inside, estimate(witness_logs(timing)), 0.012, comparable=not across) is verdict


def test_the_line_says_mean_interval_floor_and_the_least() -> None:
    parts = [made_scenario(s) for s in SCENARIOS]
    found = whole(parts).model_copy(update={"low": 1.894, "high": 2.106})
    assert summary(Outcome.CORRECT, parts, found, "start") == (
        "CORRECT 4/4: 2x over start [1.89, 2.11], FASTER, floor 1.2 %; the least is toy-n8 at 2x"
    )
    untimed = [made_scenario(s, interval=None) for s in SCENARIOS]
    assert summary(Outcome.CORRECT, untimed, whole(untimed), "start") == (
        "CORRECT 4/4: 0 of 4 scenarios were timed."
    )


def test_the_line_names_the_worst_thing_first() -> None:
    parts = [
        made_scenario(SCENARIOS[0], Status.NOT_RUN),
        made_scenario(SCENARIOS[1], Status.UNSUPPORTED),
        made_scenario(SCENARIOS[2], Status.WRONG),
    ]
    line = summary(Outcome.WRONG, parts, whole(parts), "start")
    assert line == "WRONG 0/3: toy-n32 is WRONG: out is off by 0.5 in row 3"
    line = summary(Outcome.UNSUPPORTED, parts[:2], whole(parts[:2]), "start")
    assert line.startswith("UNSUPPORTED 0/2: toy-n16 is UNSUPPORTED")
    line = summary(Outcome.INFRASTRUCTURE, parts[:1], whole(parts[:1]), "start")
    assert line.startswith("INFRASTRUCTURE 0/1: toy-n8 is NOT_RUN")
    right = [made_scenario(SCENARIOS[3])]
    line = summary(Outcome.WRONG, right, whole(right), "start", (shape(Status.WRONG),))
    assert line.startswith("WRONG 1/1: off_list: shape off, which is on no list, is WRONG")


def test_a_witness_of_calls_shorter_than_what_is_around_them_speaks_against_nothing() -> None:
    """28 us against 1 us with 100 us around each: 28x by an honest clock, under 1x by what was charged."""
    timing = made_timing(*([2.0] * 8))
    short = {
        "raw_ns_a": ((28_000, 28_000),) * 8,
        "raw_ns_b": ((1_000, 1_000),) * 8,
        "cpu_ns_a": ((128_000, 128_000),) * 8,
        "cpu_ns_b": ((101_000, 101_000),) * 8,
        "outside_ns_a": ((138_000, 138_000),) * 8,
        "outside_ns_b": ((111_000, 111_000),) * 8,
        "block_log_ratio": (math.log(28),) * 8,
        "ratio": 28.0,
    }
    one = made_scenario(SCENARIOS[0]).model_copy(update={"timing": timing.model_copy(update=short)})
    assert one.timing is not None
    assert not comparable(one.timing)
    found = whole([one] * 2)
    assert (found.geomean, found.disbelieved) == (pytest.approx(28.0), None)
    assert found.verdict is Speed.AMBIGUOUS  # for FASTER the witness is asked all the same
    # A scenario whose clocks can be held to each other still is, beside one whose cannot.
    lying = seen_at(4.0, 1.0)
    mixed = whole([one, lying])
    assert mixed.geomean == pytest.approx(math.sqrt(28.0 * 1.0), rel=0.02)
    assert mixed.disbelieved == pytest.approx(math.sqrt(28.0 * 4.0), rel=0.02)


def test_a_set_of_one_has_its_scenarios_verdict() -> None:
    """Resampled blocks make a narrower interval than the exact one."""
    timing = timing_verdict(made_timing(1.006, 1.002, 1.05, 1.026, 1.046, 1.0, 1.027, 1.043), 0.012, 0.95)
    assert timing.verdict is Speed.AMBIGUOUS
    one = made_scenario(SCENARIOS[0]).model_copy(update={"timing": timing})
    assert whole([one]).verdict is Speed.AMBIGUOUS
    assert whole([one] * 2).verdict is Speed.FASTER
