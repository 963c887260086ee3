"""Attention without padding in Triton, for contiguous fp32 and one sequence."""

import triton
import triton.language as tl


@triton.jit
def attend(q, k, v, out, seq_q, seq_k, group, causal, window, scale, dim: tl.constexpr, most: tl.constexpr):
    row, head = tl.program_id(0), tl.program_id(1)
    kv = head // group
    d = tl.arange(0, dim)
    n = tl.arange(0, most)
    position = row + seq_k - seq_q
    there = n[:, None] < seq_k
    query = tl.load(q + (head * seq_q + row) * dim + d)
    keys = tl.load(k + (kv * seq_k + n[:, None]) * dim + d[None, :], mask=there, other=0.0)
    values = tl.load(v + (kv * seq_k + n[:, None]) * dim + d[None, :], mask=there, other=0.0)
    seen = (n < seq_k) & ((n <= position) | (causal == 0)) & ((n > position - window) | (window == 0))
    score = tl.where(seen, tl.sum(keys * query[None, :], axis=1) * scale, float("-inf"))
    weight = tl.exp(score - tl.max(score, axis=0))
    result = tl.sum(values * weight[:, None], axis=0) / tl.sum(weight, axis=0)
    tl.store(out + (head * seq_q + row) * dim + d, result)


def ks_run(tensors, params):
    """KS_UNSUPPORTED for what is not plain."""
    if params["batch"] != 1 or params["head_dim"] & (params["head_dim"] - 1) or params["dtype"]:
        return 1
    if params["ragged"] or params["sink"] or params["softcap"] or params["page_size"] != params["seq_k"]:
        return 1
    attend[(params["seq_q"], params["heads"])](
        *(tensors[name] for name in ("q", "k", "v", "out")),
        *(params["seq_q"], params["seq_k"], params["heads"] // params["kv_heads"]),
        *(params["causal"], params["window"], params["scale"]),
        dim=params["head_dim"],
        most=triton.next_power_of_2(params["seq_k"]),
    )
    return 0
