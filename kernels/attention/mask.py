"""Which keys a query sees.

Of a sequence with q_len queries and k_len keys, query i stands at position `i + k_len - q_len`: the mask is
aligned at the bottom right, so the last query sees the last key whatever the lengths. Causal hides the keys
after that position; `window` > 0 hides those before `position - window + 1`. What is visible is one range
of keys; a row whose range is empty is zero. Queries and keys are counted without padding.
"""

import numpy as np
from numpy.typing import NDArray

from kernels.attention.problem import Problem

Indices = NDArray[np.int64]


def visible_keys(
    problem: Problem, q_len: int | None = None, k_len: int | None = None
) -> tuple[Indices, Indices]:
    """First visible key and one past the last, for each query: two arrays of q_len.

    Without lengths those of a sequence that is not padded.
    """
    q_len = problem.seq_q if q_len is None else q_len
    k_len = problem.seq_k if k_len is None else k_len
    position = np.arange(q_len, dtype=np.int64) + k_len - q_len
    begin = np.maximum(position - problem.window + 1, 0) if problem.window else np.zeros_like(position)
    end = position + 1 if problem.causal else np.full_like(position, k_len)
    end = np.clip(end, 0, k_len)
    return np.minimum(begin, end), end


def seen_keys(begin: Indices, end: Indices, k_len: int) -> NDArray[np.bool_]:
    """Which of k_len keys any of these ranges holds."""
    steps = np.zeros(k_len + 1, dtype=np.int64)
    np.add.at(steps, begin, 1)
    np.add.at(steps, end, -1)
    return np.asarray(np.cumsum(steps[:-1]) > 0)
