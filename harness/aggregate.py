"""The set as a whole: geometric mean, floor, score and the one line a reader sees first. Pure."""

import math
from collections.abc import Sequence
from typing import Any

from harness.correctness.off_list import off_list_words
from harness.record.parts import Pair
from harness.record.record import Aggregate, ScenarioRecord, Worst
from harness.record.samples import BlockSamples, Timing
from harness.timing.statistics import (
    disagree,
    estimate,
    geometric_mean,
    judged,
    noise_floor,
    too_short,
    witness_log_ratios,
)
from harness.verdict import WRONG_STATUSES, Outcome, Speed, Status

SHOWN_WORST = 5
BEST_SHARE = 20
"""One in so many of the scenarios is left out of `geomean_without_best`, and one at the least."""


def witness_logs(samples: BlockSamples) -> list[float]:
    """The log ratios of the clock that no candidate reaches, from the record's raw samples."""
    seen_a, seen_b = _seen(samples)
    across = isinstance(samples, Timing) and samples.cross_runner
    return witness_log_ratios(samples.raw_ns_a, seen_a, seen_b, across=across)


def comparable(timing: Timing) -> bool:
    """Whether its witness measures what the runner's clock does (`statistics.judged`)."""
    return not timing.cross_runner and not too_short(timing.raw_ns_a, *_seen(timing))


def _seen(samples: BlockSamples) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """What the witness saw of each call of A and of B."""
    if samples.cpu_ns_a and samples.cpu_ns_b:
        return samples.cpu_ns_a, samples.cpu_ns_b
    return samples.outside_ns_a, samples.outside_ns_b


def timing_verdict(timing: Timing, floor: float, confidence: float) -> Timing:
    """The timing with its verdict by this floor, from its raw samples."""
    inside, seen = (estimate(logs, confidence) for logs in (timing.block_log_ratio, witness_logs(timing)))
    verdict = judged(inside, seen, floor, comparable=comparable(timing))
    return timing.model_copy(update={"verdict": verdict})


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
    off_list: Sequence[ScenarioRecord] = (),
) -> Aggregate:
    """Summarise. `total` is counted from the set, never from the results; `floor` None: nothing was timed.

    Shapes of `off_list` are not counted, but one that is wrong makes the score 0, and any that is not
    CORRECT leaves the set without a mean. Where the runner's clock, which lies in the candidate's process, is
    kinder to it than the witness beyond both intervals, mean, interval and score are the witness's, and
    `disbelieved` is the other mean.
    """
    correct = sum(one.status is Status.CORRECT for one in scenarios)
    timed = [one for one in scenarios if one.timing is not None]
    worst = slowest(scenarios)
    speeds = [one.timing.verdict for one in timed if one.timing is not None]
    common: dict[str, Any] = {
        "n_correct": correct,
        "n_total": total,
        "floor": floor,
        "n_faster": speeds.count(Speed.FASTER),
        "n_slower": speeds.count(Speed.SLOWER),
        "worst": worst[0].id if worst else None,
        "worst_ratio": worst[0].ratio if worst else None,
        "worst_five": worst,
    }
    wrong = [one.id for one in scenarios if _wrong(one)]
    if wrong:
        reason = f"{_counted(scenarios, total, 'scenarios')}, so the total is 0: {_few(wrong)}."
        return Aggregate(**common, score=0.0, reason=reason)
    off = [one.id for one in off_list if _wrong(one)]
    if off:
        counted = _counted(off_list, len(off_list), "shapes off the list")
        reason = f"{counted}, so the total is 0: {_few(off)}."
        return Aggregate(**common, score=0.0, reason=reason)
    if correct < total or len(scenarios) < total:
        missing = [one.id for one in scenarios if one.status is not Status.CORRECT]
        words = f": {_few(missing)}" if missing else ""
        return Aggregate(**common, reason=f"{correct} of {total} scenarios are correct{words}.")
    off = [one.id for one in off_list if one.status is not Status.CORRECT]
    if off:
        reason = f"{len(off)} of {len(off_list)} shapes off the list are not correct: {_few(off)}."
        return Aggregate(**common, reason=reason)
    if len(timed) < total or floor is None:
        return Aggregate(**common, reason=f"{len(timed)} of {total} scenarios were timed.")
    timings = [one.timing for one in timed if one.timing is not None]
    inside = [one.block_log_ratio for one in timings]
    beside = [witness_logs(one) for one in timings]
    # Where the witness measures nothing it speaks against nothing; for FASTER it is asked all the same.
    weighed = [
        seen if comparable(one) else own for one, own, seen in zip(timings, inside, beside, strict=True)
    ]
    mean, seen, fair = (
        geometric_mean(logs, resamples=resamples, seed=seed, confidence=confidence)
        for logs in (inside, beside, weighed)
    )
    apart = disagree(mean.low, fair.high)
    shown, ratios = mean, [one.ratio for one in timings]
    if apart:
        shown = fair
        ratios = [math.exp(estimate(logs, confidence).log) for logs in weighed]
    verdict = judged(mean, seen, floor, comparable=False)
    if len(timings) == 1:  # resampling one scenario's blocks says no more than its own interval does
        verdict = timing_verdict(timings[0], floor, confidence).verdict
    return Aggregate(
        **common,
        geomean=math.exp(shown.log),
        low=math.exp(shown.low),
        high=math.exp(shown.high),
        verdict=Speed.AMBIGUOUS if apart and verdict is Speed.SAME else verdict,
        score=math.exp(shown.log),
        geomean_without_best=without_best(ratios),
        disbelieved=math.exp(mean.log) if apart else None,
    )


def slowest(scenarios: Sequence[ScenarioRecord]) -> tuple[Worst, ...]:
    """The timed scenarios with the least ratios, the least first; of equals the first in the list."""
    found = [
        Worst(id=one.id, ratio=t.ratio, low=t.low, high=t.high, verdict=t.verdict)
        for one in scenarios
        if (t := one.timing) is not None
    ]
    return tuple(sorted(found, key=lambda one: one.ratio)[:SHOWN_WORST])


def without_best(ratios: Sequence[float]) -> float | None:
    """The geometric mean without the best twentieth of them, one at the least; None where none is left."""
    kept = sorted(ratios)[: len(ratios) - max(1, len(ratios) // BEST_SHARE)]
    return math.exp(math.fsum(map(math.log, kept)) / len(kept)) if kept else None


def summary(
    outcome: Outcome,
    scenarios: Sequence[ScenarioRecord],
    whole: Aggregate,
    baseline: str,
    off_list: Sequence[ScenarioRecord] = (),
) -> str:
    """One line: the outcome, the mean with its interval, and the scenario that holds it back."""
    head = f"{outcome} {whole.n_correct}/{whole.n_total}"
    failed = [one for one in (*scenarios, *off_list) if one.status is not Status.CORRECT]
    if failed:
        judged = [one for one in failed if one.status is not Status.NOT_RUN] or failed
        first = next((one for one in judged if _wrong(one)), judged[0])
        if not any(one is first for one in scenarios):
            return f"{head}: {off_list_words(first)}"
        return f"{head}: {first.id} is {first.status}: {first.evidence or first.detail}"
    if whole.geomean is None:
        return f"{head}: {whole.reason or 'not timed'}"
    assert whole.low is not None
    assert whole.high is not None
    return (
        f"{head}: {whole.geomean:.3g}x over {baseline} [{whole.low:.3g}, {whole.high:.3g}], {whole.verdict}, "
        f"floor {100 * (whole.floor or 0):.1f} %; the least is {whole.worst} at {whole.worst_ratio:.3g}x"
        f"{_other_clock(whole)}"
    )


def _other_clock(whole: Aggregate) -> str:
    if whole.disbelieved is None:
        return ""
    return f"; the clock in the candidate's process says {whole.disbelieved:.3g}x and is not believed"


def _wrong(scenario: ScenarioRecord) -> bool:
    return scenario.status in WRONG_STATUSES or scenario.status is Status.TIMEOUT


def _counted(judged: Sequence[ScenarioRecord], total: int, what: str) -> str:
    """`2 of 4 scenarios are wrong and 1 ran past its limit`."""
    late = sum(one.status is Status.TIMEOUT for one in judged)
    wrong = sum(map(_wrong, judged)) - late
    words = f"{wrong} of {total} {what} {'is' if wrong == 1 else 'are'} wrong"
    if not late:
        return words
    ran = f"ran past {'its limit' if late == 1 else 'their limits'}"
    return f"{words} and {late} {ran}" if wrong else f"{late} of {total} {what} {ran}"


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")
