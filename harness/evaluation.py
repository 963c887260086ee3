"""What happens in one evaluation, once everything it names is looked up.

Order: build while the reference worker loads torch, check every scenario, and only when all are right,
time them.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from harness import machine, seeds
from harness.admission import Admissions, operator_sha256
from harness.aggregate import aggregate, floor_of, summary
from harness.build import Build
from harness.candidate import FrozenCandidate
from harness.correctness import DEATHS, Ahead, Checker, Verified
from harness.device import Device
from harness.environment import constants, environment, harness_sha256
from harness.errors import JudgeError
from harness.operator import Baseline, Operator, Scenario
from harness.outlook import Outlook
from harness.params import params_header
from harness.protocol import Protocol
from harness.record import (
    Bound,
    BuildReport,
    Hashes,
    Record,
    SameAgainstSame,
    ScenarioRecord,
    Seeds,
    new_eval_id,
)
from harness.reference import ReferenceWorker
from harness.request import EvaluationRequest, Progress
from harness.sides import Libraries, spread
from harness.timekeeper import Timekeeper
from harness.verdict import Outcome, Status, outcome

AHEAD = 2
"""Scenarios whose references are asked for before they are needed."""


@dataclass(frozen=True, slots=True)
class Task:
    """A request with everything it names looked up."""

    request: EvaluationRequest
    operator: Operator
    scenario_set: str
    scenarios: tuple[Scenario, ...]
    baseline: Baseline
    blocks: int
    cache: Path


class Evaluation:
    """One evaluation; `run` gives its record. Its processes belong to whoever made `device` and `worker`."""

    def __init__(
        self,
        task: Task,
        frozen: FrozenCandidate,
        device: Device,
        worker: ReferenceWorker,
        protocol: Protocol,
        progress: Callable[[Progress], None],
        started: datetime,
    ) -> None:
        self._task, self._frozen, self._device, self._worker = task, frozen, device, worker
        self._protocol, self._started = protocol, started
        self._root = seeds.new_root()
        self._again = [] if task.request.check_only else spread(task.scenarios, protocol.aa_scenarios)
        self._outlook = Outlook(progress, len(task.scenarios), len(self._again), task.blocks)
        self._operator_hash = operator_sha256(task.operator)
        self._aa: list[SameAgainstSame] = []

    def run(self) -> Record:
        """Build, check, time. Raises `JudgeError` where nothing can be judged."""
        self._outlook.start("build")
        runner, candidate, start, baseline = self._build()
        self._outlook.built()
        binaries = {
            "runner_binary": runner.sha256,
            "candidate_binary": candidate.sha256,
            "start_binary": start.sha256,
            "baseline_binary": baseline.sha256,
        }
        if candidate.output is None:
            return self._not_built(candidate, binaries)
        assert start.output is not None
        assert baseline.output is not None
        libraries = Libraries(start.output, candidate.output, baseline.output)
        verified = self._check_all(libraries)
        self._worker.close()
        records = self._time_all(libraries, verified)
        return self._record(candidate, binaries, records, outcome([one.status for one in records]))

    def _build(self) -> tuple[Build, Build, Build, Build]:
        """Runner, candidate, start and baseline; the last three differ only where their sources do."""
        header = params_header(self._task.operator.params_struct)
        sources = [self._frozen.source, _read(self._task.operator.start), _read(self._task.baseline.source)]
        distinct = list(dict.fromkeys(sources))
        pool = ThreadPoolExecutor(max_workers=2)
        try:
            runner = pool.submit(self._device.build_runner)
            jobs = {source: pool.submit(self._device.build_library, source, header) for source in distinct}
            built = [jobs[source].result() for source in sources]
            for name, one in (("start", built[1]), (f"baseline {self._task.baseline.name}", built[2])):
                if one.output is None:
                    what = f"The {name} of {self._task.operator.name} does not build with {one.compiler}"
                    raise JudgeError(f"{what}: {one.why}. Set CXX to a working C++17 compiler.")
            return runner.result(), built[0], built[1], built[2]
        finally:
            # Without waiting: an interrupted judge ends the compilers next, and their threads with them.
            pool.shutdown(wait=False, cancel_futures=True)

    def _check_all(self, libraries: Libraries) -> list[Verified]:
        task = self._task
        admissions = Admissions(task.cache, task.operator, self._operator_hash, self._protocol)
        checker = Checker(
            task.operator,
            self._device,
            libraries,
            self._worker,
            admissions,
            root=self._root,
            blocks=task.blocks,
            protocol=self._protocol,
        )
        ahead: list[Ahead] = []
        done: list[Verified] = []
        deaths = 0
        for number, scenario in enumerate(task.scenarios):
            self._outlook.start("check", scenario.id)
            if deaths >= self._protocol.max_deaths:
                done.append(_not_run(task.operator, scenario, deaths))
                continue
            for later in task.scenarios[len(ahead) : number + AHEAD]:
                ahead.append(checker.ask(later, timed=not task.request.check_only))
            verified = checker.check(scenario, ahead[number])
            ahead[number] = Ahead((), {}, False)  # the inputs are no longer needed
            deaths += verified.status in DEATHS
            done.append(verified)
            self._outlook.checked(verified.start_ns + verified.candidate_ns)
        return done

    def _time_all(self, libraries: Libraries, verified: Sequence[Verified]) -> list[ScenarioRecord]:
        """Time what is correct, unless something is wrong or could not be judged."""
        reason = ""
        if self._task.request.check_only:
            reason = "Only correctness was asked for."
        elif outcome([one.status for one in verified]) not in (Outcome.CORRECT, Outcome.UNSUPPORTED):
            reason = "Not timed, because not every scenario is right."
        records = {one.scenario.id: self._untimed(one, reason) for one in verified}
        if not reason:
            keeper = Timekeeper(
                self._task.operator,
                self._device,
                libraries,
                self._task.baseline,
                root=self._root,
                blocks=self._task.blocks,
                protocol=self._protocol,
                again={scenario.id for scenario in self._again},
                outlook=self._outlook,
            )
            with _keep_off(self._device, self._protocol):
                timed = keeper.time_all(verified)
            self._aa = list(keeper.aa)
            floor = floor_of(self._aa, self._protocol.minimum_floor, self._protocol.confidence)
            for one in timed:
                records[one.scenario_id] = one.into(records[one.scenario_id], floor, self._protocol)
        return [records[scenario.id] for scenario in self._task.scenarios]

    def _untimed(self, one: Verified, detail: str) -> ScenarioRecord:
        work = self._task.operator.bound(one.scenario)
        return ScenarioRecord(
            id=one.scenario.id,
            family=one.scenario.family,
            params=dict(one.scenario.params),
            status=one.status,
            check=one.check,
            evidence=one.evidence,
            admitted=one.admitted,
            trivial_failed=one.trivial_failed,
            correctness=tuple(one.results),
            bound=Bound(bytes=work.bytes, operations=work.operations),
            detail=detail,
        )

    def _not_built(self, candidate: Build, binaries: dict[str, str | None]) -> Record:
        if candidate.foreign:
            result = Outcome.POLICY
            names = ", ".join(Path(path).name for path in candidate.foreign[:3])
            words = (
                f"It includes {names}; a candidate is one file, which may include ks.h and ks_params.h only."
            )
        elif candidate.timed_out:
            result = Outcome.BUILD_FAILED
            words = f"The compiler did not end within {self._protocol.build_seconds:g} s."
        else:
            result = Outcome.BUILD_FAILED
            first = next(iter(candidate.errors(1)), f"exit code {candidate.returncode}")
            words = f"It does not compile: {first}"
        records = [
            self._untimed(Verified(scenario, (), Status.NOT_RUN, evidence=words), "")
            for scenario in self._task.scenarios
        ]
        return self._record(candidate, binaries, records, result, words)

    def _record(
        self,
        build: Build,
        binaries: dict[str, str | None],
        records: Sequence[ScenarioRecord],
        result: Outcome,
        words: str = "",
    ) -> Record:
        task, request, protocol = self._task, self._task.request, self._protocol
        bootstrap = seeds.derive(self._root, "bootstrap") >> 32
        whole = aggregate(
            records,
            total=len(task.scenarios),
            floor=floor_of(self._aa, protocol.minimum_floor, protocol.confidence) if self._aa else None,
            resamples=protocol.resamples,
            seed=bootstrap,
            confidence=protocol.confidence,
        )
        if words:
            whole = whole.model_copy(update={"reason": words, "score": 0.0})
        ended = datetime.now(UTC)
        self._outlook.finish()
        return Record(
            eval_id=new_eval_id(self._started),
            started=self._started,
            ended=ended,
            seconds=(ended - self._started).total_seconds(),
            status=result,
            summary=f"{result}: {words}" if words else summary(result, records, whole, task.baseline.name),
            operator=task.operator.name,
            scenario_set=task.scenario_set,
            scenario_glob=request.scenarios,
            baseline=task.baseline.name,
            candidate=str(request.candidate),
            frozen=str(self._frozen.path),
            owner=request.owner,
            rehearsed=request.rehearsed,
            device=self._device.name,
            hashes=Hashes(
                candidate=self._frozen.sha256,
                start=sha256(_read(task.operator.start)).hexdigest(),
                baseline=sha256(_read(task.baseline.source)).hexdigest(),
                operator=self._operator_hash,
                harness=harness_sha256(),
                **binaries,
            ),
            build=BuildReport(
                command=build.command,
                compiler=build.compiler,
                returncode=build.returncode,
                seconds=build.seconds,
                cached=build.cached,
                log_sha256=sha256(build.log.encode()).hexdigest(),
                log_tail=build.log[-4000:],
                errors=build.errors() if build.returncode else (),
                timed_out=build.timed_out,
            ),
            env=environment(
                torch=self._worker.torch,
                reference_python=self._worker.python,
                affinity=self._device.runner_cores,
                priority=self._device.priority,
                containment=self._device.containment,
            ),
            protocol=constants(protocol, task.blocks),
            seeds=Seeds(root=f"{self._root:016x}", bootstrap=bootstrap),
            scenarios=tuple(records),
            aa=tuple(self._aa),
            aggregate=whole,
        )


def _not_run(operator: Operator, scenario: Scenario, deaths: int) -> Verified:
    words = f"Not run, because the candidate died in {deaths} scenarios before."
    return Verified(scenario, tuple(operator.tensors(scenario)), Status.NOT_RUN, "deaths", words)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise JudgeError(f"The operator's file {path} cannot be read: {error.strerror}.") from error


@contextlib.contextmanager
def _keep_off(device: Device, protocol: Protocol) -> Iterator[None]:
    """Keep the judge itself off the core that is being timed, and quick to wake: its clock counts too."""
    before = machine.usable_cores()
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    machine.pin(0, device.judge_cores)
    _renice(min(nice, protocol.priority))
    try:
        yield
    finally:
        _renice(nice)
        if device.judge_cores:
            machine.pin(0, before)


def _renice(nice: int) -> None:
    """Change the judge's own priority where the system lets it; its session's only if that is its own."""
    if os.getsid(0) == os.getpid():
        machine.prioritise(os.getpid(), nice)
        return
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, nice)
