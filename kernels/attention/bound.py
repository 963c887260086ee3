"""The least an attention call must do."""

import numpy as np

from harness.operator import Work
from kernels.attention.mask import visible_keys
from kernels.attention.scenarios import Problem

FLOAT_BYTES = 4


def bound(problem: Problem) -> Work:
    """Bytes and operations of one call with its actual mask.

    Bytes: every query that sees a key is read, every output row written, every key and value row that some
    query sees read once. Operations: a multiply and an add for each element of q·k and of p·v, for each
    visible (query, key) pair of each query head: 4 * head_dim a pair. The softmax is left out (a floor may
    be too low, never too high).
    """
    begin, end = visible_keys(problem)
    pairs = int((end - begin).sum())
    # Ranges move right together, so the keys seen by any query are the union of overlapping ranges.
    seen = np.zeros(problem.seq_k + 1, dtype=np.int64)
    np.add.at(seen, begin, 1)
    np.add.at(seen, end, -1)
    kv_rows = int((np.cumsum(seen[:-1]) > 0).sum())
    q_rows = int((end > begin).sum())
    rows = problem.heads * (q_rows + problem.seq_q) + problem.kv_heads * 2 * kv_rows
    return Work(
        bytes=FLOAT_BYTES * problem.batch * problem.head_dim * rows,
        operations=4 * problem.head_dim * pairs * problem.batch * problem.heads,
    )
