import numpy as np

from harness.operator import Scenario
from kernels.attention import lengths
from kernels.attention.problem import Problem
from kernels.attention.scenarios import SETS

RAGGED = [s for s in SETS["full"] if s.params["ragged"]]


def test_lengths_are_within_their_extents(small: Scenario) -> None:
    p = Problem.of(small)
    for q_len, k_len in (lengths.nominal(p), *(lengths.edges(p, np.random.default_rng(i)) for i in range(9))):
        assert q_len.shape == k_len.shape == (p.batch,)
        assert ((q_len >= 0) & (q_len <= p.seq_q)).all()
        assert ((k_len >= 0) & (k_len <= p.seq_k)).all()
        if not p.ragged:
            assert (q_len == p.seq_q).all()
            assert (k_len == p.seq_k).all()


def test_timed_lengths_differ_within_the_batch_and_one_sequence_is_full() -> None:
    for scenario in RAGGED:
        p = Problem.of(scenario)
        q_len, k_len = lengths.nominal(p)
        assert len(set(k_len)) == p.batch > 1, scenario.id
        assert k_len.max() == p.seq_k
        assert q_len.max() == p.seq_q
        assert (q_len >= 1).all()
        assert (q_len <= k_len).all()


def test_one_sequence_alone_is_not_full() -> None:
    q_len, k_len = lengths.nominal(Problem(1, 1, 1, 20, 20, 8, 1, 0, 1.0, ragged=1))
    assert 1 <= q_len[0] <= k_len[0] < 20


def test_edges_come_to_every_length_at_which_something_may_begin_anew() -> None:
    p = Problem(4, 2, 1, 40, 100, 8, 1, 0, 1.0, page_size=16, ragged=1)
    drawn = [lengths.edges(p, np.random.default_rng(seed)) for seed in range(40)]
    assert {0, 1, 15, 16, 17, 33, 100} <= {int(n) for _, k_len in drawn for n in k_len}
    assert {0, 1, 16, 40} <= {int(n) for q_len, _ in drawn for n in q_len}
    assert any((q_len > k_len).any() for q_len, k_len in drawn)


def test_a_left_padded_sequence_stands_at_the_end() -> None:
    right = Problem(2, 1, 1, 5, 10, 8, 1, 0, 1.0, ragged=1)
    left = Problem(2, 1, 1, 5, 10, 8, 1, 0, 1.0, ragged=1, left_pad=1)
    assert lengths.rows(10, 3, right).tolist() == [0, 1, 2]
    assert lengths.rows(10, 3, left).tolist() == [7, 8, 9]
