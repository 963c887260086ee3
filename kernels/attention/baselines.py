"""What a ratio can be over: the start, and torch's own operator where it does the same work."""

from pathlib import Path

from harness.operator import Baseline
from kernels.attention.problem import Problem
from kernels.attention.scenarios import SETS

START = Path(__file__).with_name("start.cpp")
TORCH = Path(__file__).with_name("torch_baseline.py")


def torch_can(problem: Problem) -> bool:
    """Whether `scaled_dot_product_attention` computes exactly this: contiguous, without padding, softcap or
    sink, and no query before the first key, whose row would be zero."""
    plain = not (problem.paged or problem.ragged or problem.softcap or problem.sink)
    return plain and (problem.seq_q <= problem.seq_k or not (problem.causal or problem.window))


TORCH_SCENARIOS = frozenset(
    one.id for scenarios in SETS.values() for one in scenarios if torch_can(Problem.of(one))
)

BASELINES = (Baseline("start", START), Baseline("torch", TORCH, TORCH_SCENARIOS, requires=("torch",)))
