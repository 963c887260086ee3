"""torch's own attention on the CPU, as a baseline: what a user of torch gets on one thread.

Self-contained: run by path under any Python that has torch (`harness/python/worker.py`). Tensors and
parameters: `kernels.attention.problem`; only scenarios of `kernels.attention.baselines.TORCH_SCENARIOS`. A
mask, where torch needs one, depends on the parameters alone and is made before any call, so that no ratio is
won by making it. torch has no way to write into a given output: the copy is part of the call, as it is for
whoever calls torch with memory of his own.
"""

from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

MASK: dict[str, torch.Tensor | None] = {"mask": None}


def ks_prepare(params: dict[str, Any]) -> None:
    """Make the mask. Query i stands at position `i + seq_k - seq_q`; torch's own `is_causal` puts it at i."""
    seq_q, seq_k = params["seq_q"], params["seq_k"]
    if not params["window"] and (not params["causal"] or seq_q == 1 or seq_q == seq_k):
        return
    position = torch.arange(seq_q)[:, None] + seq_k - seq_q
    key = torch.arange(seq_k)[None, :]
    seen = torch.ones(seq_q, seq_k, dtype=torch.bool)
    if params["causal"]:
        seen &= key <= position
    if params["window"]:
        seen &= key > position - params["window"]
    MASK["mask"] = seen


def ks_run(tensors: dict[str, torch.Tensor], params: dict[str, Any]) -> int:
    """One call."""
    mask = MASK["mask"]
    causal = bool(params["causal"]) and mask is None and params["seq_q"] > 1
    out = scaled_dot_product_attention(
        tensors["q"],
        tensors["k"],
        tensors["v"],
        attn_mask=mask,
        is_causal=causal,
        scale=params["scale"],
        enable_gqa=params["heads"] != params["kv_heads"],
    )
    tensors["out"].copy_(out)
    return 0
