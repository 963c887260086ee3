"""From raw samples to ratios, intervals and verdicts. Pure: the same samples give the same numbers.

Everything is done on logarithms; a ratio is the baseline's time over the candidate's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from harness.verdict import Speed

Floats = NDArray[np.float64]

MOST_BESIDE = 0.5
"""Of what the witness sees of a candidate's call, so much may be taken as the cost of asking."""
FEWEST_FOR_DRIFT = 8
"""Fewer blocks do not tell a drift from chance."""
MOST_DRIFT = 0.9
APART = 0.01
"""No two clocks are said to disagree by less than the least difference that a verdict is given on."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A log ratio with its interval; `confidence` is what the interval really has."""

    log: float
    low: float
    high: float
    confidence: float


def block_log_ratios(a: Sequence[tuple[int, int]], b: Sequence[tuple[int, int]]) -> list[float]:
    """One log ratio a block: mean log of A's two calls less that of B's. Times are at least 1 ns."""
    first = np.log(np.maximum(np.asarray(a, dtype=np.float64), 1.0)).mean(axis=1)
    second = np.log(np.maximum(np.asarray(b, dtype=np.float64), 1.0)).mean(axis=1)
    return [float(x) for x in first - second]


def witness_log_ratios(
    raw_a: Sequence[tuple[int, int]],
    seen_a: Sequence[tuple[int, int]],
    seen_b: Sequence[tuple[int, int]],
    *,
    across: bool = False,
) -> list[float]:
    """Log ratios by a clock that the candidate cannot reach: what it saw of each call of A and of B.

    From both sides is taken what it costs to be asked (`overhead`), of B at most `MOST_BESIDE` of what was
    seen: a call that is shorter than what is around it can be measured by this clock only to within that, and
    B's share of it is in B's hands. So a ratio by this clock is then too small, never too large.
    """
    of_a, of_b = overhead(raw_a, seen_a, across=across)
    return block_log_ratios(less(seen_a, of_a), less(seen_b, of_b, keep=1 - MOST_BESIDE))


def overhead(
    raw_a: Sequence[tuple[int, int]], seen_a: Sequence[tuple[int, int]], *, across: bool
) -> tuple[int, int]:
    """What a clock that the candidate cannot reach sees beside a call of A and of B: waking, answering.

    It is what that clock sees of A's calls and the runner's does not (the median, at least 0): A's process
    has no code of the candidate's in it, so its own clock is true. `across`: B has another launcher, of whose
    costs A's says nothing, and B's own clock is not to be asked; so 0 for B.
    """
    unseen = np.asarray(seen_a, dtype=np.float64) - np.asarray(raw_a, dtype=np.float64)
    found = max(0, int(np.median(unseen)))
    return found, 0 if across else found


def less(seen: Sequence[tuple[int, int]], beside: int, *, keep: float = 0.0) -> list[tuple[int, int]]:
    """Calls without what was beside them; of each 1 ns and the share `keep` is left at the least."""

    def net(ns: int) -> int:
        return max(1, ns - beside, int(ns * keep))

    return [(net(x), net(y)) for x, y in seen]


def estimate(blocks: Sequence[float], confidence: float = 0.95) -> Estimate:
    """`exact` with its interval widened by `drift_factor`: blocks follow each other, and a machine that
    drifts makes neighbours alike. `confidence` is the exact interval's; on independent blocks this one has a
    little more."""
    found, factor = exact(blocks, confidence), drift_factor(np.asarray(blocks, dtype=np.float64))
    if factor == 1.0:
        return found
    low, high = (found.log + (end - found.log) * factor for end in (found.low, found.high))
    return Estimate(found.log, low, high, found.confidence)


def drift_factor(values: Floats) -> float:
    """How much wider an interval has to be for blocks that resemble the ones before; 1 for too few to tell.

    Errors that follow an AR(1) process with coefficient r carry as much as (1 − r)/(1 + r) times as many
    independent ones, so a width grows by the root of the inverse. r is estimated by the lag-1 correlation of
    the blocks' ranks (a wild block counts once), corrected for the bias of short series: its mean is about
    r − (1 + 3r)/n (Kendall 1954, Marriott and Pope 1954). Nothing becomes narrower, and r counts up to
    `MOST_DRIFT`. Measured in docs/decisions/0016-drift.md.
    """
    n = len(values)
    if n < FEWEST_FOR_DRIFT:
        return 1.0
    below = (values[:, None] > values).sum(axis=1)
    same = (values[:, None] == values).sum(axis=1)
    ranks = below + same / 2
    away = ranks - ranks.mean()
    total = float(away @ away)
    if total == 0.0:
        return 1.0
    correlation = float(away[1:] @ away[:-1]) / total
    drift = min(MOST_DRIFT, max(0.0, (n * correlation + 1) / (n - 3)))
    return float(np.sqrt((1 + drift) / (1 - drift)))


def exact(blocks: Sequence[float], confidence: float = 0.95) -> Estimate:
    """Hodges–Lehmann estimate and the exact Wilcoxon signed-rank interval around it.

    The interval is between order statistics of the Walsh averages (pairwise means), so one wild block
    moves it little, and it covers at the stated rate for any distribution that is symmetric about its
    centre (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, §3.3). With n blocks the
    confidence takes steps: the narrowest interval of at least `confidence` is taken, or for n < 6 the
    widest there is. Needs one block at least.
    """
    values = np.asarray(blocks, dtype=np.float64)
    walsh = np.sort(walsh_averages(values))
    k, achieved = _rank(len(values), confidence)
    return Estimate(float(np.median(walsh)), float(walsh[k - 1]), float(walsh[-k]), achieved)


def walsh_averages(values: Floats) -> Floats:
    """Means of all pairs i ≤ j along the last axis."""
    i, j = np.triu_indices(values.shape[-1])
    return np.asarray((values[..., i] + values[..., j]) / 2)


@cache
def _rank(n: int, confidence: float) -> tuple[int, float]:
    """The largest k whose interval (k-th smallest, k-th largest average) has the confidence, and what it has.

    Coverage is 1 − 2 P(W ≤ k − 1), W the signed-rank statistic: the sum of a random subset of 1..n.
    """
    ways = [1]
    for rank in range(1, n + 1):
        longer = ways + [0] * rank
        for total, count in enumerate(ways):
            longer[total + rank] += count
        ways = longer
    tail, best = 0, (1, 1 - 2 / 2**n)
    for k in range(1, len(ways) // 2 + 1):
        tail += ways[k - 1]
        coverage = 1 - 2 * tail / 2**n
        if coverage < confidence:
            break
        best = (k, coverage)
    return best


def noise_floor(aa_logs: Sequence[float], minimum: float) -> float:
    """f: the largest |log ratio| that a side showed against itself, and at least `minimum`."""
    return max([minimum, *(abs(x) for x in aa_logs)])


def speed(low: float, high: float, floor: float) -> Speed:
    """The verdict on an interval of log ratios: inside ± floor, clear of it, or neither."""
    if low > floor:
        return Speed.FASTER
    if high < -floor:
        return Speed.SLOWER
    if -floor <= low and high <= floor:
        return Speed.SAME
    return Speed.AMBIGUOUS


def confirmed(found: Speed, witness_low: float, floor: float) -> Speed:
    """A verdict with the witness asked too: FASTER is only what both clocks say.

    `witness_low` is the lower end of the log ratio by that clock.
    """
    return Speed.AMBIGUOUS if found is Speed.FASTER and not witness_low > floor else found


def too_short(
    raw_a: Sequence[tuple[int, int]], seen_a: Sequence[tuple[int, int]], seen_b: Sequence[tuple[int, int]]
) -> bool:
    """Whether calls are so short that most of what the witness sees of one is around it.

    Then the witness bounds a ratio from below and measures none: that it says less is no sign of anything.
    """
    beside, _ = overhead(raw_a, seen_a, across=False)
    return any(beside > MOST_BESIDE * float(np.median(np.asarray(side))) for side in (seen_a, seen_b))


def judged(inside: Estimate, witness: Estimate, floor: float, *, comparable: bool) -> Speed:
    """The verdict of an evaluation, on a scenario or a set: `inside` is by the runner's clock.

    Where that one is kinder to the candidate than the witness, the best is AMBIGUOUS, unless both say FASTER.
    Unless they are `comparable` it may be: across launchers the witness counts the launcher's time against
    the candidate, and of calls that are `too_short` what is around them.
    """
    found = confirmed(speed(inside.low, inside.high, floor), witness.low, floor)
    kinder = comparable and disagree(inside.low, witness.high)
    return Speed.AMBIGUOUS if found is Speed.SAME and kinder else found


def disagree(low: float, witness_high: float) -> bool:
    """Whether the runner's clock is kinder to the candidate than the witness, beyond both their intervals.

    `low` is the lower end of the log ratio by the one, `witness_high` the upper end by the other. Both are of
    the same calls, so of a true clock they overlap even where the calls scatter.
    """
    return low > witness_high + APART


def geometric_mean(
    scenarios: Sequence[Sequence[float]], *, resamples: int, seed: int, confidence: float = 0.95
) -> Estimate:
    """The mean log ratio of a set, its interval by resampling blocks within each scenario.

    Each scenario's estimator is `estimate`'s. Resampling n blocks understates their spread by
    sqrt((n−1)/n), so each deviation is stretched by the inverse, and by `drift_factor`. Percentiles of the
    resampled means.
    """
    generator = np.random.default_rng(seed)
    centres = np.array(
        [np.median(walsh_averages(np.asarray(blocks, dtype=np.float64))) for blocks in scenarios]
    )
    total = np.zeros(resamples)
    for blocks, centre in zip(scenarios, centres, strict=True):
        values = np.asarray(blocks, dtype=np.float64)
        n = len(values)
        stretch = (np.sqrt(n / (n - 1)) if n > 1 else 1.0) * drift_factor(values)
        step = max(1, (1 << 21) // (n * (n + 1)))  # bounds the memory of the pairwise means
        for at in range(0, resamples, step):
            rows = values[generator.integers(0, n, size=(min(step, resamples - at), n))]
            total[at : at + step] += centre + (np.median(walsh_averages(rows), axis=-1) - centre) * stretch
    means = total / len(scenarios)
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Estimate(float(centres.mean()), float(low), float(high), confidence)
