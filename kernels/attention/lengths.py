"""How long each sequence of a batch is.

The timed lengths follow from the problem alone, so that every call of a scenario is the same work.
"""

import numpy as np
from numpy.typing import NDArray

from kernels.attention.mask import Indices
from kernels.attention.problem import Problem

GOLDEN = 0.6180339887498949
"""Multiples of it, modulo 1, are spread evenly however many there are."""
SPREAD = 0.9
DECODE_QUERIES = 4
"""Up to so many queries a sequence, its keys are mostly a cache of earlier ones."""


def nominal(problem: Problem) -> tuple[Indices, Indices]:
    """Lengths q_len and k_len of the timed inputs, each `[batch]`, in `1..seq_q` and `q_len..seq_k`.

    The first of several sequences is full, the others are from a tenth of it on. One alone has about 0.6.
    """
    full_q = np.full(problem.batch, problem.seq_q, dtype=np.int64)
    full_k = np.full(problem.batch, problem.seq_k, dtype=np.int64)
    if not problem.ragged:
        return full_q, full_k
    turns = np.arange(problem.batch) if problem.batch > 1 else np.ones(1)
    share = 1 - SPREAD * ((turns * GOLDEN) % 1)
    k_len = np.maximum((problem.seq_k * share).astype(np.int64), 1)
    if problem.seq_q <= DECODE_QUERIES:  # some sequences bring fewer new queries than others
        q_len = 1 + (problem.seq_q - 1 + np.arange(problem.batch)) % problem.seq_q
    else:
        q_len = np.maximum((problem.seq_q * share).astype(np.int64), 1)
    return q_len, np.maximum(k_len, q_len)


def edges(problem: Problem, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Lengths at which kernels go wrong: 1, full, a page and one less or more, and none at all.

    Where the problem is not ragged, its only lengths.
    """
    q_len, k_len = nominal(problem)
    if not problem.ragged:
        return q_len, k_len
    block = block_of(problem)
    choices = np.array([1, block, block + 1, block - 1, problem.seq_k, 2 * block + 1]).clip(1, problem.seq_k)
    turn = (np.arange(problem.batch) + rng.integers(len(choices))) % len(choices)
    k_len = choices[turn].astype(np.int64)
    q_choices = np.stack([k_len, np.ones_like(k_len), k_len, (k_len + 1) // 2])
    q_len = np.minimum(q_choices[np.arange(problem.batch) % 4, np.arange(problem.batch)], problem.seq_q)
    if problem.batch >= 3:
        empty = int(rng.integers(problem.batch))
        q_len[empty] = k_len[empty] = 0  # a slot of the batch that nobody uses
        if problem.seq_q > DECODE_QUERIES:
            short = (empty + 1) % problem.batch
            q_len[short] = min(problem.seq_q, k_len[short] + 1)  # causal: its first query sees no key
        if problem.seq_k > block:
            k_len[(empty + 2) % problem.batch] = block + 1
    return q_len, k_len


def block_of(problem: Problem) -> int:
    """Keys after which something may begin anew: a page, or as many as a tile or a split often has."""
    return problem.page_size if problem.paged else min(64, problem.seq_k)


def first(extent: int, length: int, problem: Problem) -> int:
    """The first row that counts of a padded extent."""
    return extent - length if problem.left_pad else 0


def rows(extent: int, length: int, problem: Problem) -> NDArray[np.int64]:
    """All rows that count of a padded extent."""
    return first(extent, length, problem) + np.arange(length, dtype=np.int64)
