"""Attention as one would write it on paper: loops over rows, one key at a time, float64."""

import math

import numpy as np

from harness.operator import Array
from kernels.attention.scenarios import Problem


def sees(p: Problem, query: int, key: int) -> bool:
    position = query + p.seq_k - p.seq_q
    if p.causal and key > position:
        return False
    return not p.window or key > position - p.window


def attention(p: Problem, inputs: dict[str, Array]) -> Array:
    q, k, v = (inputs[name].astype(np.float64) for name in ("q", "k", "v"))
    out = np.zeros(p.q_shape)
    for b, h, i in np.ndindex(p.batch, p.heads, p.seq_q):
        kv_head = h * p.kv_heads // p.heads
        keys = [j for j in range(p.seq_k) if sees(p, i, j)]
        if not keys:
            continue
        scores = [float(q[b, h, i] @ k[b, kv_head, j]) * p.scale for j in keys]
        weights = [math.exp(score - max(scores)) for score in scores]
        for weight, j in zip(weights, keys, strict=True):
            out[b, h, i] += weight / sum(weights) * v[b, kv_head, j]
    return out


def relative_rms(x: Array, truth: Array) -> float:
    difference = x.astype(np.float64) - truth
    return float(np.sqrt((difference**2).mean() / (truth**2).mean()))
