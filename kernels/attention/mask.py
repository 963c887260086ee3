"""Which keys a query sees.

Query i stands at position `i + seq_k - seq_q`: the mask is aligned at the bottom right, so the last query
sees the last key whatever the lengths. Causal hides the keys after that position; `window` > 0 hides those
before `position - window + 1`. What is visible is one range of keys; a row whose range is empty is zero.
"""

import numpy as np
from numpy.typing import NDArray

from kernels.attention.scenarios import Problem


def visible_keys(problem: Problem) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First visible key and one past the last, for each query: two arrays of seq_q."""
    position = np.arange(problem.seq_q, dtype=np.int64) + problem.seq_k - problem.seq_q
    begin = np.maximum(position - problem.window + 1, 0) if problem.window else np.zeros_like(position)
    end = position + 1 if problem.causal else np.full_like(position, problem.seq_k)
    end = np.clip(end, 0, problem.seq_k)
    return np.minimum(begin, end), end
