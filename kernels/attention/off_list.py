"""Problems that are on no list: the same kind of problem with other lengths, and fewer sequences or heads."""

from collections.abc import Iterator
from dataclasses import asdict, replace

import numpy as np

from harness.operator import Scenario
from kernels.attention.lengths import DECODE_QUERIES
from kernels.attention.problem import Problem
from kernels.attention.scenarios import SETS

FEWER_QUERIES = 7
FEWER_KEYS = 15


def vary(scenario: Scenario, seed: int) -> Scenario:
    """The scenario with 1 to 15 fewer keys (a page fewer too where it is paged), and up to 7 fewer queries.

    Now and then with a sequence or a KV head and its query heads less. What makes its kind stays: as many
    queries as keys, decode, several sequences and several KV heads, head_dim, masks and dtype. No query
    stands before the first key that did not before. No dearer than the scenario, but for where a window
    begins within a page.
    """
    listed = {Problem.of(s) for scenarios in SETS.values() for s in scenarios}
    problem = Problem.of(scenario)
    varied = next(one for one in _draws(problem, seed) if one not in listed)
    words = [f"b{varied.batch}"] if varied.batch != problem.batch else []
    words += [f"h{varied.heads}"] if varied.heads != problem.heads else []
    words += [f"q{varied.seq_q}", f"k{varied.seq_k}"]
    return Scenario(f"{scenario.id}~{''.join(words)}", scenario.family, asdict(varied))


def _draws(p: Problem, seed: int) -> Iterator[Problem]:
    rng = np.random.default_rng(seed)
    while True:
        seq_k, page_size = _fewer_keys(p, rng)
        seq_q = p.seq_q
        if p.seq_q == p.seq_k:
            seq_q = seq_k
        elif p.seq_q > DECODE_QUERIES:
            seq_q = max(1, p.seq_q - int(rng.integers(FEWER_QUERIES + 1)))
        if p.seq_q <= p.seq_k:
            seq_q = min(seq_q, seq_k)
        change = rng.integers(3)
        batch, kv_heads = p.batch, p.kv_heads
        if change == 1 and p.batch > 2:
            batch -= 1
        elif change == 2 and p.kv_heads > 2:
            kv_heads -= 1
        yield replace(
            p,
            batch=batch,
            heads=kv_heads * p.group,
            kv_heads=kv_heads,
            seq_q=seq_q,
            seq_k=seq_k,
            page_size=page_size,
        )


def _fewer_keys(p: Problem, rng: np.random.Generator) -> tuple[int, int]:
    """Other seq_k and page_size."""
    fewer = int(rng.integers(1, FEWER_KEYS + 1))
    if not p.paged:
        seq_k = max(1, p.seq_k - fewer)
        return seq_k, seq_k
    whole = (p.pages_per_sequence - 1) * p.page_size  # one page is more than its rows: what it holds may be 1
    least = whole - p.page_size + 1
    return max(least, whole - fewer, p.page_size + 1), p.page_size
