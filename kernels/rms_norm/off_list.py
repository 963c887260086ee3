"""Shapes that are on no list: the same kind of problem with narrower and fewer rows."""

from dataclasses import asdict, replace

import numpy as np

from harness.operator import Scenario
from kernels.rms_norm.scenarios import SETS, Problem

NARROWER = 40
FEWER = 4

_LISTED = frozenset(Problem.of(one).hidden for scenarios in SETS.values() for one in scenarios)


def vary(scenario: Scenario, seed: int) -> Scenario:
    """The scenario with up to 3 rows fewer, narrower by 1 to 39, of a width that no listed one has."""
    rng = np.random.default_rng(seed)
    problem = Problem.of(scenario)
    narrower = range(max(1, problem.hidden - NARROWER + 1), problem.hidden)
    widths = [width for width in narrower if width not in _LISTED] or [problem.hidden + 1]
    hidden = int(rng.choice(widths))
    rows = max(1, problem.rows - int(rng.integers(0, FEWER)))
    varied = replace(problem, rows=rows, hidden=hidden)
    return Scenario(f"{scenario.id}~r{rows}h{hidden}", scenario.family, asdict(varied))
