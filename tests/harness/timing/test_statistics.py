import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.timing.statistics import (
    Floats,
    block_log_ratios,
    drift_factor,
    estimate,
    exact,
    geometric_mean,
    noise_floor,
    speed,
    witness_log_ratios,
)
from harness.verdict import Speed

VALUES = st.lists(st.floats(-2, 2), min_size=1, max_size=12)
STEPS = st.lists(st.integers(-2000, 2000).map(lambda n: n / 1000), min_size=1, max_size=12)
"""Values that a shift leaves apart or equal as they were."""


def test_block_log_ratio_is_the_difference_of_mean_logs() -> None:
    assert block_log_ratios([(200, 800)], [(100, 100)]) == pytest.approx([math.log(4)])
    assert block_log_ratios([(0, 0)], [(1, 1)]) == [0.0]


@pytest.mark.parametrize(
    ("n", "confidence"), [(8, 0.9609375), (16, 0.9556885), (6, 0.96875), (4, 0.875), (1, 0.0)]
)
def test_confidence_is_what_the_signed_rank_statistic_has(n: int, confidence: float) -> None:
    assert estimate(list(range(n))).confidence == pytest.approx(confidence, abs=1e-6)


@pytest.mark.parametrize("n", [5, 6, 7, 8, 9])
def test_coverage_is_exact_over_all_signs(n: int) -> None:
    """For magnitudes with any signs equally likely, zero is inside exactly as often as is stated."""
    magnitudes = np.array([1.0, 2.1, 4.3, 8.7, 17.1, 34.9, 69.2, 139.0, 277.7][:n])
    inside = 0
    for signs in itertools.product((-1, 1), repeat=n):
        found = exact(magnitudes * signs)
        inside += found.low <= 0 <= found.high
    assert inside / 2**n == pytest.approx(found.confidence)


def test_simulated_same_against_same_is_covered_at_the_stated_rate() -> None:
    rng = np.random.default_rng(7)
    draws = {
        "normal": rng.standard_normal((1500, 8)),
        "heavy": rng.standard_t(2, (1500, 8)),
        "spiky": rng.standard_normal((1500, 8))
        + 40 * (rng.random((1500, 8)) < 0.1) * rng.choice([-1, 1], (1500, 8)),
    }
    for name, blocks in draws.items():
        covered = np.mean([(e := estimate(row)).low <= 0 <= e.high for row in blocks])
        assert covered == pytest.approx(0.961, abs=0.02), name


def drifting(rng: np.random.Generator, runs: int, n: int, share: float = 0.7) -> Floats:
    """Errors of variance 1, each that share of the last one and new noise."""
    noise = rng.standard_normal((runs, n))
    for at in range(1, n):
        noise[:, at] = share * noise[:, at - 1] + math.sqrt(1 - share**2) * noise[:, at]
    return noise


def test_a_drift_widens_the_interval_and_independent_blocks_hardly_do() -> None:
    rng = np.random.default_rng(3)
    rows = {"drift": drifting(rng, 600, 16), "white": rng.standard_normal((600, 16))}
    held = {
        name: [np.mean([(e := by(row)).low <= 0 <= e.high for row in blocks]) for by in (exact, estimate)]
        for name, blocks in rows.items()
    }
    assert held["drift"][0] < 0.68
    assert held["drift"][1] > 0.80
    assert held["white"][1] == pytest.approx(0.965, abs=0.02)
    assert np.median([drift_factor(row) for row in rows["white"]]) < 1.1


def test_what_a_drift_factor_is() -> None:
    assert drift_factor(np.array([0.0, 1.0] * 4)) == 1.0  # the opposite of a drift narrows nothing
    assert drift_factor(np.array([0.3] * 8)) == 1.0
    assert drift_factor(np.arange(7.0)) == 1.0  # too few to tell
    # Ranks 0..7: their lag-1 correlation is 0.625, so r = (8 · 0.625 + 1) / 5 = 1.2, cut to 0.9.
    assert drift_factor(np.arange(8.0)) == pytest.approx(math.sqrt(19))
    # Ranks with ties, less their mean: −3 −1 1 3 −3 −1 1 3. Products 1, squares 40, r = (8/40 + 1)/5 = 0.24.
    twice = np.array([0.0, 1, 2, 3, 0, 1, 2, 3])
    assert drift_factor(twice) == pytest.approx(math.sqrt(1.24 / 0.76))
    wild = twice.copy()
    wild[[3, 7]] = 1e6
    assert drift_factor(wild) == drift_factor(twice)


def test_one_wild_block_moves_the_estimate_little() -> None:
    calm = [0.60, 0.61, 0.59, 0.60, 0.62, 0.58, 0.60, 0.61]
    wild = [*calm[:-1], 5.0]
    assert abs(estimate(wild).log - estimate(calm).log) < 0.02
    assert estimate(wild).low > 0.5


@given(VALUES)
def test_the_estimate_lies_in_its_interval_and_mirrors(values: list[float]) -> None:
    within = exact(values)
    assert min(values) <= within.low <= within.log <= within.high <= max(values)
    found, mirrored = estimate(values), estimate([-x for x in values])
    assert found.low <= within.low <= within.high <= found.high
    assert found.log == within.log
    assert mirrored.low == pytest.approx(-found.high)
    assert mirrored.log == pytest.approx(-found.log)


@given(STEPS, st.floats(-3, 3))
def test_a_constant_factor_shifts_everything(values: list[float], shift: float) -> None:
    found, moved = estimate(values), estimate([x + shift for x in values])
    assert moved.low == pytest.approx(found.low + shift, abs=1e-9)
    assert moved.high == pytest.approx(found.high + shift, abs=1e-9)


def test_the_floor_is_the_largest_own_difference_and_one_percent_at_least() -> None:
    assert noise_floor([], 0.01) == 0.01
    assert noise_floor([0.002, -0.003], 0.01) == 0.01
    assert noise_floor([0.002, -0.08], 0.01) == 0.08


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.01, 0.01, Speed.SAME),
        (0.021, 0.5, Speed.FASTER),
        (-0.5, -0.021, Speed.SLOWER),
        (0.0, 0.03, Speed.AMBIGUOUS),
        (0.02, 0.03, Speed.AMBIGUOUS),
        (-0.9, 0.9, Speed.AMBIGUOUS),
        (-0.02, 0.02, Speed.SAME),
    ],
)
def test_verdicts_against_a_floor_of_two_percent(low: float, high: float, verdict: Speed) -> None:
    assert speed(low, high, 0.02) is verdict


def test_the_sets_interval_covers_at_about_its_rate() -> None:
    rng = np.random.default_rng(11)
    runs, covered = 250, 0
    for run in range(runs):
        scenarios = rng.standard_normal((4, 8)) * np.array([[0.2], [1.0], [0.5], [2.0]])
        found = geometric_mean(scenarios.tolist(), resamples=400, seed=run)
        covered += found.low <= 0 <= found.high
    assert 0.89 <= covered / runs <= 0.99


def test_the_set_resamples_within_scenarios_only() -> None:
    """Scenarios that differ from each other, each without noise, leave no doubt about their mean."""
    found = geometric_mean([[0.1] * 8, [0.5] * 8], resamples=100, seed=3)
    assert (found.log, found.low, found.high) == pytest.approx((0.3, 0.3, 0.3))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_same_seed_gives_the_same_interval(seed: int) -> None:
    blocks = [[0.1, 0.2, 0.15, 0.11], [0.3, 0.1, 0.2, 0.25]]
    first, second = (geometric_mean(blocks, resamples=50, seed=seed) for _ in range(2))
    assert first == second
    assert first.log == pytest.approx(sum(estimate(one).log for one in blocks) / 2)


def test_many_blocks_do_not_need_much_memory() -> None:
    blocks = np.random.default_rng(1).standard_normal(256).tolist()
    found = geometric_mean([blocks], resamples=200, seed=1)
    assert found.low < found.log < found.high


def test_across_launchers_nothing_of_the_baselines_is_taken_off_the_candidate() -> None:
    raw_a, seen_a = [(1000, 1000)] * 4, [(1500, 1500)] * 4
    same = witness_log_ratios(raw_a, seen_a, [(1500, 1500)] * 4)
    across = witness_log_ratios(raw_a, seen_a, [(1500, 1500)] * 4, across=True)
    assert same == pytest.approx([0.0] * 4)
    assert across == pytest.approx([-math.log(1.5)] * 4)


def test_a_candidate_never_loses_more_than_half_of_what_the_witness_saw_of_it() -> None:
    """29 us with 100 us around them: one that lowers what is around it must not come out at nothing."""
    raw_a, seen_a = [(29_000, 29_000)] * 8, [(129_000, 129_000)] * 8
    for seen_b in (75_000, 100_001, 129_000, 199_999):
        ratio = math.exp(witness_log_ratios(raw_a, seen_a, [(seen_b, seen_b)] * 8)[0])
        assert ratio == pytest.approx(29_000 / (seen_b // 2))
    (ratio, *_) = witness_log_ratios(raw_a, seen_a, [(300_000, 300_000)] * 8)
    assert math.exp(ratio) == pytest.approx(29 / 200)
