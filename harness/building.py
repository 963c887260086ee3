"""Builds what an evaluation runs: the runner, the candidate, its start and the baseline."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness.build import Build
from harness.candidate import FrozenCandidate, language_of
from harness.checks import Check
from harness.device import Device
from harness.errors import JudgeError
from harness.looked_up import Task
from harness.operator import Baseline
from harness.params import params_header
from harness.policy.binary import Binary, examine
from harness.protocol import Protocol
from harness.python.build import EXTENSION_FACTOR, PythonBuild
from harness.python.policy import examine_python
from harness.sides import Libraries
from harness.verdict import Outcome


@dataclass(frozen=True, slots=True)
class Built:
    """The builds of one evaluation. Only the candidate's may have failed."""

    runner: Build
    candidate: Build
    start: Build
    baseline: Build
    binary: Binary = field(default_factory=Binary)
    """What the candidate's binary asks for; nothing is known of one that was not built, or is Python."""

    @property
    def hashes(self) -> dict[str, str | None]:
        """Of the binaries, by their names in `record.Hashes`."""
        return {
            "runner_binary": self.runner.sha256,
            "candidate_binary": self.candidate.sha256,
            "start_binary": self.start.sha256,
            "baseline_binary": self.baseline.sha256,
        }

    def libraries(self) -> Libraries:
        """What is run, once `refusal` found nothing."""
        assert self.start.output is not None
        assert self.candidate.output is not None
        assert self.baseline.output is not None
        return Libraries(self.start.output, self.candidate.output, self.baseline.output)


def build_all(task: Task, frozen: FrozenCandidate, device: Device) -> Built:
    """Build all four side by side; the last three differ only where their sources do.

    Raises `JudgeError` where anything but the candidate does not build.
    """
    header = params_header(task.operator.params_struct)
    baseline = task.baseline.source
    sources = [
        _Source(frozen.source, frozen.language == "python"),
        _Source(read_source(task.operator.start), False),
        _Source(read_source(baseline), language_of(baseline) == "python", trusted=True),
    ]
    sources[2] = next((one for one in sources[:2] if one.same(sources[2])), sources[2])
    distinct = list(dict.fromkeys(sources))
    pool = ThreadPoolExecutor(max_workers=2)
    try:
        runner = pool.submit(device.build_runner)
        jobs = {source: pool.submit(_build, device, source, task.baseline, header) for source in distinct}
        built = [jobs[source].result() for source in sources]
        for name, one in (("start", built[1]), (f"baseline {task.baseline.name}", built[2])):
            if one.output is None:
                what = f"The {name} of {task.operator.name} does not build with {one.compiler}"
                raise JudgeError(f"{what}: {one.why}. Set CXX to a working C++17 compiler.")
        built[0] = replace(built[0], shown=_shown(frozen))
        binary = _examine(built[0], task.request.forbidden_libraries)
        return Built(runner.result(), built[0], built[1], built[2], binary)
    finally:
        # Without waiting: an interrupted judge ends the compilers next, and their threads with them.
        pool.shutdown(wait=False, cancel_futures=True)


def _shown(frozen: FrozenCandidate) -> str:
    """What its author calls the file. An owner judges a frozen copy, whose name is a hash: there it is the
    workspace's, which has this name."""
    name = frozen.origin.name
    return f"candidate{frozen.path.suffix}" if name == frozen.path.name else name


def _examine(made: Build, forbidden: Sequence[str]) -> Binary:
    if made.output is None:
        return Binary()
    if isinstance(made, PythonBuild):
        return examine_python(made, forbidden)
    return examine(made.output, forbidden)


@dataclass(frozen=True, slots=True)
class _Source:
    text: bytes
    python: bool
    trusted: bool = False

    def same(self, other: "_Source") -> bool:
        """Whether one build serves both: never for Python, where a candidate is held more closely."""
        return not self.python and not other.python and self.text == other.text


def _build(device: Device, source: _Source, baseline: Baseline, header: str) -> Build:
    if source.python and source.trusted:
        return device.place_python(baseline, source.text, header)
    if source.python:
        return device.build_python(source.text, header)
    return device.build_library(source.text, header)


def refusal(built: Built, protocol: Protocol) -> tuple[Outcome, str, str] | None:
    """Why a candidate is refused before anything of it runs: the outcome, a sentence and the check's name, ""
    for a build that failed. None where it is not refused."""
    candidate = built.candidate
    if candidate.foreign:
        names = ", ".join(Path(path).name for path in candidate.foreign[:3])
        words = f"It includes {names}; a candidate is one file, which may include ks.h and ks_params.h only."
        return Outcome.POLICY, words, Check.INCLUDES
    if candidate.timed_out:
        words = f"{_builder(candidate)} did not end within {_seconds(candidate, protocol):g} s."
        return Outcome.BUILD_FAILED, words, ""
    if isinstance(candidate, PythonBuild) and candidate.output is None:
        return Outcome.BUILD_FAILED, f"It cannot be imported: {candidate.why}.", ""
    if candidate.output is None:
        first = next(iter(candidate.errors(1)), f"exit code {candidate.returncode}")
        return Outcome.BUILD_FAILED, f"It does not compile: {first}", ""
    found = next((one for one in built.binary.findings if protocol.on(one.check)), None)
    return (Outcome.POLICY, found.evidence, found.check) if found is not None else None


def _builder(made: Build) -> str:
    return "Importing it" if isinstance(made, PythonBuild) else "The compiler"


def _seconds(made: Build, protocol: Protocol) -> float:
    return protocol.build_seconds * (EXTENSION_FACTOR if isinstance(made, PythonBuild) else 1.0)


def read_source(path: Path) -> bytes:
    """A source of the operator's. Raises `JudgeError`."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise JudgeError(f"The operator's file {path} cannot be read: {error.strerror}.") from error
