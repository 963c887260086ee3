"""Times the scenarios of an evaluation, each against the baseline and some of them against themselves."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from harness import gate
from harness.arena import Arena, Violation
from harness.correctness import Verified, block_inputs
from harness.device import Device
from harness.gate import GateResult
from harness.operator import Baseline, Operator
from harness.outlook import Outlook
from harness.params import pack_params
from harness.protocol import Protocol
from harness.record import SameAgainstSame, ScenarioRecord, Timing
from harness.runner import Runner, RunnerDied
from harness.sides import Libraries, supports
from harness.statistics import Estimate, confirmed, speed
from harness.timing import Draw, Misbehaved, Outputs, Samples, block_fields, measure
from harness.turn import turn
from harness.verdict import Status


@dataclass(frozen=True, slots=True)
class Timed:
    """What timing a scenario came to: samples, or a status and evidence, or the reason it was not timed."""

    scenario_id: str
    samples: Samples | None = None
    estimate: Estimate | None = None
    status: Status | None = None
    check: str = ""
    evidence: str = ""
    detail: str = ""

    def into(self, record: ScenarioRecord, floor: float, protocol: Protocol) -> ScenarioRecord:
        """The scenario's record with this in it; the verdict needs the whole set's floor."""
        if self.status is not None:
            found = {"status": self.status, "check": self.check, "evidence": self.evidence}
            return record.model_copy(update=found)
        if self.samples is None or self.estimate is None:
            return record.model_copy(update={"detail": self.detail})
        timing = Timing(
            **block_fields(self.samples, protocol),
            verdict=confirmed(
                speed(self.estimate.low, self.estimate.high, floor), self.samples.witness(protocol).low, floor
            ),
            median_ns_a=self.samples.median_ns("a"),
            median_ns_b=self.samples.median_ns("b"),
            warmup_calls=(self.samples.warmup_calls["a"], self.samples.warmup_calls["b"]),
            checked_calls=self.samples.checked_calls,
        )
        return record.model_copy(update={"timing": timing})


@dataclass
class Timekeeper:
    """`time_all` times; `aa` then holds the baseline against its own twin, for the scenarios in `again`."""

    operator: Operator
    device: Device
    libraries: Libraries
    baseline: Baseline
    root: int
    blocks: int
    protocol: Protocol
    again: set[str]
    outlook: Outlook
    aa: list[SameAgainstSame] = field(default_factory=list)

    def time_all(self, verified: Sequence[Verified]) -> list[Timed]:
        """Time every scenario that is correct."""
        timed = []
        deaths = 0
        for one in verified:
            if one.status is not Status.CORRECT:
                continue
            if not supports(self.baseline, one.scenario):
                timed.append(
                    Timed(one.scenario.id, detail=f"{self.baseline.name} does not support this scenario.")
                )
                continue
            if deaths >= self.protocol.max_deaths:
                timed.append(
                    Timed(one.scenario.id, detail="Not timed, because the candidate died too often.")
                )
                continue
            with turn(self.device.name, lambda: self.outlook.start("wait")):
                found = self._time(one)
            deaths += found.status in (Status.CRASH, Status.EXITED, Status.TIMEOUT)
            timed.append(found)
        return timed

    def _time(self, one: Verified) -> Timed:
        self.outlook.start("time", one.scenario.id)
        params = pack_params(self.operator.params_struct, one.scenario.params)
        twin_wanted = one.scenario.id in self.again
        with contextlib.ExitStack() as stack:
            arena = self.device.arena(one.specs)
            stack.callback(arena.close)
            runners: list[Runner] = []
            sides = [self.libraries.baseline, self.libraries.candidate]
            at = 0
            try:
                for at, library in enumerate([*sides, self.libraries.baseline] if twin_wanted else sides):  # noqa: B007 - `at` is read where one died
                    runner = self.device.runner(library, params, arena, timed=True)
                    stack.callback(runner.close)
                    runners.append(runner)
                arena.resize(max(runner.workspace_wanted for runner in runners))
                for at, runner in enumerate(runners):  # noqa: B007
                    runner.map()
            except RunnerDied as died:
                status = died.violation.status if at == 1 else Status.INVALID_REFERENCE
                return Timed(
                    one.scenario.id, None, None, status, died.violation.check, died.violation.evidence
                )
            try:
                samples = self._measure(runners[0], runners[1], arena, one)
            except Misbehaved as what:
                status = Status.INVALID_REFERENCE if what.side == "a" else what.violation.status
                words = ("The baseline: " if what.side == "a" else "") + what.violation.evidence
                return Timed(one.scenario.id, None, None, status, what.violation.check, words)
            self.outlook.timed(again=False)
            if twin_wanted:
                self.outlook.start("aa", one.scenario.id)
                try:
                    same = self._measure(runners[0], runners[2], arena, one, twin=True)
                except Misbehaved as what:
                    words = f"The baseline against itself: {what.violation.evidence}"
                    status = Status.INVALID_REFERENCE
                    return Timed(one.scenario.id, None, None, status, what.violation.check, words)
                self.aa.append(SameAgainstSame(scenario=one.scenario.id, **block_fields(same, self.protocol)))
                self.outlook.timed(again=True)
            return Timed(one.scenario.id, samples, samples.estimate(self.protocol))

    def _measure(self, a: Runner, b: Runner, arena: Arena, one: Verified, *, twin: bool = False) -> Samples:
        allowed = one.limits(self.protocol)
        trusted = self.libraries.baseline == self.libraries.start
        beside = {
            name: gate.widened(limit, one.start[name]) if trusted else gate.doubled(limit)
            for name, limit in allowed.items()
        }

        def set_inputs(draw: Draw) -> None:
            self.outlook.beat()
            arena.set_inputs(block_inputs(self.operator, one.scenario, self.root, draw, twin=twin))

        def compare(draw: Draw, of_a: Outputs, of_b: Outputs) -> GateResult:
            truth = None if twin else one.truths.get(draw)
            if truth:
                ours = gate.check(of_a, truth, one.specs, allowed, one.start, self.protocol)
                if not trusted and not ours.passed:
                    raise Misbehaved("a", Violation(ours.status, ours.check, ours.evidence))
                result = gate.check(of_b, truth, one.specs, allowed, one.start, self.protocol)
                if not result.passed:
                    return result
            as_truth = {name: output.astype(np.float64) for name, output in of_a.items()}
            words = f"the output of {self.baseline.name}"
            return gate.check(of_b, as_truth, one.specs, beside, one.start, self.protocol, against=words)

        return measure(
            a, b, arena, blocks=self.blocks, protocol=self.protocol, set_inputs=set_inputs, compare=compare
        )
