"""The set as a whole: geometric mean, floor, score and the one line a reader sees first. Pure."""

import math
from collections.abc import Sequence
from typing import Any

from harness.record import Aggregate, BlockSamples, ScenarioRecord
from harness.statistics import (
    confirmed,
    estimate,
    geometric_mean,
    noise_floor,
    speed,
    witness_log_ratios,
)
from harness.verdict import WRONG_STATUSES, Outcome, Speed, Status


def witness_logs(samples: BlockSamples) -> list[float]:
    """The log ratios of the clock that no candidate reaches, from the record's raw samples."""
    seen_a, seen_b = samples.cpu_ns_a, samples.cpu_ns_b
    if not seen_a or not seen_b:
        seen_a, seen_b = samples.outside_ns_a, samples.outside_ns_b
    return witness_log_ratios(samples.raw_ns_a, seen_a, seen_b)


def floor_of(aa: Sequence[BlockSamples], minimum: float, confidence: float) -> float:
    """f from the comparisons of the baseline with itself."""
    return noise_floor([estimate(one.block_log_ratio, confidence).log for one in aa], minimum)


def aggregate(
    scenarios: Sequence[ScenarioRecord],
    *,
    total: int,
    floor: float | None,
    resamples: int,
    seed: int,
    confidence: float,
) -> Aggregate:
    """Summarise. `total` is counted from the set, never from the results; `floor` None: nothing was timed."""
    correct = sum(one.status is Status.CORRECT for one in scenarios)
    timed = [one for one in scenarios if one.timing is not None]
    ratios = {one.id: one.timing.ratio for one in timed if one.timing is not None}
    worst = min(ratios, key=lambda name: ratios[name]) if ratios else None
    speeds = [one.timing.verdict for one in timed if one.timing is not None]
    common: dict[str, Any] = {
        "n_correct": correct,
        "n_total": total,
        "floor": floor,
        "n_faster": speeds.count(Speed.FASTER),
        "n_slower": speeds.count(Speed.SLOWER),
        "worst": worst,
        "worst_ratio": ratios[worst] if worst is not None else None,
    }
    wrong = [one.id for one in scenarios if one.status in WRONG_STATUSES or one.status is Status.TIMEOUT]
    if wrong:
        reason = f"{len(wrong)} of {total} scenarios are wrong, so the total is 0: {_few(wrong)}."
        return Aggregate(**common, score=0.0, reason=reason)
    if correct < total or len(scenarios) < total:
        missing = [one.id for one in scenarios if one.status is not Status.CORRECT]
        words = f": {_few(missing)}" if missing else ""
        return Aggregate(**common, reason=f"{correct} of {total} scenarios are correct{words}.")
    if len(timed) < total or floor is None:
        return Aggregate(**common, reason=f"{len(timed)} of {total} scenarios were timed.")
    blocks = [one.timing.block_log_ratio for one in timed if one.timing is not None]
    mean = geometric_mean(blocks, resamples=resamples, seed=seed, confidence=confidence)
    verdict = speed(mean.low, mean.high, floor)
    if verdict is Speed.FASTER:
        logs = [witness_logs(one.timing) for one in timed if one.timing is not None]
        seen = geometric_mean(logs, resamples=resamples, seed=seed, confidence=confidence)
        verdict = confirmed(verdict, seen.low, floor)
    return Aggregate(
        **common,
        geomean=math.exp(mean.log),
        low=math.exp(mean.low),
        high=math.exp(mean.high),
        verdict=verdict,
        score=math.exp(mean.log),
    )


def summary(outcome: Outcome, scenarios: Sequence[ScenarioRecord], whole: Aggregate, baseline: str) -> str:
    """One line: the outcome, the mean with its interval, and the scenario that holds it back."""
    head = f"{outcome} {whole.n_correct}/{whole.n_total}"
    failed = [one for one in scenarios if one.status is not Status.CORRECT]
    if failed:
        first = next((one for one in failed if one.status is not Status.NOT_RUN), failed[0])
        return f"{head}: {first.id} is {first.status}: {first.evidence or first.detail}"
    if whole.geomean is None:
        return f"{head}: {whole.reason or 'not timed'}"
    assert whole.low is not None
    assert whole.high is not None
    return (
        f"{head}: {whole.geomean:.3g}x over {baseline} [{whole.low:.3g}, {whole.high:.3g}], {whole.verdict}, "
        f"floor {100 * (whole.floor or 0):.1f} %; the least is {whole.worst} at {whole.worst_ratio:.3g}x"
    )


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")
