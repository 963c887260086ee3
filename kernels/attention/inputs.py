"""Inputs of an attention call: drawn fresh from a seed.

`nominal` (the timed one) is N(0, 1) throughout. On it every key matters a little; dropping a few of many
hardly shows in a tolerance. So `needles` points each query at one key that a lazy kernel would miss, and
`scaled` makes the softmax peaked and the values small.
"""

import numpy as np
from numpy.typing import NDArray

from harness.operator import Array
from kernels.attention.mask import visible_keys
from kernels.attention.scenarios import Problem

INPUT_SETS = ("nominal", "needles", "scaled")

TAIL = 16
"""How many keys at the end of a range count as its tail."""
QUERY_FACTOR = 4.0
VALUE_FACTOR = 0.01

F32 = NDArray[np.float32]


def make_inputs(problem: Problem, input_set: str, seed: int) -> dict[str, Array]:
    """Arrays q, k and v. Raises ValueError for an unknown input set."""
    if input_set not in INPUT_SETS:
        raise ValueError(f"attention has no input set {input_set!r}; it has {', '.join(INPUT_SETS)}")
    rng = np.random.default_rng([seed, INPUT_SETS.index(input_set)])
    q = rng.standard_normal(problem.q_shape, dtype=np.float32)
    k = rng.standard_normal(problem.kv_shape, dtype=np.float32)
    v = rng.standard_normal(problem.kv_shape, dtype=np.float32)
    if input_set == "scaled":
        q *= np.float32(QUERY_FACTOR)
        v *= np.float32(VALUE_FACTOR)
    elif input_set == "needles":
        targets = needle_targets(problem, rng)
        q = _aim(problem, k, targets)
        _mark(problem, v, targets)
    return {"q": q, "k": k, "v": v}


def needle_targets(problem: Problem, rng: np.random.Generator) -> NDArray[np.int64]:
    """The key each query is aimed at, `[heads, seq_q]`.

    Neighbouring queries and heads take turns among: the first key they see, the last, one of the last 16,
    the nearest hidden key on either side (a kernel that reads past the window or the diagonal would follow
    it), and any key they see. Where there is no such key, the last one.
    """
    begin, end = visible_keys(problem)
    last = np.maximum(end - 1, 0)
    tail = np.maximum(end - rng.integers(1, TAIL + 1, size=end.shape), np.minimum(begin, last))
    anywhere = begin + (rng.random(size=end.shape) * (end - begin)).astype(np.int64)
    before = np.where(begin > 0, begin - 1, last)
    after = np.where(end < problem.seq_k, end, last)
    choices = np.stack([begin, last, tail, before, after, anywhere]).clip(0, problem.seq_k - 1)
    turn = np.arange(problem.heads)[:, None] + np.arange(problem.seq_q)[None, :]
    return np.asarray(choices[turn % len(choices), np.arange(problem.seq_q)[None, :]])


def _aim(problem: Problem, k: F32, targets: NDArray[np.int64]) -> F32:
    """Queries whose score is `3 + log(seq_k)` with their target and small with every other key."""
    group = problem.heads // problem.kv_heads
    kv_head = np.arange(problem.heads) // group
    aimed = k[:, kv_head[:, None], targets, :]
    strength = (3.0 + np.log(problem.seq_k)) / problem.scale
    norm = np.einsum("bhid,bhid->bhi", aimed, aimed)[..., None]
    return np.ascontiguousarray(aimed * (np.float32(strength) / norm), dtype=np.float32)


def _mark(problem: Problem, v: F32, targets: NDArray[np.int64]) -> None:
    """Give the values of every key that is a target a level of its own, distinct for each KV head."""
    group = problem.heads // problem.kv_heads
    for kv_head in range(problem.kv_heads):
        keys = np.unique(targets[kv_head * group : (kv_head + 1) * group])
        v[:, kv_head, keys, :] += np.float32(1 + kv_head % 4)
