"""What an evaluation runs on. A device builds libraries, lays out arenas and starts runners.

Everything above this (gate, timing, statistics, record) is the same for every device.
"""

import fcntl
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol as Interface

from harness import machine, outside
from harness.arena import Arena
from harness.build import NATIVE, Build, build, build_sandbox
from harness.checks import Check
from harness.children import Children
from harness.errors import JudgeError, RefusedRequest
from harness.operator import Baseline, TensorSpec
from harness.protocol import Held, Protocol
from harness.python.build import EXTENSION_FACTOR, PythonBuild, build_python, place_script
from harness.python.contain import build_containment
from harness.python.forks import Forks
from harness.python.runner import Interpreter, PythonRunner
from harness.record.samples import Ceilings
from harness.runner import Runner
from harness.sandbox import Sandbox
from harness.timing import ceilings


class Device(Interface):
    """See the module. Runners are pinned to `runner_cores`, `judge_cores` is the rest; both may be empty.

    `priority` is the nice value the runners got, `containment` what holds them (`record.Environment`),
    `python_versions` those of the Python that ran something here, empty where none did.
    """

    name: str
    runner_cores: tuple[int, ...]
    judge_cores: tuple[int, ...]
    priority: int
    containment: tuple[str, ...]
    python_versions: Mapping[str, str]

    def build_runner(self) -> Build:
        """The runner program, from the cache where it was built before. Raises `JudgeError`."""

    def build_library(self, source: bytes, params_header: str) -> Build:
        """A library from one source file to the candidate ABI."""

    def build_python(self, source: bytes, params_header: str) -> PythonBuild:
        """A Python candidate, imported once. Raises `JudgeError` where the interpreter cannot run one."""

    def place_python(self, baseline: Baseline, source: bytes, params_header: str) -> PythonBuild:
        """A baseline in Python. Raises `RefusedRequest` where the interpreter lacks what it needs."""

    def ceilings(self, *, anew: bool = False) -> Ceilings | None:
        """What a call may do at best (`timing.ceilings`), `anew`: not from the cache. To be asked while
        nothing is timed; None where it cannot be known."""

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
    python: str = sys.executable
    python_versions: Mapping[str, str] = field(default_factory=dict)
    _program: Path | None = None
    _forks: Forks | None = None
    _scripts: dict[Path, tuple[Interpreter, PythonBuild]] = field(default_factory=dict)
    _sandbox: tuple[Sandbox | None] | None = None
    _making: threading.Lock = field(default_factory=threading.Lock)

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
            sandbox=self._confined() if self.protocol.on(Check.INCLUDES) else None,
            any_file=not self.protocol.on(Check.INCLUDES),
        )

    def build_python(self, source: bytes, params_header: str) -> PythonBuild:
        """See `Device`."""
        made = build_python(
            source,
            python=self.python,
            cache=self.cache,
            children=self.children,
            seconds=EXTENSION_FACTOR * self.protocol.build_seconds,
            sandbox=self._confined(),
        )
        return self._keep_script(made, params_header)

    def place_python(self, baseline: Baseline, source: bytes, params_header: str) -> PythonBuild:
        """See `Device`."""
        made = place_script(
            source,
            name=baseline.name,
            requires=baseline.requires,
            python=self.python,
            cache=self.cache,
            children=self.children,
        )
        return self._keep_script(made, params_header)

    def _keep_script(self, made: PythonBuild, params_header: str) -> PythonBuild:
        """Remember how what was built is run; no file says so, which a candidate might have written."""
        if made.output is not None:
            library = build_containment(self.cache, self.children, self.protocol.build_seconds)
            if self._forks is None:
                self._forks = Forks(self.python, self.children, self.folder)
            interpreter = Interpreter(self.python, params_header, str(library), self._forks)
            self._scripts[made.output] = interpreter, made
        return made

    def _confined(self) -> Sandbox | None:
        """The compilers' sandbox; several libraries are built at once, it is made once."""
        with self._making:
            if self._sandbox is None:
                self._sandbox = (
                    build_sandbox(
                        cache_dir=self.cache, children=self.children, timeout=self.protocol.build_seconds
                    ),
                )
            return self._sandbox[0]

    def ceilings(self, *, anew: bool = False) -> Ceilings | None:
        """See `Device`. Where runners have no core of their own, a call may use all there are."""
        program = build(
            ceilings.SOURCE.read_bytes(),
            name="ceilings",
            cache_dir=self.cache,
            children=self.children,
            timeout=self.protocol.build_seconds,
        )
        core = self.runner_cores[0] if self.runner_cores else None
        found = ceilings.ceilings(
            program,
            children=self.children,
            cache=self.cache,
            core=core,
            priority=self.protocol.priority,
            anew=anew,
        )
        return found if found is None or core is not None else ceilings.times(found, os.cpu_count() or 1)

    def arena(self, specs: Sequence[TensorSpec]) -> Arena:
        """See `Device`."""
        return Arena(specs, self.protocol)

    def runner(self, library: Path, params: bytes, arena: Arena, *, timed: bool) -> Runner:
        """See `Device`. Only a timed one is pinned and preferred, so that checks stay off that core."""
        script = self._scripts.get(library)
        runner = self._python_runner(*script, params, arena, timed) if script else None
        if runner is None:
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
        if script is None or not script[1].trusted:
            self.containment = _containment(runner, self.children)
        if timed:
            self.priority = machine.prioritise(runner.pid, self.protocol.priority)
        return runner

    def _python_runner(
        self, interpreter: Interpreter, made: PythonBuild, params: bytes, arena: Arena, timed: bool
    ) -> Runner:
        runner = PythonRunner(
            interpreter,
            made,
            params,
            arena,
            children=self.children,
            folder=self.folder,
            protocol=self.protocol,
            cores=self.runner_cores if timed else (),
            timed=timed,
        )
        self.python_versions = runner.versions
        return runner


def open_device(
    name: str,
    *,
    children: Children,
    folder: Path,
    cache: Path,
    protocol: Protocol,
    python: str | None = None,
) -> Device:
    """The device of that name (`auto`: the CPU); `python` runs what is written in Python (None: this one).

    Raises `RefusedRequest` for a device that there is not.
    """
    if name == "cuda":
        raise RefusedRequest("The judge has no CUDA device yet; use --device cpu.")
    if name not in ("auto", "cpu"):
        raise RefusedRequest(f"There is no device {name!r}; use --device cpu.")
    return CpuDevice(children, folder, cache, protocol, python=python or sys.executable)


def _containment(runner: Runner, children: Children) -> tuple[str, ...]:
    """What holds a runner on this machine, in the record's words."""
    found = {
        "seccomp": Held.SYSTEM_CALLS in runner.held,
        "no-files": Held.SYSTEM_CALLS in runner.held,
        "no-network": Held.SYSTEM_CALLS in runner.held,
        "landlock": Held.FILES in runner.held,
        "fixed-code": Held.CODE in runner.held,
        "subreaper": children.adopts,
        "pause": outside.stands_still(runner.pid) is not None,
        "cpu-clock": outside.cpu_ns(runner.pid) is not None,
        "seals": hasattr(fcntl, "F_ADD_SEALS") and hasattr(os, "memfd_create"),
    }
    return tuple(name for name, there in found.items() if there)
