"""What was measured: errors of outputs, raw times of calls, and the least a call must take."""

from datetime import datetime
from typing import Literal

from harness.record.parts import Finite, Index, Pair, Part
from harness.verdict import Speed, Status


class OutputError(Part):
    """How far one output is from the reference, beside the start's own distance and the limits.

    A row is one slice along the last axis; `worst_row` its index, one shorter than the output's rank.
    `dtype` is the output's, and `row_rms` the reference's size in the row of `worst_index`: limits follow
    from these, the start's errors and the protocol's constants (`gate.limits`).
    """

    output: str
    dtype: str = "float32"
    row_rms: Finite | None = None
    rel_rms: Finite
    rel_rms_start: Finite
    rel_rms_limit: Finite
    row_rel_rms: Finite
    row_rel_rms_start: Finite
    row_rel_rms_limit: Finite
    worst_row: Index
    max_abs: Finite
    max_abs_start: Finite
    max_abs_limit: Finite
    worst_index: Index
    sha256: str


class InputSetResult(Part):
    """One input set of a scenario. `check` names the check that failed, `evidence` says it in a sentence."""

    input_set: str
    seed: str
    status: Status
    check: str = ""
    evidence: str = ""
    outputs: tuple[OutputError, ...] = ()


class BlockSamples(Part):
    """Blocks of an A/B comparison. A is the baseline, B the candidate (or the baseline's twin).

    `order[i]` is ABBA or BAAB; `raw_ns_*[i]` are the two calls of block i on the runner's clock,
    `outside_ns_*[i]` the same calls on the judge's. `ratio` is A's time over B's: above 1, B is faster.
    `confidence` is what the interval's rank statistic really has; `retaken` counts the calls of A and B
    that were taken again, both together, because the scheduler had interrupted one. `cpu_ns_*` is the
    processor time the kernel charged for each call, empty where it did not say. `witness_ratio` and its
    interval are the ratio by processor time, else by the judge's clock (`statistics.witness_log_ratios`);
    absent in records from before there was one.
    """

    order: tuple[Literal["ABBA", "BAAB"], ...]
    raw_ns_a: tuple[Pair, ...]
    raw_ns_b: tuple[Pair, ...]
    outside_ns_a: tuple[Pair, ...]
    outside_ns_b: tuple[Pair, ...]
    block_log_ratio: tuple[Finite, ...]
    ratio: Finite
    low: Finite
    high: Finite
    confidence: Finite
    cpu_ns_a: tuple[Pair, ...] = ()
    cpu_ns_b: tuple[Pair, ...] = ()
    witness_ratio: Finite | None = None
    witness_low: Finite | None = None
    witness_high: Finite | None = None
    retaken: Pair = (0, 0)


class Slope(Part):
    """The outside-clock check: `calls` calls of B in one request, and twice as many in the next.

    `outside_ns` is what each request took on the judge's clock, `inside_ns` the sum of its calls on the
    runner's, `cpu_ns` the processor time the kernel charged (None where it did not say; then what the second
    took longer is looked at, which holds no constant of the channel's). See `harness.timing.slope`.
    """

    calls: int
    outside_ns: Pair
    inside_ns: Pair
    cpu_ns: Pair | None = None


class Timing(BlockSamples):
    """The candidate against the baseline; `checked_calls` counts the timed calls whose output was checked.

    `cross_runner`: A was run by another launcher than B. `launcher_ns_*` are calls of a kernel that does
    nothing, with the same arguments and by the same launchers, on the runner's clock.
    """

    verdict: Speed
    median_ns_a: Finite
    median_ns_b: Finite
    warmup_calls: Pair
    checked_calls: int
    cross_runner: bool = False
    launcher_ns_a: tuple[int, ...] = ()
    launcher_ns_b: tuple[int, ...] = ()
    slope: Slope | None = None


class SameAgainstSame(BlockSamples):
    """The baseline against its own twin process on one scenario."""

    scenario: str


class Bound(Part):
    """The least a call must do, and the least time that takes by the measured ceilings.

    `floor_ns` is the larger of `memory_ns` and `compute_ns`; None where no ceiling was measured.
    """

    bytes: int
    operations: int
    precision: str = "float32"
    memory_ns: Finite | None = None
    compute_ns: Finite | None = None
    floor_ns: Finite | None = None


class Ceilings(Part):
    """What this machine's core was measured to do at best (`timing.ceilings`); where calls could not be
    kept to one core, as many times that as there are cores.

    `bandwidth`: bytes a second read, written or copied, whichever is most, by working set in bytes
    (ascending); `operations`: floating-point operations a second, by precision.
    """

    bandwidth: tuple[tuple[int, Finite], ...]
    operations: dict[str, Finite]
    measured: datetime
