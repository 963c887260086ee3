"""The least an attention call must do."""

from harness.dtypes import item_bytes
from harness.operator import Work
from kernels.attention import lengths
from kernels.attention.mask import seen_keys, visible_keys
from kernels.attention.problem import Problem

INT_BYTES = item_bytes("int32")
SINK_BYTES = item_bytes("float32")


def bound(problem: Problem) -> Work:
    """Bytes and operations of one timed call, with its actual lengths, mask and pages.

    Bytes: every output row is written, padded ones too; every value row that some query sees is read once,
    and every query and key whose softmax has more than one term. Of the rest, what a kernel needs in order
    to know where to read: lengths where ragged, the table's entries of pages that hold what is read, sinks.
    Operations: a multiply and an add for each element of q·k and of p·v, for each visible (query, key) pair
    of each query head: 4 * head_dim a pair, where the softmax has more than one term. The softmax itself,
    the softcap and the division are left out (a floor may be too low, never too high).
    """
    fewest = 1 if problem.sink else 2
    pairs = q_rows = kv_rows = table = 0
    for q_len, k_len in zip(*lengths.nominal(problem), strict=True):
        begin, end = visible_keys(problem, int(q_len), int(k_len))
        weighed = end - begin >= fewest
        pairs += int((end - begin)[weighed].sum())
        q_rows += int(weighed.sum())
        keys = seen_keys(begin[weighed], end[weighed], int(k_len))
        values = seen_keys(begin, end, int(k_len))
        kv_rows += int(keys.sum()) + int(values.sum())
        slots = lengths.first(problem.seq_k, int(k_len), problem) + values.nonzero()[0]
        table += len(set((slots // problem.page_size).tolist()))
    rows = problem.heads * (q_rows + problem.batch * problem.seq_q) + problem.kv_heads * kv_rows
    other = SINK_BYTES * problem.heads if problem.sink else 0
    other += INT_BYTES * 2 * problem.batch if problem.ragged else 0
    other += INT_BYTES * table if problem.paged else 0
    return Work(
        bytes=item_bytes(problem.dtype_name) * problem.head_dim * rows + other,
        operations=4 * problem.head_dim * pairs * problem.heads,
        precision=problem.precision,
    )
