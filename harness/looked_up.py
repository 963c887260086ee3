"""A request with everything it names looked up."""

import fnmatch
from dataclasses import dataclass
from pathlib import Path

from harness.blocks import blocks_of
from harness.errors import RefusedRequest
from harness.home import cache_folder
from harness.operator import Baseline, Operator, Scenario
from harness.request import EvaluationRequest
from harness.sides import find_baseline


@dataclass(frozen=True, slots=True)
class Task:
    """What one evaluation is over."""

    request: EvaluationRequest
    operator: Operator
    scenario_set: str
    scenarios: tuple[Scenario, ...]
    baseline: Baseline
    blocks: int
    cache: Path

    @property
    def candidates(self) -> Path:
        """Where frozen candidates are kept."""
        return self.request.candidates or self.cache / "candidates"

    @property
    def partial(self) -> Path:
        """Where a broken evaluation leaves what it had finished (`harness.resume.partial`)."""
        return self.candidates.parent / "partial"


def look_up(request: EvaluationRequest, operator: Operator) -> Task:
    """Find everything a request names. Raises `RefusedRequest`."""
    name = request.scenario_set or operator.default_set
    if name not in operator.sets:
        raise RefusedRequest(
            f"The operator {operator.name} has no set {name!r}; it has {', '.join(sorted(operator.sets))}."
        )
    scenarios = tuple(operator.sets[name])
    if request.scenarios is not None:
        scenarios = tuple(one for one in scenarios if fnmatch.fnmatchcase(one.id, request.scenarios))
        if not scenarios:
            known = ", ".join(one.id for one in operator.sets[name])
            raise RefusedRequest(f"No scenario of {name} matches {request.scenarios!r}; it has {known}.")
    return Task(
        request=request,
        operator=operator,
        scenario_set=name,
        scenarios=scenarios,
        baseline=find_baseline(operator, request.baseline),
        blocks=request.blocks or blocks_of(name),
        cache=cache_folder(request.cache),
    )
