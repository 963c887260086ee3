"""The constants of an evaluation, and what judge and runner say to each other.

A message is a fixed header and a payload, in the machine's byte order (both ends are on one machine).
The runner's half is `native/runner.cpp`.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, IntFlag

from harness.checks import Check
from harness.operator import DTypeName, Role


@dataclass(frozen=True, slots=True)
class Protocol:
    """Every constant the numbers depend on. The record carries them all.

    Marked (g): a first guess, to be calibrated.
    """

    name: str = "kernelseek-cpu-2"
    warmup_calls: int = 2
    """The first call of a process pays for page tables and lazy binding, the second for branch history."""
    warmup_ns: int = 10_000_000
    """Long enough to leave a sleeping core's low clock (g)."""
    confidence: float = 0.95
    aa_scenarios: int = 5
    minimum_floor: float = 0.01
    """No difference under 1 % is called one, however quiet the machine."""
    resamples: int = 2000
    error_factor: float = 2.0
    row_factor: float = 3.0
    fp32_floor: float = 1e-5
    bf16_floor: float = 5e-3
    """For bfloat16; float16 has an eighth of it, for three more bits (g)."""
    max_abs_factor: float = 4.0
    row_denominator_floor: float = 1e-2
    """A row's error is relative to its own RMS, but to no less than this share of the output's (g)."""
    start_factor: float = 10.0
    """How many floors the start itself may be off the reference before nothing is measured by it (g)."""
    red_zone_bytes: int = 4096
    poison_byte: int = 0xFF
    build_seconds: float = 120.0
    call_seconds: float = 20.0
    tries: int = 4
    """A timed call in which the scheduler gave the core to someone else measures that one too; it is taken
    again with its partner on new inputs, until a try is undisturbed; else the least disturbed one counts."""
    retakes_per_call: float = 1.0
    """On a busy machine, so many calls are taken again per call wanted, and no more."""
    priority: int = -15
    """The runners' nice value while they are timed, where the system lets us raise it."""
    reference_seconds: float = 120.0
    max_deaths: int = 3
    """Scenarios a candidate may crash, exit or hang in before the rest is not run."""
    pause_seconds: float = 2.0
    """How long a process may take to stop (a loaded machine needs milliseconds)."""
    pause_slack_ns: int = 1_000_000
    """Processor time a stopped process may be charged: the kernel's own way out of the last call. 0.1 ms was
    seen of an honest kernel on a busy virtual machine, and nothing in 9,000 other calls."""
    cpu_slack_ns: int = 300_000
    cpu_slack_share: float = 0.05
    """How much more processor time than its runner's clock saw a call may cost before it is taken again; and
    how much more than the baseline's most of a side's calls may, before its clock is called forged (g)."""
    more_slack_python_ns: int = 700_000
    """So much more for a Python worker: its interpreter comes back to cold caches (g)."""
    clock_slack_ns: int = 300_000
    clock_slack_share: float = 0.2
    """How much more of a call than for the baseline may go unseen by the runner's clock (g)."""
    launcher_calls: int = 16
    """Calls of a kernel that does nothing, by which the launcher's own time is known."""
    slope_ns: int = 15_000_000
    """The calls in a row of the slope check are so many that they take about this long (g)."""
    slope_most_ns: int = 120_000_000
    """A scenario whose calls are longer than this is not asked for several in a row: its single calls are
    held to their clock more closely already."""
    slope_calls: int = 64
    slope_share: float = 0.8
    """Of the time that more calls took by the judge's clock, so much the runner's must have seen: on a busy
    machine some of it is the channel's (g)."""
    slope_cpu_share: float = 0.9
    """The same of the processor time that the kernel charged for calls in a row, which no load delays. Of 852
    requests on a busy machine, most of honest kernels, it would have refused none; 0.95 an honest one."""
    slope_slack_ns: int = 3_000
    """What a call in a row may cost beside itself: its arguments copied, two looks at the clock (g)."""
    slope_slack_python_ns: int = 100_000
    """The same in the Python worker, which makes new tensors for each call (g)."""
    slope_tries: int = 4
    alone_share: float = 0.6
    """What a single call has to take of one in a row at least, by medians. Honest ones take more than all of
    it; the rest is room for a row that met a busy machine (g)."""
    impossible_share: float = 0.95
    """A median call that took less than this share of the floor is IMPOSSIBLE: room for the noise of a
    measured ceiling (g)."""
    workspace_bytes: int = 1 << 30
    off_list_share: float = 0.1
    """Per listed scenario, so many shapes that are on no list are checked too; one at the least."""
    off: frozenset[Check] = frozenset()
    """Checks that are switched off, to show in tests what each is for; never set by a command or a file."""

    def on(self, check: str) -> bool:
        """Whether a check is made."""
        return check not in self.off

    def whole(self) -> "Protocol":
        """The same with every check on, for what is not the candidate's."""
        return replace(self, off=frozenset())


class Op(IntEnum):
    """What the judge asks of a runner, native or Python alike.

    RUN_MANY carries the number of calls (uint32) and makes them back to back on the memory as it is, each
    timed by itself as RUN's one is and with fresh copies of its arguments; it stops after a call that does
    not return KS_OK. Its reply is RUN's: `status` of the last call, `ns` the sum of the calls' times,
    `value` the preemptions in all of them.

    HOLD comes before LOAD and carries the library's folder: the runner gives up whatever a candidate may not
    do, and answers in `value` what it could give up (`Held`). With no folder, which only a test sends, it
    gives up nothing.

    The rest is only asked of a Python worker (`harness.python`): HELLO before all else, with JSON settings;
    AUDIT is a RUN that lists operators in its text; DIGEST sums up the Python around a candidate.
    """

    LOAD = 1
    MAP = 2
    RUN = 3
    RUN_MANY = 4
    HOLD = 5
    HELLO = 16
    AUDIT = 17
    DIGEST = 18


class Held(IntFlag):
    """What a runner gave up before it loaded a candidate (`native/contain.h`): the system calls it has no
    need of, files but those it reads, and any change to its own code and tables."""

    SYSTEM_CALLS = 1
    FILES = 2
    CODE = 4


class LoadFailure(IntEnum):
    """A runner's negative statuses."""

    CANNOT_LOAD = -1
    NO_SYMBOL = -2
    WRONG_ABI = -3
    CANNOT_MAP = -4


LOST_CHANNEL = 71
"""A runner's exit code when its channel was closed under it."""

KS_OK = 0
KS_UNSUPPORTED = 1
RAISED = -16
"""A Python worker's status of a call that raised."""
MAX_RANK = 8
DTYPES: dict[DTypeName, int] = {"float32": 0, "float64": 1, "int32": 2, "bfloat16": 3, "float16": 4}
ROLES: dict[Role, int] = {"input": 0, "output": 1}

_REQUEST = struct.Struct("@II")
_TOKEN = struct.Struct("@Q")
_REPLY = struct.Struct("@IiQQQII")
_MAP = struct.Struct("@QQQQ")
_TENSOR = struct.Struct(f"@Qiiii{MAX_RANK}q{MAX_RANK}q")
REPLY_BYTES = _REPLY.size


@dataclass(frozen=True, slots=True)
class Reply:
    """A runner's answer. `value` is the workspace wanted (LOAD) or how often the core was taken away
    in the call (RUN), `ns` the call's time."""

    op: int
    status: int
    token: int
    ns: int
    value: int
    text_length: int


@dataclass(frozen=True, slots=True)
class TensorPlace:
    """One tensor of the table a runner is given. `offset` is into the arena, strides are in bytes."""

    offset: int
    dtype: DTypeName
    role: Role
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def request(op: Op, token: int, payload: bytes = b"") -> bytes:
    """A message to a runner; the reply repeats `token`, which comes last: a runner reads it when the call is
    over, so that no candidate finds it in its process."""
    return _REQUEST.pack(op, len(payload)) + payload + _TOKEN.pack(token)


def load_payload(library: str, params: bytes) -> bytes:
    """The library to load and the packed `ks_params`."""
    path = library.encode()
    return struct.pack("@I", len(path)) + path + params


def map_payload(arena_bytes: int, workspace: tuple[int, int], tensors: Sequence[TensorPlace]) -> bytes:
    """Where things are in the arena; `workspace` is (offset, bytes)."""
    parts = [_MAP.pack(arena_bytes, workspace[0], workspace[1], len(tensors))]
    for place in tensors:
        fill = (0,) * (MAX_RANK - len(place.shape))
        parts.append(
            _TENSOR.pack(
                place.offset,
                DTYPES[place.dtype],
                ROLES[place.role],
                len(place.shape),
                0,
                *place.shape,
                *fill,
                *place.strides,
                *fill,
            )
        )
    return b"".join(parts)


def run_many_payload(calls: int) -> bytes:
    """How many calls to make back to back."""
    return struct.pack("@I", calls)


def parse_reply(data: bytes) -> Reply:
    """Read `REPLY_BYTES` bytes."""
    op, status, token, ns, value, text_length, _ = _REPLY.unpack(data)
    return Reply(op, status, token, ns, value, text_length)
