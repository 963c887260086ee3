"""Checks every scenario of an evaluation, and then a few shapes that are on no list.

What a broken run had found right is taken over.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from harness.checks import Check
from harness.correctness import off_list
from harness.correctness.checker import DEATHS, Ahead, Checker, Verified
from harness.correctness.gate import StartError
from harness.looked_up import Task
from harness.operator import Scenario
from harness.outlook import Outlook
from harness.protocol import Protocol
from harness.record.parts import LeftOut
from harness.record.record import ScenarioRecord
from harness.resume.partial import Partial
from harness.seeds import ScenarioSeeds
from harness.timing.samples import Draw
from harness.verdict import Status

AHEAD = 2
"""Scenarios whose references are asked for before they are needed."""
_NO_FAULT_OF_ITS = frozenset({Status.NOT_ADMITTED, Status.INVALID_REFERENCE})


@dataclass
class Checking:
    """Call `listed`, then `shapes`. `notes` and `left_out` are for the record, `untimed` makes a
    scenario's."""

    task: Task
    checker: Checker
    protocol: Protocol
    outlook: Outlook
    seeds: ScenarioSeeds
    partial: Partial | None
    untimed: Callable[[Verified], ScenarioRecord]
    notes: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    _deaths: int = 0

    def listed(self) -> list[Verified]:
        """Every scenario of the set, in its order. References are asked for ahead of the checks."""
        kept = self._kept()
        left = [one for one in self.task.scenarios if one.id not in kept]
        waiting = self._ask_for_timing(kept)
        ahead: list[Ahead] = []
        for number, scenario in enumerate(left):
            self.outlook.start("check", scenario.id)
            if self._deaths >= self.protocol.max_deaths:
                kept[scenario.id] = self._not_run(scenario)
                continue
            for later in left[len(ahead) : number + AHEAD]:
                ahead.append(self.checker.ask(later, timed=not self.task.request.check_only))
            verified = self.checker.check(scenario, ahead[number])
            ahead[number] = Ahead()  # the inputs are no longer needed
            self._deaths += verified.status in DEATHS
            kept[scenario.id] = verified
            self.outlook.checked(verified.start_ns + verified.candidate_ns)
            if verified.status is Status.CORRECT and self.partial is not None:
                self.partial.checked(
                    self.untimed(verified),
                    self.seeds.of(scenario.id),
                    verified.start,
                    verified.start_ns,
                    verified.candidate_ns,
                )
        for scenario_id, asked in waiting.items():
            self.outlook.beat()
            kept[scenario_id].truths = self.checker.truths(asked)
        return [kept[scenario.id] for scenario in self.task.scenarios]

    def shapes(self, root: int) -> list[Verified]:
        """The shapes off the list; a broken run's are not taken over."""
        if not self.protocol.on(Check.OFF_LIST):
            return []
        count = off_list.wanted(len(self.task.scenarios), self.protocol.off_list_share)
        found = []
        for scenario in off_list.chosen(self.task.scenarios, count, root):
            if self._deaths >= self.protocol.max_deaths:
                why = f"the candidate died in {self._deaths} scenarios before"
                self.left_out.append(LeftOut(scenario=scenario.id, why=why))
                continue
            shape = self._shape(scenario, root)
            if shape is not None:
                self._deaths += shape.status in DEATHS
                found.append(shape)
        return found

    def _shape(self, scenario: Scenario, root: int) -> Verified | None:
        """A shape like this one; drawn again where the operator or its start is no measure there."""
        why = ""
        for attempt in range(off_list.TRIES):
            shape = off_list.varied(self.task.operator, scenario, root, attempt)
            if isinstance(shape, str):
                why = shape
                continue
            self.outlook.start("check", shape.id)
            verified = self.checker.check(shape, self.checker.ask(shape, timed=False, listed=False))
            if verified.status not in _NO_FAULT_OF_ITS:
                self.outlook.checked(verified.start_ns + verified.candidate_ns)
                return verified
            why = f"{shape.id} is {verified.status}: {verified.evidence}"
        self.outlook.checked(0)
        self.left_out.append(LeftOut(scenario=scenario.id, why=why))
        self.notes.append(f"No shape off the list could be checked in place of {scenario.id} ({why}).")
        return None

    def _kept(self) -> dict[str, Verified]:
        """What a broken run had found right, as long as it is of these scenarios."""
        if self.partial is None:
            return {}
        kept: dict[str, Verified] = {}
        found = self.partial.found
        for scenario in self.task.scenarios:
            line = found.checked.get(scenario.id)
            if line is None:
                continue
            record = line.record
            self.seeds.restore(scenario.id, self.partial.seed_of(line))
            kept[scenario.id] = Verified(
                scenario,
                tuple(self.task.operator.tensors(scenario)),
                record.status,
                results=list(record.correctness),
                admitted=record.admitted,
                trivial_failed=record.trivial_failed,
                start={name: StartError(**errors) for name, errors in line.start.items()},
                start_ns=line.start_ns,
                candidate_ns=line.candidate_ns,
            )
            call_ns = line.start_ns + line.candidate_ns
            self.outlook.resumed(scenario.id, call_ns, timed=scenario.id in found.timed)
        self.seeds.earlier = len(found.resumed())
        return kept

    def _ask_for_timing(self, kept: dict[str, Verified]) -> dict[str, dict[Draw, int]]:
        """Ask for the references of the timed inputs of what is checked and still has to be timed."""
        if self.task.request.check_only or self.partial is None:
            return {}
        asked = {}
        for scenario_id in kept.keys() - self.partial.found.timed.keys():
            self.outlook.beat()
            asked[scenario_id] = self.checker.ask_timed(kept[scenario_id].scenario)
        return asked

    def _not_run(self, scenario: Scenario) -> Verified:
        words = f"Not run, because the candidate died in {self._deaths} scenarios before."
        specs = tuple(self.task.operator.tensors(scenario))
        return Verified(scenario, specs, Status.NOT_RUN, "deaths", words)


def not_built(scenarios: Sequence[Scenario], why: str, check: str = "") -> list[Verified]:
    """Every scenario, of a candidate that nothing was run of."""
    return [Verified(scenario, (), Status.NOT_RUN, check, why) for scenario in scenarios]
