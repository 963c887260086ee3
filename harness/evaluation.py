"""What happens in one evaluation, once everything it names is looked up.

Order: build while the reference worker loads torch, check every scenario and a few shapes that are on no
list, and only when all are right, time the listed ones. What a broken run had finished is not done again.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from harness import machine, seeds
from harness.aggregate import floor_of, timing_verdict
from harness.building import Built, build_all, refusal
from harness.candidate import FrozenCandidate
from harness.checking import Checking, not_built
from harness.correctness.admission import Admissions, operator_sha256
from harness.correctness.checker import Checker, Verified
from harness.correctness.off_list import wanted
from harness.correctness.reference import ReferenceWorker
from harness.device import Device
from harness.environment import constants
from harness.looked_up import Task
from harness.outlook import Outlook
from harness.protocol import Protocol
from harness.python.build import is_interpreted
from harness.record.record import Record, ScenarioRecord
from harness.record.samples import Ceilings, SameAgainstSame
from harness.recording import Judged, Recorder
from harness.request import Progress
from harness.resume.partial import Keeping, Partial
from harness.sides import Libraries, spread, supports
from harness.timing.ceilings import NO_CEILINGS, bound_of
from harness.timing.timekeeper import Timed, Timekeeper
from harness.verdict import Outcome, outcome


class Evaluation:
    """One evaluation; `run` gives its record. Its processes belong to whoever made `device` and `worker`.

    With `keeping`, what is finished is kept for the next run should this one break off; `partial` is then
    what is kept, to be removed once the record is written.
    """

    def __init__(
        self,
        task: Task,
        frozen: FrozenCandidate,
        device: Device,
        worker: ReferenceWorker,
        protocol: Protocol,
        progress: Callable[[Progress], None],
        started: datetime,
        keeping: Keeping | None = None,
    ) -> None:
        self._task, self._frozen, self._device, self._worker = task, frozen, device, worker
        self._protocol, self._started, self._keeping = protocol, started, keeping
        self.partial: Partial | None = None
        self._ceilings: Ceilings | None = None
        self._root = seeds.new_seed()
        self._seeds = seeds.ScenarioSeeds()
        self._operator_hash = operator_sha256(task.operator)
        timed = [
            one for one in task.scenarios if supports(task.baseline, one) and not task.request.check_only
        ]
        again = spread(timed, protocol.aa_scenarios)
        self._again = {one.id for one in again}
        self._outlook = Outlook(
            progress,
            [one.id for one in task.scenarios],
            self._again,
            task.blocks,
            off_list=wanted(len(task.scenarios), protocol.off_list_share),
        )
        self._recorder = Recorder(
            task, frozen, device, worker, protocol, started, self._root, self._operator_hash, self._seeds
        )

    def run(self) -> Record:
        """Build, check, time. Raises `JudgeError` where nothing can be judged."""
        self._outlook.start("build")
        built = build_all(self._task, self._frozen, self._device)
        self._outlook.built()
        refused = refusal(built, self._protocol)
        if refused is not None:
            return self._refused(built, *refused)
        self.partial = self._open_partial(built)
        libraries = built.libraries()
        checking = self._checking(libraries)
        verified = checking.listed()
        shapes = [self._recorder.untimed(one) for one in checking.shapes(self._root)]
        self._worker.close()
        off = [one.status for one in shapes]
        found = outcome([*(one.status for one in verified), *off])
        records, aa = self._time_all(libraries, verified, found, interpreted=is_interpreted(built.candidate))
        partial = self.partial
        resumed = partial.found.resumed() if partial is not None else ()
        kept_notes = partial.notes if partial is not None else []
        how = [self._how_resumed()] if resumed else []
        if self._ceilings is None and any(one.timing is not None for one in records):
            how.append(NO_CEILINGS)
        self._outlook.finish()
        return self._recorder.record(
            built,
            Judged(
                outcome([*(one.status for one in records), *off]),
                records,
                off_list=shapes,
                left_out=checking.left_out,
                aa=aa,
                ceilings=self._ceilings,
                resumed=resumed,
                notes=(*how, *kept_notes, *checking.notes),
            ),
        )

    def _refused(self, built: Built, result: Outcome, words: str, check: str) -> Record:
        """The record of a candidate that nothing was run of."""
        records = [self._recorder.untimed(one) for one in not_built(self._task.scenarios, words, check)]
        self._outlook.finish()
        return self._recorder.record(built, Judged(result, records, refused=words))

    def _open_partial(self, built: Built) -> Partial | None:
        boot = machine.boot_id()
        if self._keeping is None or not boot:
            return None
        task, request = self._task, self._task.request
        identity = {
            "hashes": self._recorder.hashes.model_copy(update=built.hashes).model_dump(),
            "operator": task.operator.name,
            "set": [task.scenario_set, request.scenarios, request.check_only],
            "scenarios": [one.id for one in task.scenarios],
            "baseline": task.baseline.name,
            "protocol": constants(self._protocol, task.blocks).model_dump(),
            "device": [self._device.name, machine.cpu_name(), machine.usable_cores(), boot],
            "python": self._worker.python,
            "owner": [request.owner, request.rehearsed],
            "forbidden": request.forbidden_libraries,
        }
        return Partial(self._keeping, identity, self._started)

    def _checking(self, libraries: Libraries) -> Checking:
        task, protocol = self._task, self._protocol
        admissions = Admissions(task.cache, task.operator, self._operator_hash, protocol)
        checker = Checker(
            task.operator,
            self._device,
            libraries,
            self._worker,
            admissions,
            seeds=self._seeds,
            blocks=task.blocks,
            protocol=protocol,
        )
        return Checking(
            task, checker, protocol, self._outlook, self._seeds, self.partial, self._recorder.untimed
        )

    def _time_all(
        self, libraries: Libraries, verified: Sequence[Verified], found: Outcome, *, interpreted: bool
    ) -> tuple[list[ScenarioRecord], list[SameAgainstSame]]:
        """Time what is correct, unless something is wrong or could not be judged."""
        reason = ""
        if self._task.request.check_only:
            reason = "Only correctness was asked for."
        elif found not in (Outcome.CORRECT, Outcome.UNSUPPORTED):
            reason = "Not timed, because not every scenario is right."
        elif interpreted:
            reason = "Not timed: on a CPU, Triton's interpreter shows whether a kernel is right, and no more."
        records = {one.scenario.id: self._recorder.untimed(one, reason) for one in verified}
        aa: list[SameAgainstSame] = []
        if not reason:
            kept = self.partial.found.timed if self.partial is not None else {}
            left = [one for one in verified if one.scenario.id not in kept]
            keeper = self._timekeeper(libraries, records)
            with machine.kept_off(self._device.judge_cores, self._protocol.priority):
                timed = keeper.time_all(left)
            aa = [*(line.aa for line in kept.values() if line.aa is not None), *keeper.aa]
            order = [scenario.id for scenario in self._task.scenarios]
            aa.sort(key=lambda one: order.index(one.scenario))
            floor = floor_of(aa, self._protocol.minimum_floor, self._protocol.confidence)
            for one in timed:
                records[one.scenario_id] = one.into(records[one.scenario_id], floor, self._protocol)
            for name, line in kept.items():
                records[name] = line.record.model_copy(
                    update={
                        "timing": line.record.timing
                        and timing_verdict(line.record.timing, floor, self._protocol.confidence),
                        "seed": self._seeds.told(name),
                    }
                )
            self._ceilings = keeper.ceilings or (self._device.ceilings() if kept else None)
            for scenario in self._task.scenarios:
                bound = bound_of(self._task.operator.bound(scenario), self._ceilings)
                records[scenario.id] = records[scenario.id].model_copy(update={"bound": bound})
        return [records[scenario.id] for scenario in self._task.scenarios], aa

    def _timekeeper(self, libraries: Libraries, records: dict[str, ScenarioRecord]) -> Timekeeper:
        def keep(timed: Timed, aa: SameAgainstSame | None) -> None:
            if self.partial is not None:
                # The verdict waits for the floor of the whole set; the samples are what is kept.
                least = self._protocol.minimum_floor
                self.partial.timed(timed.into(records[timed.scenario_id], least, self._protocol), aa)

        return Timekeeper(
            self._task.operator,
            self._device,
            libraries,
            self._task.baseline,
            seeds=self._seeds,
            blocks=self._task.blocks,
            protocol=self._protocol,
            again=self._again,
            outlook=self._outlook,
            keep=keep,
        )

    def _how_resumed(self) -> str:
        assert self.partial is not None
        found = self.partial.found
        return (
            f"Gone on with: {len(found.checked)} of {len(self._task.scenarios)} scenarios were checked and "
            f"{len(found.timed)} timed by a run that broke off; `kernelseek evaluate --fresh` does all anew."
        )
