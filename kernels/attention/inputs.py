"""Inputs of an attention call: drawn fresh from a seed.

- `nominal`, the timed one: N(0, 1), lengths as the problem states them, pages at places drawn anew.
- `needles`: on nominal inputs every key matters a little, and dropping a few of many hardly shows in a
  tolerance. So each query is pointed at one key that a lazy kernel would miss, and sinks weigh as much as
  that key.
- `scaled`: the softmax is peaked and the values are small; a softcap is saturated.
- `small`: everything is, so that an absolute tolerance would let zeros pass.
- `edges`: lengths at which kernels go wrong, pages in reverse order. For a problem that has neither,
  another draw.

In every set, what counts for nothing (padding, keys that no query sees, pages of nobody) holds large junk.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from harness.dtypes import numpy_dtype
from harness.operator import Array
from kernels.attention import lengths
from kernels.attention.mask import Indices, seen_keys, visible_keys
from kernels.attention.problem import Problem

INPUT_SETS = ("nominal", "needles", "scaled", "small", "edges")

TAIL = 16
"""How many keys at the end of a range count as its tail."""
QUERY_FACTOR = 4.0
VALUE_FACTOR = 0.01
SMALL_FACTOR = 0.01
JUNK = (1e3, 1e4)
"""Least and largest size of what must not be read."""

F32 = NDArray[np.float32]


def make_inputs(problem: Problem, input_set: str, seed: int) -> dict[str, Array]:
    """All inputs by name; see `kernels.attention.problem`. Raises ValueError for an unknown input set."""
    if input_set not in INPUT_SETS:
        raise ValueError(f"attention has no input set {input_set!r}; it has {', '.join(INPUT_SETS)}")
    rng = np.random.default_rng([seed, INPUT_SETS.index(input_set)])
    q = rng.standard_normal(problem.q_shape, dtype=np.float32)
    k, v = (rng.standard_normal(_slots_shape(problem), dtype=np.float32) for _ in range(2))
    sink = rng.standard_normal(problem.heads, dtype=np.float32)
    q_len, k_len = lengths.edges(problem, rng) if input_set == "edges" else lengths.nominal(problem)
    if input_set == "scaled":
        q *= np.float32(_query_factor(problem))
        v *= np.float32(VALUE_FACTOR)
    elif input_set == "small":
        for array in (q, k, v):
            array *= np.float32(SMALL_FACTOR)
    elif input_set == "needles":
        for b in range(problem.batch):
            rows = lengths.rows(problem.seq_q, int(q_len[b]), problem)
            keys = lengths.rows(problem.seq_k, int(k_len[b]), problem)
            targets = keys[needle_targets(problem, rng, b, int(q_len[b]), int(k_len[b]))]
            q[b][:, rows] = _aim(problem, k[b], targets)
            _mark(problem, v[b], keys, targets)
        if problem.sink:
            sink += np.float32(_needle_score(problem))
    for b in range(problem.batch):
        _spoil(problem, q[b], k[b], v[b], int(q_len[b]), int(k_len[b]), rng)
    table = block_table(problem, rng, reverse=input_set == "edges")
    dtype = numpy_dtype(problem.dtype_name)
    return {
        "q": q.astype(dtype, copy=False),
        "k": _store(problem, k, table, rng).astype(dtype, copy=False),
        "v": _store(problem, v, table, rng).astype(dtype, copy=False),
        "q_len": q_len.astype(np.int32),
        "k_len": k_len.astype(np.int32),
        "block_table": table,
        "sink": sink,
    }


def needle_targets(
    problem: Problem, rng: np.random.Generator, b: int, q_len: int, k_len: int
) -> NDArray[np.int64]:
    """The key each query of sequence b is aimed at, `[heads, q_len]`, counted without padding.

    Neighbouring queries and heads take turns among: the first key they see, the last, one of the last 16,
    the nearest hidden key on either side (a kernel that reads past the window or the diagonal would follow
    it), any key they see, and the first and the last key of a page, where pages take turns too. A
    contiguous sequence has "pages" of 64 keys, where a tile or a split might end. Where there is no such
    key, the last one they see.
    """
    begin, end = visible_keys(problem, q_len, k_len)
    last = np.maximum(end - 1, 0)
    tail = np.maximum(end - rng.integers(1, TAIL + 1, size=end.shape), np.minimum(begin, last))
    anywhere = begin + (rng.random(size=end.shape) * (end - begin)).astype(np.int64)
    before = np.where(begin > 0, begin - 1, last)
    after = np.where(end < k_len, end, last)
    begins, ends = _page_edges(problem, k_len)
    page = (np.arange(q_len) + rng.integers(len(begins))) % len(begins)
    fits = (begins[page] >= begin) & (begins[page] < end)
    page_begin = np.where(fits, begins[page], last)
    page_end = np.where((ends[page] >= begin) & (ends[page] < end), ends[page], last)
    choices = np.stack([begin, last, tail, before, after, anywhere, page_begin, page_end]).clip(0, k_len - 1)
    turn = np.arange(problem.heads)[:, None] + np.arange(q_len)[None, :] + b
    return np.asarray(choices[turn % len(choices), np.arange(q_len)[None, :]])


def block_table(problem: Problem, rng: np.random.Generator, *, reverse: bool) -> NDArray[np.int32]:
    """Where each sequence's pages are, `[batch, pages a sequence]`.

    Drawn, or with `reverse` the last page first, neighbours of different sequences, and the unused ones in
    front.
    """
    shape = problem.batch, problem.pages_per_sequence
    if not problem.paged:
        return np.arange(problem.batch, dtype=np.int32)[:, None]
    used = problem.batch * problem.pages_per_sequence
    if reverse:
        places = (problem.pages - 1 - np.arange(used)).reshape(shape[::-1]).T
    else:
        places = rng.permutation(problem.pages)[:used].reshape(shape)
    return np.ascontiguousarray(places, dtype=np.int32)


def _slots_shape(problem: Problem) -> tuple[int, int, int, int]:
    """Keys and values of each sequence in order, before they go to their pages."""
    return problem.batch, problem.kv_heads, problem.seq_k, problem.head_dim


def _query_factor(problem: Problem) -> float:
    """Scores of N(0, 1) inputs come to about this; under a softcap, to as much as it lets pass."""
    return max(QUERY_FACTOR, problem.softcap)


def _needle_score(problem: Problem) -> float:
    """What a query's score with its needle is; the others are N(0, 1) at most."""
    return 3.0 + float(np.log(problem.seq_k))


def _page_edges(problem: Problem, k_len: int) -> tuple[Indices, Indices]:
    """The first and the last key of every page of a sequence, counted without padding."""
    slot = lengths.rows(problem.seq_k, k_len, problem)
    page = slot // lengths.block_of(problem)
    begins = np.flatnonzero(np.diff(page, prepend=-1))
    return begins, np.append(begins[1:], k_len) - 1


def _aim(problem: Problem, k: F32, targets: NDArray[np.int64]) -> F32:
    """Queries whose score is high with their target and small with every other key; k is one sequence's."""
    kv_head = np.arange(problem.heads) // problem.group
    aimed = k[kv_head[:, None], targets, :]
    strength = _needle_score(problem) / problem.scale
    norm = np.einsum("hid,hid->hi", aimed, aimed)[..., None]
    return np.asarray(aimed * (np.float32(strength) / norm), dtype=np.float32)


def _mark(problem: Problem, v: F32, keys: Indices, targets: NDArray[np.int64]) -> None:
    """Give the values of every key that is a target, and of one key of every page, a level of its own."""
    begins = keys[_page_edges(problem, len(keys))[0]]
    for kv_head in range(problem.kv_heads):
        aimed = np.unique(targets[kv_head * problem.group : (kv_head + 1) * problem.group])
        v[kv_head, aimed, :] += np.float32(1 + kv_head % 4)
        v[kv_head, begins, :] += np.linspace(0.5, 1.5, len(begins), dtype=np.float32)[:, None]


def _spoil(
    problem: Problem, q: F32, k: F32, v: F32, q_len: int, k_len: int, rng: np.random.Generator
) -> None:
    """Junk wherever one sequence's rows count for nothing."""
    padded = np.ones(problem.seq_q, dtype=np.bool_)
    padded[lengths.rows(problem.seq_q, q_len, problem)] = False
    unseen = np.ones(problem.seq_k, dtype=np.bool_)
    begin, end = visible_keys(problem, q_len, k_len)
    unseen[lengths.rows(problem.seq_k, k_len, problem)] = ~seen_keys(begin, end, k_len)
    q[:, padded] = _junk((q.shape[0], int(padded.sum()), q.shape[2]), rng)
    for array in (k, v):
        array[:, unseen] = _junk((array.shape[0], int(unseen.sum()), array.shape[2]), rng)


def _store(problem: Problem, slots: F32, table: NDArray[np.int32], rng: np.random.Generator) -> F32:
    """The pages, with every sequence's rows at their places and junk everywhere else."""
    if not problem.paged:
        return slots
    count, size = problem.pages_per_sequence, problem.page_size
    rest = _junk((problem.batch, problem.kv_heads, count * size - problem.seq_k, problem.head_dim), rng)
    whole = np.concatenate([slots, rest], axis=2)
    by_page = whole.reshape(problem.batch, problem.kv_heads, count, size, problem.head_dim).swapaxes(1, 2)
    pages = np.empty(problem.kv_shape, dtype=np.float32)
    unused = np.setdiff1d(np.arange(problem.pages), table)
    pages[unused] = _junk((len(unused), *pages.shape[1:]), rng)
    pages[table] = by_page
    return pages


def _junk(shape: Sequence[int], rng: np.random.Generator) -> F32:
    """Large numbers of either sign; nobody is to read them."""
    least, largest = (np.float32(size) for size in JUNK)
    where = rng.random(tuple(shape), dtype=np.float32) * 2 - 1
    return np.asarray(where * (largest - least) + np.copysign(least, where), dtype=np.float32)
