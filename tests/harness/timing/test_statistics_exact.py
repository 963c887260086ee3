"""Boundaries of the verdicts and exact numbers of small samples."""

import math

import numpy as np
import pytest

from harness.timing.statistics import (
    APART,
    Estimate,
    block_log_ratios,
    confirmed,
    disagree,
    drift_factor,
    estimate,
    exact,
    geometric_mean,
    judged,
    less,
    overhead,
    speed,
    too_short,
    walsh_averages,
    witness_log_ratios,
)
from harness.verdict import Speed

FLOOR = 0.02


def about(log: float, half: float) -> Estimate:
    """An interval that reaches so far to both sides."""
    return Estimate(log, log - half, log + half, 0.95)


def test_each_block_has_its_own_ratio() -> None:
    ratios = block_log_ratios([(400, 100), (300, 300)], [(100, 100), (900, 100)])
    assert ratios == pytest.approx([math.log(2), 0.0])
    assert block_log_ratios([(0, 1)], [(1, 0)]) == [0.0]  # nothing is taken for less than 1 ns


def test_what_a_clock_sees_beside_a_call() -> None:
    raw, seen = [(100, 100), (100, 100)], [(130, 150), (170, 900)]
    assert overhead(raw, seen, across=False) == (60, 60)  # the median of 30, 50, 70 and 800
    assert overhead(raw, seen, across=True) == (60, 0)
    assert overhead(raw, raw, across=False) == (0, 0)
    assert overhead(seen, raw, across=False) == (0, 0)
    assert less([(130, 60), (59, 61), (62, 0)], 60) == [(70, 1), (1, 1), (2, 1)]
    assert less([(130, 60), (59, 200)], 60, keep=0.5) == [(70, 30), (29, 140)]


def test_witness_log_ratios_by_hand() -> None:
    raw, seen = [(1000, 1000)] * 2, [(1060, 1060)] * 2
    assert witness_log_ratios(raw, seen, [(560, 560), (310, 310)]) == pytest.approx(
        [math.log(2), math.log(4)]
    )
    assert witness_log_ratios(raw, seen, [(500, 500), (250, 250)], across=True) == pytest.approx(
        [math.log(2), math.log(4)]
    )
    assert witness_log_ratios(raw, seen, [(100, 110), (60, 30)])[0] == pytest.approx(
        math.log(1000) - (math.log(50) + math.log(55)) / 2
    )  # of B half stays at least
    assert witness_log_ratios([(2, 2)], [(2, 2)], [(8, 8)]) == pytest.approx([math.log(0.25)])


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (FLOOR, 0.5, Speed.AMBIGUOUS),
        (0.0201, 0.5, Speed.FASTER),
        (-0.5, -FLOOR, Speed.AMBIGUOUS),
        (-0.5, -0.0201, Speed.SLOWER),
        (-FLOOR, FLOOR, Speed.SAME),
        (-0.0201, FLOOR, Speed.AMBIGUOUS),
        (-FLOOR, 0.0201, Speed.AMBIGUOUS),
    ],
)
def test_what_is_at_the_floor_is_within_it(low: float, high: float, verdict: Speed) -> None:
    assert speed(low, high, FLOOR) is verdict


def test_faster_is_only_what_the_witness_says_too() -> None:
    assert confirmed(Speed.FASTER, 0.0201, FLOOR) is Speed.FASTER
    assert confirmed(Speed.FASTER, FLOOR, FLOOR) is Speed.AMBIGUOUS
    assert confirmed(Speed.FASTER, math.nan, FLOOR) is Speed.AMBIGUOUS
    for other in (Speed.SAME, Speed.SLOWER, Speed.AMBIGUOUS):
        assert confirmed(other, -1.0, FLOOR) is other


def test_clocks_disagree_when_theirs_are_apart_by_more_than_a_hundredth() -> None:
    assert APART == 0.01
    assert not disagree(0.5, 0.5 - APART)
    assert disagree(0.5, 0.4899)
    assert not disagree(0.5, 0.6)
    assert disagree(-0.1, -0.2)


def test_a_judgement_asks_both_clocks() -> None:
    same, low = about(0.0, 0.005), about(-0.03, 0.005)
    assert judged(same, same, FLOOR, comparable=True) is Speed.SAME
    assert judged(same, low, FLOOR, comparable=True) is Speed.AMBIGUOUS
    assert judged(same, low, FLOOR, comparable=False) is Speed.SAME
    fast = about(0.5, 0.1)
    assert judged(fast, about(0.4, 0.3), FLOOR, comparable=True) is Speed.FASTER
    assert judged(fast, about(0.1, 0.05), FLOOR, comparable=True) is Speed.FASTER  # kinder, and both say so
    for comparable in (False, True):
        assert judged(fast, same, FLOOR, comparable=comparable) is Speed.AMBIGUOUS
        assert judged(about(-0.5, 0.1), about(-0.9, 0.1), FLOOR, comparable=comparable) is Speed.SLOWER


@pytest.mark.parametrize(
    ("seen_a", "seen_b", "short"),
    [(2000, 2000, False), (2000, 1999, True), (1999, 4000, True), (9000, 2000, False)],
)
def test_calls_are_too_short_where_most_of_what_is_seen_is_around_them(
    seen_a: int, seen_b: int, short: bool
) -> None:
    beside = 1000
    raw_a = [(seen_a - beside, seen_a - beside)] * 4
    assert too_short(raw_a, [(seen_a, seen_a)] * 4, [(seen_b, seen_b)] * 4) is short


def test_intervals_of_few_blocks_by_hand() -> None:
    assert exact([0.25]) == Estimate(0.25, 0.25, 0.25, 0.0)
    assert exact([0.0, 1.0]) == Estimate(0.5, 0.0, 1.0, 0.5)
    assert walsh_averages(np.array([0.0, 1.0, 4.0])).tolist() == [0.0, 0.5, 2.0, 1.0, 2.5, 4.0]
    six = [0.0, 1.0, 2.0, 4.0, 8.0, 16.0]
    assert exact(six) == Estimate(4.0, 0.0, 16.0, 0.96875)
    assert exact(six, 0.9375) == Estimate(4.0, 0.5, 12.0, 0.9375)  # the next narrower pair of averages
    assert exact(six, 0.9376) == exact(six)


def test_a_drift_widens_by_its_factor_about_the_middle() -> None:
    blocks = [0.0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4]
    within, factor = exact(blocks), drift_factor(np.array(blocks))
    assert factor == pytest.approx(math.sqrt(19))
    found = estimate(blocks)
    assert (found.log, found.confidence) == (within.log, within.confidence)
    assert found.low == pytest.approx(within.log - factor * (within.log - within.low))
    assert found.high == pytest.approx(within.log + factor * (within.high - within.log))
    assert estimate(blocks, 0.5).high < found.high


def test_a_set_of_one_block_a_scenario_has_no_spread() -> None:
    assert geometric_mean([[0.5], [0.1]], resamples=10, seed=1) == Estimate(0.3, 0.3, 0.3, 0.95)


def test_a_sets_interval_is_made_of_resampled_blocks_stretched() -> None:
    """The same by hand: of two blocks 0 and 1 a resample has its middle at 0, 0.5 or 1."""
    found = geometric_mean([[0.0, 1.0]], resamples=400, seed=5, confidence=0.8)
    half = 0.5 * math.sqrt(2)
    assert (found.log, found.low, found.high) == pytest.approx((0.5, 0.5 - half, 0.5 + half))
    assert found.confidence == 0.8
    narrow = geometric_mean([[0.0, 1.0]], resamples=400, seed=5, confidence=0.2)
    assert (narrow.low, narrow.high) == pytest.approx((0.5, 0.5))
    drift = [0.0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4]
    mixed = [0.1, 3.2, 0.0, 6.4, 0.4, 1.6, 0.2, 0.8]
    wide, calm = (geometric_mean([blocks], resamples=400, seed=5) for blocks in (drift, mixed))
    assert drift_factor(np.array(mixed)) == 1.0
    assert wide.high - wide.low == pytest.approx((calm.high - calm.low) * math.sqrt(19), rel=0.1)


def test_a_sets_interval_is_of_resampled_blocks_as_described() -> None:
    """Computed again with plain loops, from the same draws."""
    sets = [[0.0, 0.1, 0.2, 0.5], [1.0, 1.3, 1.1, 1.6]]
    resamples, confidence = 40, 0.9
    generator = np.random.default_rng(11)
    total = np.zeros(resamples)
    centres = []
    for blocks in sets:
        n = len(blocks)

        def middle(values: list[float]) -> float:
            pairs = [(values[i] + values[j]) / 2 for i in range(len(values)) for j in range(i, len(values))]
            return float(np.median(pairs))

        centre = middle(blocks)
        centres.append(centre)
        draws = generator.integers(0, n, size=(resamples, n))
        for row in range(resamples):
            drawn = middle([blocks[k] for k in draws[row]])
            total[row] += centre + (drawn - centre) * (n / (n - 1)) ** 0.5
    low, high = np.quantile(total / len(sets), [(1 - confidence) / 2, 1 - (1 - confidence) / 2])
    found = geometric_mean(sets, resamples=resamples, seed=11, confidence=confidence)
    assert found.log == pytest.approx(sum(centres) / 2)
    assert all(drift_factor(np.asarray(blocks)) == 1.0 for blocks in sets)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
