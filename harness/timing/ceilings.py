"""What this machine's core does at best, and the floor on a call's time that follows.

`native/ceilings.cpp` measures it, the cache keeps it for a day. A ceiling may be too high, never too low: so
the most that was ever seen on a machine counts (whatever else runs there only lowers a measurement), and
before a call is called impossible they are measured again (`harness.timing.timekeeper`).
"""

import contextlib
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import ValidationError

from harness.build import NATIVE, Build
from harness.children import Children
from harness.machine import cpu_name, prioritise
from harness.operator import Work
from harness.record.samples import Bound, Ceilings

SOURCE = NATIVE / "ceilings.cpp"
MOST_AGE = timedelta(days=1)
SECONDS = 30.0
PRODUCTS_OF_SPLITS = 2
"""float32 products can be made of 16-bit ones: three for about its precision, and no fewer than two."""

NO_CEILINGS = "No ceilings could be measured on this machine, so no call was held to a bound."
"""Said in the notes of a record whose timed calls nothing bounds."""


def bound_of(work: Work, ceilings: Ceilings | None) -> Bound:
    """The least a call must do, with the least time it takes by the ceilings.

    The bytes are held to the bandwidth of the largest measured set that is no larger than they are: as if
    all of them lay in the smallest cache with room for them. That is the most favourable case and more than
    a call gets: the judge writes the inputs from another core right before it, so at best they come from the
    cache that cores share (where there is one core only, from that core's own). A larger set's bandwidth
    counts as well, should it be higher.
    """
    memory = compute = None
    if ceilings is not None:
        memory = _nanoseconds(work.bytes, _bandwidth(work.bytes, ceilings))
        compute = _nanoseconds(work.operations, _operations(work.precision, ceilings.operations))
    floors = [one for one in (memory, compute) if one is not None]
    return Bound(
        bytes=work.bytes,
        operations=work.operations,
        precision=work.precision,
        memory_ns=memory,
        compute_ns=compute,
        floor_ns=max(floors, default=None),
    )


def _bandwidth(bytes_: int, ceilings: Ceilings) -> float:
    smaller = [size for size, _ in ceilings.bandwidth if size <= bytes_]
    least = max(smaller, default=0)
    return max((rate for size, rate in ceilings.bandwidth if size >= least), default=0.0)


def _operations(precision: str, measured: Mapping[str, float]) -> float:
    if precision == "float64":
        return measured.get("float64", 0.0)
    own, float32 = measured.get(precision, 0.0), measured.get("float32", 0.0)
    narrow = max(measured.get("bfloat16", 0.0), measured.get("float16", 0.0))
    return max(own, float32, narrow / PRODUCTS_OF_SPLITS) if own else 0.0


def _nanoseconds(amount: int, a_second: float) -> float | None:
    return 1e9 * amount / a_second if a_second > 0 else None


def most(first: Ceilings, second: Ceilings) -> Ceilings:
    """The higher of each number; as old as the newer."""
    one, other = dict(first.bandwidth), dict(second.bandwidth)
    sets = sorted(one.keys() | other.keys())
    precisions = sorted(first.operations.keys() | second.operations.keys())
    return Ceilings(
        bandwidth=tuple((size, max(one.get(size, 0.0), other.get(size, 0.0))) for size in sets),
        operations={
            name: max(first.operations.get(name, 0.0), second.operations.get(name, 0.0))
            for name in precisions
        },
        measured=max(first.measured, second.measured),
    )


def times(ceilings: Ceilings, cores: int) -> Ceilings:
    """Those of a call that may use so many cores, all of them at their best."""
    return Ceilings(
        bandwidth=tuple((size, rate * cores) for size, rate in ceilings.bandwidth),
        operations={name: rate * cores for name, rate in ceilings.operations.items()},
        measured=ceilings.measured,
    )


def parse(text: str) -> Ceilings | None:
    """What the program printed; None where that is nothing."""
    bandwidth: list[tuple[int, float]] = []
    operations: dict[str, float] = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) != 3:
            continue
        kind, of, rate = words
        if kind == "bandwidth" and of.isdigit():
            bandwidth.append((int(of), float(rate)))
        elif kind == "operations":
            operations[of] = float(rate)
    if not bandwidth:
        return None
    return Ceilings(bandwidth=tuple(sorted(bandwidth)), operations=operations, measured=datetime.now(UTC))


def ceilings(
    program: Build, *, children: Children, cache: Path, core: int | None, priority: int, anew: bool = False
) -> Ceilings | None:
    """This machine's ceilings for one core, from the cache or (older than a day, or `anew`) measured.

    To be called while nothing else is timed. None where they cannot be measured.
    """
    path = _place(program, cache)
    known = _read(path)
    if known is not None and not anew and timedelta() <= datetime.now(UTC) - known.measured < MOST_AGE:
        return known
    now = _measure(program, children, core, priority)
    if now is None:
        return known
    found = now if known is None else most(known, now)
    _write(path, found)
    return found


def _place(program: Build, cache: Path) -> Path:
    machine = "\0".join((cpu_name(), str(os.cpu_count()), program.compiler, program.key))
    return cache / "ceilings" / f"{hashlib.sha256(machine.encode()).hexdigest()[:32]}.json"


def _measure(program: Build, children: Children, core: int | None, priority: int) -> Ceilings | None:
    if program.output is None:
        return None
    with tempfile.TemporaryFile() as said:
        try:
            process = children.spawn(
                [str(program.output), str(-1 if core is None else core)],
                cwd=program.output.parent,
                env={"LC_ALL": "C"},
                stdout=said,
            )
        except OSError:
            return None
        prioritise(process.pid, priority)
        try:
            code = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            return None
        finally:
            children.kill(process)
        said.seek(0)
        return parse(said.read().decode(errors="replace")) if code == 0 else None


def _read(path: Path) -> Ceilings | None:
    try:
        return Ceilings.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):  # none yet, or damaged: measured again
        return None


def _write(path: Path, found: Ceilings) -> None:
    """Kept if it can be; without, the next evaluation measures again."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(descriptor, "w") as file:
            file.write(found.model_dump_json())
        Path(part).replace(path)
