"""Shapes that are on no list: the same kind of problem at other lengths."""

from dataclasses import asdict, replace

import numpy as np

from harness.operator import Scenario
from kernels.attention.scenarios import Problem


def vary(scenario: Scenario, seed: int) -> Scenario:
    """The scenario with up to 7 fewer queries and up to 15 fewer keys, at least one key fewer."""
    rng = np.random.default_rng(seed)
    problem = Problem.of(scenario)
    seq_q = max(1, problem.seq_q - int(rng.integers(0, 8)))
    seq_k = max(1, problem.seq_k - int(rng.integers(1, 16)))
    varied = replace(problem, seq_q=seq_q, seq_k=seq_k)
    return Scenario(f"{scenario.id}~q{seq_q}k{seq_k}", scenario.family, asdict(varied))
