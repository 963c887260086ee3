import pytest

from harness.operator import Scenario
from kernels.attention import lengths
from kernels.attention.bound import bound
from kernels.attention.mask import visible_keys
from kernels.attention.problem import BFLOAT16, Problem
from kernels.attention.scenarios import SETS, SMOKE
from tests.kernels.naive import sees


def count(p: Problem) -> tuple[int, int]:
    """Bytes and operations by looking at every pair."""
    pairs = rows = 0
    table = set()
    for b, (q_len, k_len) in enumerate(zip(*lengths.nominal(p), strict=True)):
        queries, keys, values = set(), set(), set()
        for i in range(q_len):
            seen = [j for j in range(k_len) if sees(p, i, j, q_len, k_len)]
            values |= set(seen)
            if len(seen) + p.sink > 1:
                pairs += len(seen)
                queries |= {i} if seen else set()
                keys |= set(seen)
        rows += p.heads * (len(queries) + p.seq_q) + p.kv_heads * (len(keys) + len(values))
        first = p.seq_k - k_len if p.left_pad else 0
        table |= {(b, (first + j) // p.page_size) for j in values}
    item = 2 if p.dtype == BFLOAT16 else 4
    small = 4 * (p.heads * p.sink + 2 * p.batch * p.ragged + (len(table) if p.page_size != p.seq_k else 0))
    return item * p.head_dim * rows + small, 2 * 2 * p.head_dim * pairs * p.heads


def test_formula_is_the_brute_force_count(small: Scenario) -> None:
    p = Problem.of(small)
    work = bound(p)
    assert (work.bytes, work.operations) == count(p)


def test_formula_holds_on_real_scenarios() -> None:
    for scenario in (*SMOKE[:4], *SETS["full"][12::9]):
        p = Problem.of(scenario)
        work = bound(p)
        assert (work.bytes, work.operations) == count(p), scenario.id


def test_the_precision_is_that_of_the_tensors(small: Scenario) -> None:
    p = Problem.of(small)
    assert bound(p).precision == ("bfloat16" if p.dtype == BFLOAT16 else "float32")


def test_ranges_are_what_a_query_sees(small: Scenario) -> None:
    p = Problem.of(small)
    for q_len, k_len in ((p.seq_q, p.seq_k), (3, 11), (7, 5), (0, 0), (2, 1)):
        begin, end = visible_keys(p, q_len, k_len)
        for i in range(q_len):
            assert [j for j in range(k_len) if sees(p, i, j, q_len, k_len)] == list(range(begin[i], end[i]))


@pytest.mark.parametrize("features", [{}, {"ragged": 1}, {"page_size": 16}])
def test_a_single_visible_key_is_copied_and_needs_no_query(features: dict[str, int]) -> None:
    """A decode over one key: the value is the output, unless a sink takes a share."""
    p = Problem(1, 2, 2, 1, 1, 8, 1, 0, 1.0, **features)
    other = 8 * bool(features.get("ragged")) + 4 * bool(features.get("page_size"))
    assert bound(p).operations == 0
    assert bound(p).bytes == 4 * 8 * (2 + 2) + other
    with_sink = Problem(1, 2, 2, 1, 1, 8, 1, 0, 1.0, sink=1, **features)
    assert bound(with_sink).operations == 4 * 8 * 2
    assert bound(with_sink).bytes == 4 * 8 * (2 + 2 + 2 + 2) + other + 4 * 2
