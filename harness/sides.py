"""The libraries of an evaluation: the start, what is judged, and what it is timed against."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import RefusedRequest
from harness.operator import Baseline, Operator, Scenario

START = "start"


@dataclass(frozen=True, slots=True)
class Libraries:
    """Built libraries by path. `baseline` is the start's where the start is the baseline."""

    start: Path
    candidate: Path
    baseline: Path


def find_baseline(operator: Operator, name: str) -> Baseline:
    """The baseline of that name; `start` is always one. Raises `RefusedRequest`."""
    for baseline in operator.baselines:
        if baseline.name == name:
            return baseline
    if name == START:
        return Baseline(START, operator.start)
    known = ", ".join(sorted({START, *(baseline.name for baseline in operator.baselines)}))
    raise RefusedRequest(f"The operator {operator.name} has no baseline {name!r}; it has {known}.")


def supports(baseline: Baseline, scenario: Scenario) -> bool:
    """Whether a baseline declares this scenario."""
    return not baseline.scenarios or scenario.id in baseline.scenarios


def spread(scenarios: Sequence[Scenario], count: int) -> list[Scenario]:
    """At most `count` of them, evenly spread over the set, first and last included."""
    if len(scenarios) <= count:
        return list(scenarios)
    last = len(scenarios) - 1
    return [scenarios[round(i * last / (count - 1))] for i in range(count)] if count > 1 else [scenarios[0]]
