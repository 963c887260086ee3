"""The shared memory of one scenario: every tensor between red zones, and the workspace.

The judge and all runners of a scenario map the same pages, so where memory lies favours no side. Before
each call the judge writes inputs and poisons outputs and workspace; after it, it looks at what is there.
"""

import fcntl
import mmap
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from harness.checks import Check
from harness.dtypes import bits_dtype, item_bytes, numpy_dtype
from harness.errors import JudgeError
from harness.operator import Array, TensorSpec
from harness.protocol import MAX_RANK, Protocol, TensorPlace
from harness.verdict import Status

PAGE = 4096
RED = 0xA5
"""Neither the poison nor a byte that zeros or small numbers are made of."""
_CAN_SEAL = hasattr(fcntl, "F_ADD_SEALS") and hasattr(os, "memfd_create")


@dataclass(frozen=True, slots=True)
class Violation:
    """What a call did that it may not do, by the name of the check that saw it."""

    status: Status
    check: str
    evidence: str


@dataclass(frozen=True, slots=True)
class _Zone:
    start: int
    stop: int
    words: str


class Arena:
    """See the module. `descriptor` is what runners inherit; `resize` is called once, before they map it."""

    def __init__(self, specs: Sequence[TensorSpec], protocol: Protocol) -> None:
        for spec in specs:
            if len(spec.shape) > MAX_RANK or any(extent < 1 for extent in spec.shape):
                raise JudgeError(
                    f"The tensor {spec.name} has the shape {spec.shape}, which no call can have."
                )
        self.specs = tuple(specs)
        self._protocol = protocol
        self._file = _anonymous_file()
        self.descriptor = self._file.fileno()
        self._map: mmap.mmap | None = None
        self._bytes: NDArray[np.uint8] = np.empty(0, np.uint8)
        self._zones: list[_Zone] = []
        self._masters: dict[str, NDArray[np.uint8]] = {}
        self._offsets: dict[str, int] = {}
        self._rest = _Zone(0, 0, "")
        self.workspace = (0, 0)
        self.size = 0
        self._sealed = _seals(self.descriptor)

    def resize(self, workspace_bytes: int) -> None:
        """Lay everything out with this much workspace. Raises `JudgeError` where memory is short."""
        red = self._protocol.red_zone_bytes
        at = 0
        blocks = [(spec.name, nbytes(spec)) for spec in self.specs]
        if workspace_bytes:
            blocks.append(("", workspace_bytes))
        before = "the start of the memory"
        for name, size in blocks:
            words = f"output or input {name}" if name else "the workspace"
            start = _round_up(at + red)
            self._zones.append(_Zone(at, start, f"between {before} and {words}"))
            if name:
                self._offsets[name] = start
            else:
                self.workspace = (start, workspace_bytes)
            at, before = start + size, words
        end = _round_up(at + red)
        self._zones.append(_Zone(at, end, f"after {before}"))
        self.size = end
        try:
            os.ftruncate(self.descriptor, end)
            self._map = mmap.mmap(self.descriptor, end)
            self._seal()
        except (OSError, ValueError) as error:
            raise JudgeError(f"No memory for a scenario of {end >> 20} MB: {error}.") from error
        self._bytes = np.frombuffer(self._map, dtype=np.uint8)
        self._bytes[:] = self._protocol.poison_byte
        for zone in self._zones:
            self._bytes[zone.start : zone.stop] = RED

    def spoiled(self) -> Violation | None:
        """Whether a process that was given the memory changed its size or fixed it (sealed it).

        To be asked after each that was given it has loaded its library: so it is known which one it was.
        """
        size, seals = os.fstat(self.descriptor).st_size, _seals(self.descriptor)
        if (size, seals) == (self.size, self._sealed):
            return None
        words = f"was given {size} bytes" if size != self.size else "was sealed"
        return Violation(
            Status.WRONG,
            Check.MAP,
            f"While the library was loaded the scenario's memory {words}, which is the judge's to do.",
        )

    def _seal(self) -> None:
        """Fix the size for good: memory that a runner took away would end the judge with SIGBUS."""
        if not _CAN_SEAL:
            return
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        try:
            fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, seals)
        except PermissionError:
            if self._protocol.on(Check.MAP):  # `spoiled` was not asked, or a candidate still ran
                raise
        self._sealed = _seals(self.descriptor)

    def places(self) -> list[TensorPlace]:
        """The tensor table a runner is given, in ABI order."""
        return [
            TensorPlace(self._offsets[spec.name], spec.dtype, spec.role, spec.shape, _strides(spec))
            for spec in self.specs
        ]

    def set_inputs(self, inputs: Mapping[str, Array]) -> None:
        """Take private copies of the inputs of the next calls. Raises `JudgeError` if they do not fit."""
        for spec in self.specs:
            if spec.role != "input":
                continue
            array = inputs.get(spec.name)
            if array is None or array.shape != spec.shape or array.dtype != numpy_dtype(spec.dtype):
                what = "nothing" if array is None else f"{array.dtype} {array.shape}"
                raise JudgeError(
                    f"The operator made {what} for the input {spec.name}, which is {spec.dtype} {spec.shape}."
                )
            copy = np.ascontiguousarray(array).copy()
            self._masters[spec.name] = copy.reshape(-1).view(np.uint8)

    def prepare(self, workspace_wanted: int | None = None) -> None:
        """Make the memory ready for a call: inputs written, outputs and workspace poisoned.

        The workspace is as large as the greedier side asked for; what the caller's side did not ask for
        (`workspace_wanted`, None: all of it is wanted) is a red zone in this call.
        """
        for spec in self.specs:
            view = self._raw(spec)
            view[:] = self._masters[spec.name] if spec.role == "input" else self._protocol.poison_byte
        start, size = self.workspace
        wanted = size if workspace_wanted is None else min(workspace_wanted, size)
        self._bytes[start : start + wanted] = self._protocol.poison_byte
        self._bytes[start + wanted : start + size] = RED
        self._rest = _Zone(start + wanted, start + size, "after the workspace that was asked for")

    def mend(self) -> None:
        """Restore the red zones after a call that wrote into them."""
        for zone in self._zones:
            self._bytes[zone.start : zone.stop] = RED

    def violation(self) -> Violation | None:
        """Whether the last call wrote where it may not."""
        for zone in (*self._zones, self._rest) if self._protocol.on(Check.RED_ZONE) else ():
            part = self._bytes[zone.start : zone.stop]
            bad = np.flatnonzero(part != RED)
            if bad.size:
                return Violation(
                    Status.REDZONE,
                    Check.RED_ZONE,
                    f"{bad.size} bytes were written outside the buffers, {zone.words}, the first "
                    f"{int(bad[0])} bytes past the end of what lies before.",
                )
        for spec in self.specs if self._protocol.on(Check.INPUTS_UNCHANGED) else ():
            if spec.role != "input":
                continue
            view, master = self._raw(spec), self._masters[spec.name]
            if not np.array_equal(view, master):  # bytes, not values: a NaN equals itself and −0 is not 0
                changed = np.flatnonzero(_items(view, spec) != _items(master, spec))
                index = np.unravel_index(int(changed[0]), spec.shape)
                return Violation(
                    Status.MUTATED_INPUT,
                    Check.INPUTS_UNCHANGED,
                    f"{changed.size} of {_count(spec)} elements of the input {spec.name} were changed, "
                    f"the first at {tuple(int(i) for i in index)}.",
                )
        return None

    def outputs(self) -> dict[str, Array]:
        """Copies of the outputs as the last call left them."""
        return {
            spec.name: self._raw(spec).copy().view(numpy_dtype(spec.dtype)).reshape(spec.shape)
            for spec in self.specs
            if spec.role == "output"
        }

    def is_poison(self, output: Array) -> bool:
        """Whether an output was not touched at all."""
        return bool((output.reshape(-1).view(np.uint8) == self._protocol.poison_byte).all())

    def close(self) -> None:
        """Give the memory back."""
        self._bytes = np.empty(0, np.uint8)
        if self._map is not None:
            self._map.close()
            self._map = None
        self._file.close()

    def _raw(self, spec: TensorSpec) -> NDArray[np.uint8]:
        start = self._offsets[spec.name]
        return self._bytes[start : start + nbytes(spec)]


def nbytes(spec: TensorSpec) -> int:
    """Bytes of a tensor."""
    return _count(spec) * item_bytes(spec.dtype)


def _count(spec: TensorSpec) -> int:
    return int(np.prod(spec.shape, dtype=np.int64))


def _strides(spec: TensorSpec) -> tuple[int, ...]:
    step, strides = item_bytes(spec.dtype), list[int]()
    for extent in reversed(spec.shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def _items(raw: NDArray[np.uint8], spec: TensorSpec) -> Array:
    return raw.view(bits_dtype(spec.dtype))


def _round_up(at: int) -> int:
    return -(-at // PAGE) * PAGE


def _anonymous_file() -> BinaryIO:
    """Memory that has no name, so nothing is left behind however the judge ends."""
    if hasattr(os, "memfd_create"):
        flags = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
        return cast(BinaryIO, os.fdopen(os.memfd_create("arena", flags), "r+b", buffering=0))
    return cast(BinaryIO, tempfile.TemporaryFile(buffering=0))


def _seals(descriptor: int) -> int:
    return fcntl.fcntl(descriptor, fcntl.F_GET_SEALS) if _CAN_SEAL else 0
