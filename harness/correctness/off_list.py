"""Shapes that are on no list: which are checked beside a set, and what is said of one that is not right.

Why: docs/decisions/0015-off-list-shapes.md.
"""

import math
import random
from collections.abc import Sequence

from harness.checks import Check
from harness.operator import Operator, Scenario
from harness.record.record import ScenarioRecord
from harness.seeds import derive

TRIES = 4
"""Shapes that are drawn in place of one that the operator's inputs or its start cannot judge."""


def wanted(scenarios: int, share: float) -> int:
    """How many shapes are checked beside so many listed scenarios."""
    return min(scenarios, max(1, math.ceil(share * scenarios)))


def chosen(scenarios: Sequence[Scenario], count: int, root: int) -> list[Scenario]:
    """The scenarios that are varied, as many families as there are first. Decided by the secret root."""
    draw = random.Random(derive(root, "off-list"))
    families: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        families.setdefault(scenario.family, []).append(scenario)
    names = list(families)
    draw.shuffle(names)
    for name in names:
        draw.shuffle(families[name])
    rounds = max(len(members) for members in families.values())
    in_turn = [families[name][at] for at in range(rounds) for name in names if at < len(families[name])]
    return in_turn[:count]


def varied(operator: Operator, scenario: Scenario, root: int, attempt: int) -> Scenario | str:
    """A shape like `scenario` that no list of the operator's has, or why there is none, in a few words."""
    try:
        shape = operator.off_list(scenario, derive(root, "off-list", scenario.id, attempt))
        operator.tensors(shape)
    except Exception as error:  # the operator's own code: a shape it cannot make is one less, and no more
        return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    if not is_like(shape.id, shape.family, scenario):
        return f"{shape.id} of {shape.family} is not named as a shape like {scenario.id} of {scenario.family}"
    for listed in (one for scenarios in operator.sets.values() for one in scenarios):
        if shape.id == listed.id or dict(shape.params) == dict(listed.params):
            return f"{shape.id} is {listed.id}, which is on a list"
    return shape


def is_like(shape: str, family: str, scenario: Scenario) -> bool:
    """Whether a shape of this id and family can be one like `scenario`: its id with a suffix (`Operator`)."""
    return family == scenario.family and shape.startswith(scenario.id) and len(shape) > len(scenario.id)


def off_list_words(shape: ScenarioRecord) -> str:
    """What is said of a shape that is not right; its own `check` is the one that saw it."""
    evidence = shape.evidence or shape.detail
    words = f"{shape.check}: {evidence}" if shape.check else evidence
    return f"{Check.OFF_LIST}: shape {shape.id}, which is on no list, is {shape.status}: {words}"
