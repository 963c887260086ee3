"""Attention as one would write it on paper: one row after another, float64, nothing shared."""

import math
from collections.abc import Mapping

import numpy as np

from harness.operator import Array
from kernels.attention.problem import Problem


def sees(p: Problem, query: int, key: int, q_len: int | None = None, k_len: int | None = None) -> bool:
    """Whether a query sees a key, both counted without padding."""
    position = query + (p.seq_k if k_len is None else k_len) - (p.seq_q if q_len is None else q_len)
    if p.causal and key > position:
        return False
    return not p.window or key > position - p.window


def rows_of(p: Problem, inputs: Mapping[str, Array], name: str, b: int) -> Array:
    """Keys or values of one sequence that count, `[kv_heads, k_len, head_dim]`, gathered from their pages."""
    count = int(inputs["k_len"][b])
    slots = [p.seq_k - count + j if p.left_pad else j for j in range(count)]
    rows = [inputs[name][inputs["block_table"][b, s // p.page_size], :, s % p.page_size] for s in slots]
    return np.array(rows, dtype=np.float64).reshape(count, p.kv_heads, p.head_dim).transpose(1, 0, 2)


def attention(p: Problem, inputs: Mapping[str, Array]) -> Array:
    """The output in float64."""
    out = np.zeros(p.q_shape)
    for b in range(p.batch):
        q_len, k_len = int(inputs["q_len"][b]), int(inputs["k_len"][b])
        k, v = rows_of(p, inputs, "k", b), rows_of(p, inputs, "v", b)
        first = p.seq_q - q_len if p.left_pad else 0
        seen = [[sees(p, i, j, q_len, k_len) for j in range(k_len)] for i in range(q_len)]
        for h in range(p.heads):
            kv_head = h * p.kv_heads // p.heads
            scores = inputs["q"][b, h].astype(np.float64) @ k[kv_head].T * p.scale
            if p.softcap:
                scores = p.softcap * np.tanh(scores / p.softcap)
            for i in range(q_len):
                if any(seen[i]):
                    logits = scores[first + i][seen[i]]
                    sink = float(inputs["sink"][h]) if p.sink else -math.inf
                    top = max(logits.max(), sink)
                    weights = np.exp(logits - top)
                    total = weights.sum() + math.exp(sink - top)
                    out[b, h, first + i] = weights @ v[kv_head][seen[i]] / total
    return out


def relative_rms(x: Array, truth: Array) -> float:
    difference = x.astype(np.float64) - truth
    return float(np.sqrt((difference**2).mean() / (truth**2).mean()))
