"""What an evaluation runs on. A device builds libraries, lays out arenas and starts runners.

Everything above this (gate, timing, statistics, record) is the same for every device.
"""

import fcntl
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol as Interface

from harness import machine, outside
from harness.arena import Arena
from harness.build import NATIVE, Build, build
from harness.children import Children
from harness.errors import JudgeError, RefusedRequest
from harness.operator import TensorSpec
from harness.protocol import Protocol
from harness.runner import Runner


class Device(Interface):
    """See the module. Runners are pinned to `runner_cores`, `judge_cores` is the rest; both may be empty.

    `priority` is the nice value the runners got, `containment` what holds them (`record.Environment`).
    """

    name: str
    runner_cores: tuple[int, ...]
    judge_cores: tuple[int, ...]
    priority: int
    containment: tuple[str, ...]

    def build_runner(self) -> Build:
        """The runner program, from the cache where it was built before. Raises `JudgeError`."""

    def build_library(self, source: bytes, params_header: str) -> Build:
        """A library from one source file to the candidate ABI."""

    def arena(self, specs: Sequence[TensorSpec]) -> Arena:
        """The memory of one scenario."""

    def runner(self, library: Path, params: bytes, arena: Arena, *, timed: bool) -> Runner:
        """A process that has loaded `library`, with the device to itself if `timed`. Raises `RunnerDied`."""


@dataclass
class CpuDevice:
    """One core of this machine; the judge keeps off it while something is timed."""

    children: Children
    folder: Path
    cache: Path
    protocol: Protocol
    name: str = "cpu"
    runner_cores: tuple[int, ...] = ()
    judge_cores: tuple[int, ...] = ()
    priority: int = 0
    containment: tuple[str, ...] = ()
    _program: Path | None = None

    def __post_init__(self) -> None:
        cores = machine.usable_cores()
        if len(cores) > 1:
            self.runner_cores, self.judge_cores = cores[-1:], cores[:-1]

    def build_runner(self) -> Build:
        """See `Device`."""
        made = build(
            (NATIVE / "runner.cpp").read_bytes(),
            name="runner",
            cache_dir=self.cache,
            children=self.children,
            timeout=self.protocol.build_seconds,
        )
        if made.output is None:
            what = f"The judge's runner does not build with {made.compiler}"
            raise JudgeError(f"{what}: {made.why}. Set CXX to a working C++17 compiler.")
        self._program = made.output
        return made

    def build_library(self, source: bytes, params_header: str) -> Build:
        """See `Device`. All libraries have one name, so one source is one build on either side."""
        return build(
            source,
            name="library",
            cache_dir=self.cache,
            children=self.children,
            params_header=params_header,
            timeout=self.protocol.build_seconds,
        )

    def arena(self, specs: Sequence[TensorSpec]) -> Arena:
        """See `Device`."""
        return Arena(specs, self.protocol)

    def runner(self, library: Path, params: bytes, arena: Arena, *, timed: bool) -> Runner:
        """See `Device`. Only a timed one is pinned and preferred, so that checks stay off that core."""
        program = self._program or self.build_runner().output
        assert program is not None
        runner = Runner(
            program,
            library,
            params,
            arena,
            children=self.children,
            folder=self.folder,
            protocol=self.protocol,
            cores=self.runner_cores if timed else (),
        )
        self.containment = _containment(runner, self.children)
        if timed:
            self.priority = machine.prioritise(runner.pid, self.protocol.priority)
        return runner


def open_device(name: str, *, children: Children, folder: Path, cache: Path, protocol: Protocol) -> Device:
    """The device of that name (`auto`: the CPU). Raises `RefusedRequest` for one that there is not."""
    if name == "cuda":
        raise RefusedRequest("The judge has no CUDA device yet; use --device cpu.")
    if name not in ("auto", "cpu"):
        raise RefusedRequest(f"There is no device {name!r}; use --device cpu.")
    return CpuDevice(children, folder, cache, protocol)


def _containment(runner: Runner, children: Children) -> tuple[str, ...]:
    """What holds a runner on this machine, in the record's words."""
    found = {
        "seccomp": runner.sealed,
        "subreaper": children.adopts,
        "pause": outside.stands_still(runner.pid) is not None,
        "cpu-clock": outside.cpu_ns(runner.pid) is not None,
        "seals": hasattr(fcntl, "F_ADD_SEALS") and hasattr(os, "memfd_create"),
    }
    return tuple(name for name, there in found.items() if there)
