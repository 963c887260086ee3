"""What a record says of everything but calls: hashes, build, machine, constants, seeds."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Finite = Annotated[float, Field(allow_inf_nan=False)]


Index = tuple[int, ...]


Pair = tuple[int, int]


class Part(BaseModel):
    """Frozen, and an unknown key is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Flag(Part):
    """Something a reader should look at; it refuses nothing. `code` is stable, `evidence` one sentence."""

    code: str
    evidence: str


class Hashes(Part):
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


class BuildReport(Part):
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


class Environment(Part):
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


class ProtocolConstants(Part):
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
    slope_cpu_share: Finite | None = None
    slope_slack_ns: int | None = None
    slope_slack_python_ns: int | None = None
    slope_tries: int | None = None
    alone_share: Finite
    impossible_share: Finite | None = None
    workspace_bytes: int
    off_list_share: Finite
    off: tuple[str, ...] = ()


class Seeds(Part):
    """`root` as 16 hex digits, drawn for this evaluation and unknown to the candidate until after it.

    `bootstrap` resamples the blocks. Inputs come from each scenario's own `seed` (`ScenarioRecord`).
    """

    root: str
    bootstrap: int


class Asked(Part):
    """What the judge was asked for: what a record has to hold all of (`harness.verify.parts`).

    `scenarios` are the ids of the whole set in its order, `input_sets` the operator's, which every scenario
    is checked on. `baseline_lacks`: those the baseline does not support, which are not timed. `blocks`: how
    many were asked for, None where the set's own number was taken (`protocol.blocks_of`).
    """

    scenarios: tuple[str, ...]
    input_sets: tuple[str, ...]
    baseline_lacks: tuple[str, ...] = ()
    blocks: int | None = None
    check_only: bool = False


class LeftOut(Part):
    """A scenario in place of which no shape off the list was judged, and why."""

    scenario: str
    why: str


class Resumed(Part):
    """A run of the judge that this record was begun by: when, and the scenarios it had finished."""

    started: datetime
    checked: int
    timed: int
