"""Checks one scenario on every input set against the float64 reference, and the start beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.arena import Arena, Violation
from harness.checks import Check
from harness.correctness import gate
from harness.correctness.admission import Admissions, Trial
from harness.correctness.calls import Checked, checked_call
from harness.correctness.gate import Limits, StartError
from harness.correctness.reference import ReferenceWorker, Truth
from harness.device import Device
from harness.operator import Array, Operator, Scenario, TensorSpec
from harness.params import pack_params, rounded_params
from harness.protocol import Protocol
from harness.record.samples import InputSetResult
from harness.runner import Runner, RunnerDied
from harness.seeds import ScenarioSeeds
from harness.sides import Libraries
from harness.timing.samples import Draw
from harness.verdict import Status

DEATHS = frozenset({Status.CRASH, Status.EXITED, Status.TIMEOUT})


@dataclass(frozen=True, slots=True)
class Ahead:
    """A scenario whose references were asked for: (input set, seed, inputs, number of the answer)."""

    sets: tuple[tuple[str, int, dict[str, Array], int], ...] = ()
    blocks: dict[Draw, int] = field(default_factory=dict)
    with_trivial: bool = False
    listed: bool = True


@dataclass
class Verified:
    """What is known of a scenario after its check. `truths` are references of some timed draws."""

    scenario: Scenario
    specs: tuple[TensorSpec, ...]
    status: Status = Status.CORRECT
    check: str = ""
    evidence: str = ""
    results: list[InputSetResult] = field(default_factory=list)
    admitted: bool | None = None
    trivial_failed: tuple[str, ...] = ()
    start: dict[str, StartError] = field(default_factory=dict)
    truths: dict[Draw, Truth] = field(default_factory=dict)
    start_ns: int = 0
    candidate_ns: int = 0

    def fail(self, status: Status, check: str, evidence: str) -> None:
        """Keep the first thing that failed."""
        if self.status is Status.CORRECT:
            self.status, self.check, self.evidence = status, check, evidence

    def limits(self, protocol: Protocol) -> dict[str, Limits]:
        """The limits of the timed inputs."""
        outputs = {spec.name: spec for spec in self.specs if spec.role == "output"}
        return {name: gate.limits(self.start[name], spec.dtype, protocol) for name, spec in outputs.items()}


class Checker:
    """Checks scenarios of one evaluation; `ask` runs ahead of `check` so that the worker is never idle."""

    def __init__(
        self,
        operator: Operator,
        device: Device,
        libraries: Libraries,
        worker: ReferenceWorker,
        admissions: Admissions,
        *,
        seeds: ScenarioSeeds,
        blocks: int,
        protocol: Protocol,
    ) -> None:
        self._operator, self._device, self._libraries, self._worker = operator, device, libraries, worker
        self._admissions, self._seeds, self._blocks, self._protocol = admissions, seeds, blocks, protocol
        self._whole = protocol.whole()

    def ask(self, scenario: Scenario, *, timed: bool, listed: bool = True) -> Ahead:
        """Draw a scenario's inputs and ask for their references; `timed`: also for those of `ask_timed`.

        A shape that is not `listed` is drawn once and never again, so its admission is not remembered.
        """
        specs = self._operator.tensors(scenario)
        params = rounded_params(self._operator.params_struct, scenario.params)
        with_trivial = self._admissions.known(scenario) is None
        sets = []
        for name in self._operator.input_sets:
            seed = self._seeds.check(scenario.id, name)
            inputs = self._operator.make_inputs(scenario, name, seed)
            number = self._worker.submit(params, inputs, specs, trivial=with_trivial)
            sets.append((name, seed, inputs, number))
        return Ahead(tuple(sets), self.ask_timed(scenario) if timed else {}, with_trivial, listed)

    def ask_timed(self, scenario: Scenario) -> dict[Draw, int]:
        """Ask for the references of the timed inputs of a scenario's first and last block."""
        specs = self._operator.tensors(scenario)
        params = rounded_params(self._operator.params_struct, scenario.params)
        blocks = {}
        for draw in (Draw(0), Draw(self._blocks - 1, half=1)):
            inputs = block_inputs(self._operator, scenario, self._seeds, draw)
            blocks[draw] = self._worker.submit(params, inputs, specs, trivial=False)
        return blocks

    def truths(self, asked: Mapping[Draw, int]) -> dict[Draw, Truth]:
        """Wait for what `ask_timed` asked for."""
        return {draw: self._worker.result(number).reference for draw, number in asked.items()}

    def check(self, scenario: Scenario, ahead: Ahead) -> Verified:
        """Check a scenario. Whatever the candidate does is in the result."""
        verified = Verified(scenario, tuple(self._operator.tensors(scenario)))
        params = pack_params(self._operator.params_struct, scenario.params)
        arena = self._device.arena(verified.specs)
        runners: list[Runner] = []
        try:
            try:
                start = self._device.runner(self._libraries.start, params, arena, timed=False)
                runners.append(start)
            except RunnerDied as died:
                return self._invalid(verified, f"The start could not be run: {died.violation.evidence}")
            candidate: Runner | None = None
            try:
                candidate = self._device.runner(self._libraries.candidate, params, arena, timed=False)
                runners.append(candidate)
            except RunnerDied as died:
                verified.fail(died.violation.status, died.violation.check, died.violation.evidence)
            if candidate is None and arena.spoiled() is not None:  # no call can be made on it any more
                verified.truths = self.truths(ahead.blocks)
                return verified
            arena.resize(max(runner.workspace_wanted for runner in runners))
            try:
                start.map()
            except RunnerDied as died:
                return self._invalid(verified, f"The start could not be run: {died.violation.evidence}")
            if candidate is not None:
                try:
                    candidate.map()
                except RunnerDied as died:
                    candidate = None
                    verified.fail(died.violation.status, died.violation.check, died.violation.evidence)
            self._check_sets(verified, ahead, arena, start, candidate)
        finally:
            for runner in runners:
                runner.close()
            arena.close()
        verified.truths = self.truths(ahead.blocks)
        return verified

    def _check_sets(
        self, verified: Verified, ahead: Ahead, arena: Arena, start: Runner, candidate: Runner | None
    ) -> None:
        trial = Trial()
        for name, seed, inputs, number in ahead.sets:
            answer = self._worker.result(number)
            problem = answer.error or gate.bad_reference(answer.reference, verified.specs)
            if problem:
                self._invalid(verified, f"No reference for the input set {name}: {problem}")
                return
            arena.set_inputs(inputs)
            try:
                ours = checked_call(start, arena)
            except RunnerDied as died:
                self._invalid(
                    verified, f"The start failed on the input set {name}: {died.violation.evidence}"
                )
                return
            reason, own = self._judge_start(ours, answer.reference, verified.specs)
            if reason and self._protocol.on(Check.START_PASSES):
                self._invalid(verified, f"The start fails on the input set {name}: {reason}")
                return
            allowed = {
                spec.name: gate.limits(own[spec.name], spec.dtype, self._protocol)
                for spec in verified.specs
                if spec.role == "output"
            }
            if not verified.start:
                verified.start, verified.start_ns = own, ours.outside_ns
            if ahead.with_trivial:
                trial.add(answer.trivial, answer.reference, verified.specs, allowed, own, self._whole)
            if candidate is None:
                continue
            result, ns = self._judge_candidate(
                name, seed, candidate, arena, answer.reference, verified.specs, allowed, own
            )
            verified.results.append(result)
            verified.candidate_ns = max(verified.candidate_ns, ns)
            if result.status is not Status.CORRECT:
                verified.fail(result.status, result.check, f"Input set {name}: {result.evidence}")
            if (
                result.status in DEATHS
                or result.status is Status.UNSUPPORTED
                or result.check == Check.CHANNEL
            ):
                candidate = None
        self._admit(verified, ahead, trial)

    def _admit(self, verified: Verified, ahead: Ahead, trial: Trial) -> None:
        if ahead.with_trivial:
            survivors = trial.survivors() if self._protocol.on(Check.TRIVIAL_KERNELS_FAIL) else []
            if survivors:
                verified.admitted = False
                verified.status, verified.check = Status.NOT_ADMITTED, Check.TRIVIAL_KERNELS_FAIL
                verified.evidence = (
                    f"The scenario cannot tell work from no work: {', '.join(survivors)} passes the gate on "
                    "every input set. Correct the operator's inputs or remove the scenario."
                )
                return
            if ahead.listed:
                self._admissions.keep(verified.scenario, trial)
            verified.trivial_failed = tuple(sorted(trial.failed))
        else:
            verified.trivial_failed = self._admissions.known(verified.scenario) or ()
        verified.admitted = True

    def _invalid(self, verified: Verified, evidence: str) -> Verified:
        verified.status, verified.check, verified.evidence = (
            Status.INVALID_REFERENCE,
            Check.START_PASSES,
            evidence,
        )
        return verified

    def _judge_start(
        self, call: Checked, truth: Truth, specs: Sequence[TensorSpec]
    ) -> tuple[str, dict[str, StartError]]:
        """Why the start is no measure here ("" when it is one), and its errors."""
        if call.violation is not None:
            return call.violation.evidence, {}
        own = gate.start_errors(call.outputs, truth, specs, self._protocol)
        loosest = {
            spec.name: gate.limits_of_start(spec.dtype, self._protocol)
            for spec in specs
            if spec.role == "output"
        }
        result = gate.check(call.outputs, truth, specs, loosest, own, self._whole)
        return ("" if result.passed else result.evidence), own

    def _judge_candidate(
        self,
        name: str,
        seed: int,
        candidate: Runner,
        arena: Arena,
        truth: Truth,
        specs: Sequence[TensorSpec],
        allowed: Mapping[str, Limits],
        own: Mapping[str, StartError],
    ) -> tuple[InputSetResult, int]:
        """The candidate on one input set, and how long it took."""
        ns = 0
        violation: Violation | None
        try:
            call = checked_call(candidate, arena)
            violation, ns = call.violation, call.outside_ns
        except RunnerDied as died:
            violation = died.violation
        if violation is not None:
            return (
                InputSetResult(
                    input_set=name,
                    seed=f"{seed:016x}",
                    status=violation.status,
                    check=violation.check,
                    evidence=violation.evidence,
                ),
                ns,
            )
        result = gate.check(call.outputs, truth, specs, allowed, own, self._protocol)
        return (
            InputSetResult(
                input_set=name,
                seed=f"{seed:016x}",
                status=result.status,
                check=result.check,
                evidence=result.evidence,
                outputs=result.outputs,
            ),
            ns,
        )


def block_inputs(
    operator: Operator, scenario: Scenario, seeds: ScenarioSeeds, draw: Draw, *, twin: bool = False
) -> dict[str, Array]:
    """Fresh inputs for timed calls, of the operator's first input set.

    `twin`: for the baseline's calls against itself.
    """
    purpose = "again" if twin else "time"
    seed = seeds.timed(scenario.id, purpose, draw.block, draw.attempt, draw.half)
    return operator.make_inputs(scenario, operator.input_sets[0], seed)
