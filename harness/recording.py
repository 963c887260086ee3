"""Makes the record of an evaluation from what came of its parts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256

from harness import seeds
from harness.aggregate import aggregate, floor_of, summary
from harness.building import Built, read_source
from harness.candidate import FrozenCandidate
from harness.correctness.checker import Verified
from harness.correctness.reference import ReferenceWorker
from harness.device import Device
from harness.environment import constants, environment, harness_sha256
from harness.looked_up import Task
from harness.protocol import Protocol
from harness.record.files import new_eval_id, sealed
from harness.record.parts import Asked, BuildReport, Hashes, LeftOut, Resumed, Seeds
from harness.record.record import Record, ScenarioRecord
from harness.record.samples import Bound, Ceilings, SameAgainstSame
from harness.sides import supports
from harness.suspicion import flagged
from harness.verdict import Outcome


@dataclass(frozen=True, slots=True)
class Judged:
    """What an evaluation came to. `refused`: why nothing of the candidate was run, "" where it was."""

    outcome: Outcome
    scenarios: Sequence[ScenarioRecord]
    off_list: Sequence[ScenarioRecord] = ()
    left_out: Sequence[LeftOut] = ()
    aa: Sequence[SameAgainstSame] = ()
    refused: str = ""
    resumed: tuple[Resumed, ...] = ()
    notes: tuple[str, ...] = ()
    ceilings: Ceilings | None = None


@dataclass
class Recorder:
    """Knows all of an evaluation but its outcome."""

    task: Task
    frozen: FrozenCandidate
    device: Device
    worker: ReferenceWorker
    protocol: Protocol
    started: datetime
    root: int
    operator_hash: str
    seeds: seeds.ScenarioSeeds
    hashes: Hashes = field(init=False)

    def __post_init__(self) -> None:
        self.hashes = Hashes(
            candidate=self.frozen.sha256,
            start=sha256(read_source(self.task.operator.start)).hexdigest(),
            baseline=sha256(read_source(self.task.baseline.source)).hexdigest(),
            operator=self.operator_hash,
            harness=harness_sha256(),
        )

    def untimed(self, one: Verified, detail: str = "") -> ScenarioRecord:
        """A scenario as its check left it."""
        work = self.task.operator.bound(one.scenario)
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
            bound=Bound(bytes=work.bytes, operations=work.operations, precision=work.precision),
            detail=detail,
            seed=self.seeds.told(one.scenario.id),
        )

    def record(self, built: Built, judged: Judged) -> Record:
        """The whole, with its digest."""
        task, request, protocol = self.task, self.task.request, self.protocol
        bootstrap = seeds.derive(self.root, "bootstrap") >> 32
        floor = floor_of(judged.aa, protocol.minimum_floor, protocol.confidence) if judged.aa else None
        whole = aggregate(
            judged.scenarios,
            total=len(task.scenarios),
            floor=floor,
            resamples=protocol.resamples,
            seed=bootstrap,
            confidence=protocol.confidence,
            off_list=judged.off_list,
        )
        if judged.refused:
            whole = whole.model_copy(update={"reason": judged.refused, "score": 0.0})
            words = f"{judged.outcome}: {judged.refused}"
        else:
            words = summary(judged.outcome, judged.scenarios, whole, task.baseline.name, judged.off_list)
        ended = datetime.now(UTC)
        return sealed(
            flagged(
                Record(
                    eval_id=new_eval_id(self.started),
                    started=self.started,
                    ended=ended,
                    seconds=(ended - self.started).total_seconds(),
                    status=judged.outcome,
                    summary=words,
                    operator=task.operator.name,
                    scenario_set=task.scenario_set,
                    scenario_glob=request.scenarios,
                    baseline=task.baseline.name,
                    candidate=str(request.candidate),
                    frozen=str(self.frozen.path),
                    owner=request.owner,
                    rehearsed=request.rehearsed,
                    device=self.device.name,
                    hashes=self.hashes.model_copy(update=built.hashes),
                    build=_report(built),
                    language=self.frozen.language,
                    env=environment(
                        torch=self.worker.torch or self.device.python_versions.get("torch"),
                        triton=self.device.python_versions.get("triton"),
                        reference_python=self.worker.python,
                        affinity=self.device.runner_cores,
                        priority=self.device.priority,
                        containment=self.device.containment,
                    ),
                    protocol=constants(protocol, task.blocks),
                    seeds=Seeds(root=f"{self.root:016x}", bootstrap=bootstrap),
                    asked=self._asked(),
                    scenarios=tuple(judged.scenarios),
                    off_list=tuple(judged.off_list),
                    left_out=tuple(judged.left_out),
                    aa=tuple(judged.aa),
                    aggregate=whole,
                    resumed=judged.resumed,
                    flags=built.binary.flags,
                    notes=judged.notes,
                    ceilings=judged.ceilings,
                )
            )
        )

    def _asked(self) -> Asked:
        task = self.task
        return Asked(
            scenarios=tuple(one.id for one in task.operator.sets[task.scenario_set]),
            input_sets=tuple(task.operator.input_sets),
            baseline_lacks=tuple(one.id for one in task.scenarios if not supports(task.baseline, one)),
            blocks=task.request.blocks,
            check_only=task.request.check_only,
        )


def _report(built: Built) -> BuildReport:
    build, binary = built.candidate, built.binary
    return BuildReport(
        command=build.command,
        compiler=build.compiler,
        returncode=build.returncode,
        seconds=build.seconds,
        cached=build.cached,
        log_sha256=sha256(build.log.encode()).hexdigest(),
        log_tail=build.log[-4000:],
        errors=build.errors() if build.returncode else (),
        timed_out=build.timed_out,
        sandbox=build.sandbox,
        needed=binary.needed,
        undefined=binary.undefined,
    )
