from harness.operator import Scenario
from kernels.attention.bound import bound
from kernels.attention.mask import visible_keys
from kernels.attention.scenarios import SMOKE, Problem
from tests.kernels.naive import sees


def count(p: Problem) -> tuple[int, int]:
    """Bytes and operations by looking at every pair."""
    pairs, keys, queries = 0, set(), set()
    for i in range(p.seq_q):
        for j in range(p.seq_k):
            if sees(p, i, j):
                pairs += 1
                keys.add(j)
                queries.add(i)
    read = p.heads * len(queries) + 2 * p.kv_heads * len(keys)
    written = p.heads * p.seq_q
    multiply_adds = 2 * p.head_dim * pairs * p.heads * p.batch
    return 4 * p.batch * p.head_dim * (read + written), 2 * multiply_adds


def test_formula_is_the_brute_force_count(small: Scenario) -> None:
    p = Problem.of(small)
    work = bound(p)
    assert (work.bytes, work.operations) == count(p)


def test_formula_holds_on_the_real_scenarios() -> None:
    for scenario in SMOKE[:4]:
        p = Problem.of(scenario)
        work = bound(p)
        assert (work.bytes, work.operations) == count(p)


def test_ranges_are_what_a_query_sees(small: Scenario) -> None:
    p = Problem.of(small)
    begin, end = visible_keys(p)
    for i in range(p.seq_q):
        assert [j for j in range(p.seq_k) if sees(p, i, j)] == list(range(begin[i], end[i]))
