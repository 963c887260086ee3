"""The record of an evaluation: everything needed to audit it and to compute its numbers again.

Raw samples are always kept; every number is finite; an unknown key is refused; absent is not zero.
"""

import hashlib
import json
import os
import secrets
import stat
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import JudgeError, RefusedRecord
from harness.verdict import Outcome, Speed, Status

SCHEMA_VERSION: Literal[2] = 2
MAX_RECORD_BYTES = 64 << 20

Finite = Annotated[float, Field(allow_inf_nan=False)]
Index = tuple[int, ...]
Pair = tuple[int, int]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Flag(_Part):
    """Something a reader should look at; it refuses nothing. `code` is stable, `evidence` one sentence."""

    code: str
    evidence: str


class Hashes(_Part):
    """SHA-256 of everything that decides the numbers; `harness` is over the judge's own sources."""

    candidate: str
    start: str
    baseline: str
    operator: str
    harness: str
    candidate_binary: str | None = None
    start_binary: str | None = None
    baseline_binary: str | None = None
    runner_binary: str | None = None


class BuildReport(_Part):
    """How the candidate was built. `errors` are the compiler's first errors, `log_tail` its last words.

    `sandbox` names what held the compiler (`landlock`, `no-network`); empty: nothing did. `needed` are the
    shared libraries the binary asks for, `undefined` the symbols it takes from them.
    """

    command: tuple[str, ...]
    compiler: str
    returncode: int
    seconds: Finite
    cached: bool
    log_sha256: str
    log_tail: str
    errors: tuple[str, ...] = ()
    timed_out: bool = False
    sandbox: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()


class Environment(_Part):
    """The machine. `affinity`: the cores the runners were pinned to, empty where they could not be;
    `priority`: their nice value; `containment`: what held the candidate's process (`seccomp`: system calls
    filtered, `subreaper`: what it leaves behind is found, `pause`: that it stands still is verified,
    `cpu-clock`: its processor time is known, `seals`: memory cannot be resized,
    `no-files`: no file can be opened to write, made or removed, `no-network`, `landlock`: no file can be
    read but the candidate and the system's libraries, `fixed-code`: the runner's own code and tables cannot
    be changed)."""

    platform: str
    kernel: str
    cpu: str
    cores: int
    affinity: tuple[int, ...]
    priority: int = 0
    containment: tuple[str, ...] = ()
    python: str
    numpy: str
    torch: str | None
    triton: str | None = None
    reference_python: str


class ProtocolConstants(_Part):
    """Every constant the numbers depend on (`harness.protocol.Protocol`)."""

    name: str
    blocks: int
    warmup_calls: int
    warmup_ns: int
    confidence: Finite
    aa_scenarios: int
    minimum_floor: Finite
    resamples: int
    error_factor: Finite
    row_factor: Finite
    fp32_floor: Finite
    bf16_floor: Finite
    max_abs_factor: Finite
    row_denominator_floor: Finite
    start_factor: Finite
    red_zone_bytes: int
    poison_byte: int
    build_seconds: Finite
    call_seconds: Finite
    tries: int
    retakes_per_call: Finite
    reference_seconds: Finite
    max_deaths: int
    pause_seconds: Finite | None = None
    pause_slack_ns: int | None = None
    cpu_slack_ns: int | None = None
    cpu_slack_share: Finite | None = None
    more_slack_python_ns: int | None = None
    clock_slack_ns: int
    clock_slack_share: Finite
    launcher_calls: int | None = None
    slope_ns: int | None = None
    slope_most_ns: int | None = None
    slope_calls: int | None = None
    slope_share: Finite | None = None
    slope_slack_ns: int | None = None
    slope_slack_python_ns: int | None = None
    slope_tries: int | None = None
    impossible_share: Finite | None = None
    workspace_bytes: int
    off_list_share: Finite
    off: tuple[str, ...] = ()


class Seeds(_Part):
    """`root` as 16 hex digits, drawn for this evaluation and unknown to the candidate until after it.

    `bootstrap` resamples the blocks. Inputs come from each scenario's own `seed` (`ScenarioRecord`).
    """

    root: str
    bootstrap: int


class OutputError(_Part):
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


class InputSetResult(_Part):
    """One input set of a scenario. `check` names the check that failed, `evidence` says it in a sentence."""

    input_set: str
    seed: str
    status: Status
    check: str = ""
    evidence: str = ""
    outputs: tuple[OutputError, ...] = ()


class BlockSamples(_Part):
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


class Slope(_Part):
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


class Bound(_Part):
    """The least a call must do, and the least time that takes by the measured ceilings.

    `floor_ns` is the larger of `memory_ns` and `compute_ns`; None where no ceiling was measured.
    """

    bytes: int
    operations: int
    precision: str = "float32"
    memory_ns: Finite | None = None
    compute_ns: Finite | None = None
    floor_ns: Finite | None = None


class Ceilings(_Part):
    """What this machine's core was measured to do at best (`timing.ceilings`); where calls could not be
    kept to one core, as many times that as there are cores.

    `bandwidth`: bytes a second read, written or copied, whichever is most, by working set in bytes
    (ascending); `operations`: floating-point operations a second, by precision.
    """

    bandwidth: tuple[tuple[int, Finite], ...]
    operations: dict[str, Finite]
    measured: datetime


class ScenarioRecord(_Part):
    """One scenario. `check` and `evidence` are of the first thing that failed; `detail` is for a reader.

    `seed` (16 hex digits) is what all its inputs were drawn from, revealed with the record.
    """

    id: str
    family: str
    params: dict[str, int | Finite]
    status: Status
    check: str = ""
    evidence: str = ""
    admitted: bool | None = None
    trivial_failed: tuple[str, ...] = ()
    correctness: tuple[InputSetResult, ...] = ()
    timing: Timing | None = None
    bound: Bound | None = None
    detail: str = ""
    seed: str = ""
    flags: tuple[Flag, ...] = ()


class SameAgainstSame(BlockSamples):
    """The baseline against its own twin process on one scenario."""

    scenario: str


class Worst(_Part):
    """A scenario among the slowest, as its ratio says."""

    id: str
    ratio: Finite
    low: Finite
    high: Finite
    verdict: Speed


class Resumed(_Part):
    """A run of the judge that this record was begun by: when, and the scenarios it had finished."""

    started: datetime
    checked: int
    timed: int


class Aggregate(_Part):
    """The whole set. `geomean` is None, with `reason`, unless every scenario is CORRECT and was timed.

    `score` is 0 where a runnable scenario was wrong, else the geometric mean, else None.
    `geomean_without_best` leaves the best twentieth of the scenarios out (one at the least), so that a mean
    that rests on a few can be seen.
    """

    geomean: Finite | None = None
    low: Finite | None = None
    high: Finite | None = None
    verdict: Speed | None = None
    floor: Finite | None = None
    score: Finite | None = None
    n_correct: int
    n_total: int
    n_faster: int = 0
    n_slower: int = 0
    worst: str | None = None
    worst_ratio: Finite | None = None
    worst_five: tuple[Worst, ...] = ()
    geomean_without_best: Finite | None = None
    reason: str = ""


class Record(_Part):
    """One run of the judge over a set of scenarios.

    `off_list` are shapes that are on no list, checked and not timed. `digest` is over all the rest
    (`harness.verify.record`): it shows damage, not a forger.
    """

    schema_version: Literal[2] = SCHEMA_VERSION
    eval_id: str
    started: datetime
    ended: datetime
    seconds: Finite
    status: Outcome
    summary: str
    operator: str
    scenario_set: str
    scenario_glob: str | None = None
    baseline: str
    candidate: str
    frozen: str
    owner: str = "none"
    rehearsed: bool = False
    device: str = "cpu"
    hashes: Hashes
    build: BuildReport
    env: Environment
    protocol: ProtocolConstants
    seeds: Seeds
    scenarios: tuple[ScenarioRecord, ...]
    off_list: tuple[ScenarioRecord, ...] = ()
    aa: tuple[SameAgainstSame, ...] = ()
    aggregate: Aggregate
    flags: tuple[Flag, ...] = ()
    ceilings: Ceilings | None = None
    language: Literal["c++", "python"] = "c++"
    resumed: tuple[Resumed, ...] = ()
    notes: tuple[str, ...] = ()
    digest: str = ""


def not_run(record: Record) -> bool:
    """Whether the candidate was refused before anything of it ran: its build failed or broke a rule."""
    refused = record.status in {Outcome.BUILD_FAILED, Outcome.POLICY}
    return refused and all(one.status is Status.NOT_RUN for one in record.scenarios)


def new_eval_id(now: datetime | None = None) -> str:
    """A name for an evaluation that sorts by time and never repeats: `20260102T030405123-1a2b3c4d`."""
    now = now or datetime.now(UTC)
    return f"{now:%Y%m%dT%H%M%S}{now.microsecond // 1000:03d}-{secrets.token_hex(4)}"


def digest_of(said: dict[str, Any]) -> str:
    """SHA-256 over a record's JSON object without its `digest`: keys sorted, no spaces, UTF-8."""
    rest = {key: value for key, value in said.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sealed(record: Record) -> Record:
    """The record with its `digest`. Make a record with this; one that was changed since is refused."""
    said: dict[str, Any] = json.loads(record.model_dump_json())
    return record.model_copy(update={"digest": digest_of(said)})


def dump_record(record: Record) -> str:
    """The record as JSON; `read_record` gives the same record back."""
    return record.model_dump_json(indent=1) + "\n"


def write_record(record: Record, path: Path) -> None:
    """Write by atomic rename: a reader sees the whole record or none. Raises `JudgeError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(dump_record(record))
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:  # whatever happened, also Ctrl-C: no half record stays
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise JudgeError(f"The record could not be written to {path}: {error.strerror}.") from error


def read_record(path: Path) -> Record:
    """Read a record. Raises `RefusedRecord` with what is wrong in one sentence."""
    text = read_regular(path)
    if len(text) > MAX_RECORD_BYTES:
        raise RefusedRecord(f"{path} is over {MAX_RECORD_BYTES >> 20} MB and no record of this judge.")
    try:
        return Record.model_validate_json(text)
    except ValidationError as error:
        if _schema(text) in range(1, SCHEMA_VERSION):
            raise RefusedRecord(
                f"{path} is of an older judge (schema_version {_schema(text)}, this one writes "
                f"{SCHEMA_VERSION}); evaluate the candidate again."
            ) from error
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise RefusedRecord(f"{path} is not a record of this judge: {where}: {first['msg']}.") from error


def _schema(text: bytes) -> int:
    """The schema version that a JSON object names; 0 where it names none."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return 0
    version = said.get("schema_version") if isinstance(said, dict) else None
    return version if type(version) is int else 0


def read_regular(path: Path) -> bytes:
    """The first `MAX_RECORD_BYTES` + 1 bytes of a plain file, without waiting for a writer.

    Raises `RefusedRecord`.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise RefusedRecord(f"{path} is not a plain file; remove it.")
            return file.read(MAX_RECORD_BYTES + 1)
    except OSError as error:
        raise RefusedRecord(f"The record {path} cannot be read: {error.strerror}.") from error
