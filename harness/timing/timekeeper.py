"""Times the scenarios of an evaluation, each against the baseline and some of them against themselves."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from harness.arena import Arena, Violation
from harness.checks import Check
from harness.correctness import gate
from harness.correctness.checker import Verified, block_inputs
from harness.correctness.gate import GateResult
from harness.device import Device
from harness.operator import Baseline, Operator
from harness.outlook import Outlook
from harness.params import pack_params, params_header
from harness.protocol import Protocol
from harness.record.record import ScenarioRecord
from harness.record.samples import Bound, Ceilings, SameAgainstSame, Timing
from harness.runner import Runner, RunnerDied
from harness.seeds import ScenarioSeeds
from harness.sides import Libraries, supports
from harness.timing.alone import alone_fault
from harness.timing.ceilings import bound_of
from harness.timing.launcher import Launchers, in_python
from harness.timing.samples import Draw, Misbehaved, Outputs, Samples, Side, block_fields, measure
from harness.timing.slope import take_slope
from harness.timing.statistics import Estimate, judged
from harness.timing.turn import turn
from harness.verdict import Status

NO_LAUNCHER = (
    "The judge's kernel that does nothing could not be run, so the launcher's own time is not known."
)


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
    launcher_ns: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    cross_runner: bool = False

    def into(self, record: ScenarioRecord, floor: float, protocol: Protocol) -> ScenarioRecord:
        """The scenario's record with this in it; the verdict needs the whole set's floor."""
        if self.status is not None:
            found = {"status": self.status, "check": self.check, "evidence": self.evidence}
            return record.model_copy(update=found)
        if self.samples is None or self.estimate is None:
            return record.model_copy(update={"detail": self.detail})
        timing = Timing(
            **block_fields(self.samples, protocol),
            verdict=judged(
                self.estimate, self.samples.witness(protocol), floor, comparable=self.samples.comparable
            ),
            median_ns_a=self.samples.median_ns("a"),
            median_ns_b=self.samples.median_ns("b"),
            warmup_calls=(self.samples.warmup_calls["a"], self.samples.warmup_calls["b"]),
            checked_calls=self.samples.checked_calls,
            cross_runner=self.cross_runner,
            launcher_ns_a=self.launcher_ns[0],
            launcher_ns_b=self.launcher_ns[1],
            slope=self.samples.slope,
        )
        detail = "" if all(self.launcher_ns) else NO_LAUNCHER
        return record.model_copy(update={"timing": timing, "detail": detail})


@dataclass
class Timekeeper:
    """`time_all` times; `aa` then holds the baseline against its own twin, for the scenarios in `again`.

    `keep` is told each scenario that was timed, with the baseline against its twin on it. `ceilings` are the
    machine's, once something was timed.
    """

    operator: Operator
    device: Device
    libraries: Libraries
    baseline: Baseline
    seeds: ScenarioSeeds
    blocks: int
    protocol: Protocol
    again: set[str]
    outlook: Outlook
    keep: Callable[[Timed, SameAgainstSame | None], None] = lambda *_: None
    aa: list[SameAgainstSame] = field(default_factory=list)
    ceilings: Ceilings | None = None
    _ready: bool = False
    _measured_anew: bool = False
    _launchers: Launchers = field(init=False)

    def __post_init__(self) -> None:
        header = params_header(self.operator.params_struct)
        self._launchers = Launchers(self.device, header, self.protocol)

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
                self._make_ready()
                found = self._bounded(one, self._time(one))
            deaths += found.status in (Status.CRASH, Status.EXITED, Status.TIMEOUT)
            timed.append(found)
            if found.samples is not None:
                self.keep(found, next((aa for aa in self.aa if aa.scenario == found.scenario_id), None))
        return timed

    def _make_ready(self) -> None:
        """What needs the machine to itself, once."""
        if not self._ready:
            self._ready = True
            self.ceilings = self.device.ceilings()
            for library in self._sides:
                self._launchers.build(library)

    @property
    def _sides(self) -> tuple[Path, Path]:
        return self.libraries.baseline, self.libraries.candidate

    def _bounded(self, one: Verified, found: Timed) -> Timed:
        """The same, or IMPOSSIBLE where the candidate was faster than the machine is.

        No baseline is the candidate's: where one is faster too, the bound is wrong and not the candidate.
        """
        if found.samples is None or not self.protocol.on(Check.IMPOSSIBLE):
            return found
        work = self.operator.bound(one.scenario)
        words = too_fast(found.samples, bound_of(work, self.ceilings), self.protocol)
        if words and not self._measured_anew:
            self._measured_anew = True  # the machine may have been busy when it was measured
            self.ceilings = self.device.ceilings(anew=True)
            words = too_fast(found.samples, bound_of(work, self.ceilings), self.protocol)
        if not words:
            return found
        status = Status.IMPOSSIBLE
        theirs = too_fast(found.samples, bound_of(work, self.ceilings), self.protocol, side="a")
        if theirs:
            status = Status.INVALID_REFERENCE
            words = (
                f"The baseline {self.baseline.name} itself is faster than the bound, so the bound of "
                f"{self.operator.name} or this machine's ceilings are wrong. {theirs}"
            )
        return Timed(one.scenario.id, status=status, check=Check.IMPOSSIBLE, evidence=words)

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
            first, second = self._sides
            cross = samples.cross_runner
            theirs = self._launchers.ns(first, params, arena)
            return Timed(
                one.scenario.id,
                samples,
                samples.estimate(self.protocol),
                launcher_ns=(theirs, self._launchers.ns(second, params, arena) if cross else theirs),
                cross_runner=cross,
            )

    def _measure(self, a: Runner, b: Runner, arena: Arena, one: Verified, *, twin: bool = False) -> Samples:
        allowed = one.limits(self.protocol)
        trusted = self.libraries.baseline == self.libraries.start
        beside = {
            name: gate.widened(limit, one.start[name]) if trusted else gate.doubled(limit)
            for name, limit in allowed.items()
        }

        def set_inputs(draw: Draw) -> None:
            self.outlook.beat()
            arena.set_inputs(block_inputs(self.operator, one.scenario, self.seeds, draw, twin=twin))

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

        samples = measure(
            a,
            b,
            arena,
            blocks=self.blocks,
            protocol=self.protocol,
            set_inputs=set_inputs,
            compare=compare,
            across=not twin and in_python(self._sides[0]) != in_python(self._sides[1]),
        )
        if not twin:
            samples.slope = take_slope(
                a,
                b,
                arena,
                call_ns=samples.slower_ns("b"),
                python=in_python(self.libraries.candidate),
                block=self.blocks,
                protocol=self.protocol,
                set_inputs=set_inputs,
                compare=compare,
            )
            self._hold_alone(samples)
        return samples

    def _hold_alone(self, samples: Samples) -> None:
        """Raise `Misbehaved` where B's single calls are too short beside its calls in a row."""
        words = alone_fault(samples.raw["b"], samples.slope, self.protocol)
        if words and self.protocol.on(Check.SLOPE):
            raise Misbehaved("b", Violation(Status.WRONG, Check.SLOPE, words))


def too_fast(samples: Samples, bound: Bound, protocol: Protocol, *, side: Side = "b") -> str:
    """Why the median call of a side cannot be: a sentence with both numbers, "" where it can.

    The slower of its two clocks counts, the runner's and the witness (`Samples.slower_ns`).
    """
    if bound.floor_ns is None:
        return ""
    median = samples.slower_ns(side)
    if median >= protocol.impossible_share * bound.floor_ns:
        return ""
    moves = f"to move {bound.bytes} bytes"
    computes = f"to do {bound.operations} {bound.precision} operations"
    by = computes if bound.floor_ns == bound.compute_ns else moves
    return (
        f"A call took {median / 1e6:.4g} ms, but {by} takes this machine {bound.floor_ns / 1e6:.4g} ms at "
        "its measured best."
    )
