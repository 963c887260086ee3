import numpy as np
import pytest

from harness.dtypes import numpy_dtype
from harness.operator import Array, Scenario
from kernels.attention import lengths
from kernels.attention.inputs import INPUT_SETS, JUNK, block_table, make_inputs, needle_targets
from kernels.attention.mask import visible_keys
from kernels.attention.operator import OPERATOR
from kernels.attention.problem import Problem
from kernels.attention.scenarios import SETS, SMOKE
from tests.kernels.naive import attention, rows_of, sees

FULL = SETS["full"]
LEAST_JUNK = JUNK[0] * 0.99
"""Bfloat16 rounds."""
FIXED = {"q_len", "k_len", "block_table"}


@pytest.mark.parametrize("input_set", INPUT_SETS)
def test_same_seed_same_bytes_and_declared_shapes(small: Scenario, input_set: str) -> None:
    first = OPERATOR.make_inputs(small, input_set, 7)
    again = OPERATOR.make_inputs(small, input_set, 7)
    other = OPERATOR.make_inputs(small, input_set, 8)
    for spec in OPERATOR.tensors(small):
        if spec.role == "input":
            array = first[spec.name]
            assert array.shape == spec.shape
            assert array.dtype == numpy_dtype(spec.dtype)
            assert array.flags.c_contiguous
            assert np.isfinite(array).all()
            assert array.tobytes() == again[spec.name].tobytes()
            if spec.name not in FIXED:
                assert array.tobytes() != other[spec.name].tobytes()


def test_no_two_input_sets_are_the_same(small: Scenario) -> None:
    assert len({OPERATOR.make_inputs(small, name, 7)["q"].tobytes() for name in INPUT_SETS}) == len(
        INPUT_SETS
    )


def test_a_64_bit_seed_is_taken() -> None:
    problem = Problem.of(SMOKE[0])
    assert make_inputs(problem, "nominal", 2**64 - 1)["q"].shape == problem.q_shape


def test_an_unknown_input_set_is_refused() -> None:
    with pytest.raises(ValueError, match="nominal, needles, scaled, small, edges"):
        make_inputs(Problem.of(SMOKE[0]), "nominel", 0)


def test_nominal_is_standard_normal() -> None:
    inputs = make_inputs(Problem.of(SMOKE[0]), "nominal", 3)
    for name in ("q", "k", "v"):
        assert abs(float(inputs[name].mean())) < 0.02
        assert abs(float(inputs[name].std()) - 1) < 0.02


def used(p: Problem, inputs: dict[str, Array]) -> tuple[Array, Array]:
    """Rows of q, and of the pages of k and v, that some output depends on: two masks."""
    q = np.zeros((p.batch, p.seq_q), dtype=bool)
    kv = np.zeros((p.pages, p.page_size), dtype=bool)
    for b in range(p.batch):
        q_len, k_len = int(inputs["q_len"][b]), int(inputs["k_len"][b])
        for i in range(q_len):
            q[b, p.seq_q - q_len + i if p.left_pad else i] = True
            for j in range(k_len):
                if sees(p, i, j, q_len, k_len):
                    slot = p.seq_k - k_len + j if p.left_pad else j
                    kv[inputs["block_table"][b, slot // p.page_size], slot % p.page_size] = True
    return q, kv


@pytest.mark.parametrize("input_set", INPUT_SETS)
def test_all_that_counts_for_nothing_is_large_finite_junk_and_nothing_else_is(
    small: Scenario, input_set: str
) -> None:
    p = Problem.of(small)
    inputs = make_inputs(p, input_set, 5)
    q, kv = used(p, inputs)
    for name, mask in (("q", q), ("k", kv), ("v", kv)):
        rows = inputs[name].astype(np.float64).swapaxes(1, 2)
        assert (np.abs(rows[~mask]) >= LEAST_JUNK).all(), name
        assert np.isfinite(rows).all()
        assert (np.abs(rows[mask]) < LEAST_JUNK).all(), name


def test_junk_is_of_either_sign() -> None:
    p = Problem(2, 2, 1, 10, 40, 16, 1, 0, 0.25, ragged=1)
    q = make_inputs(p, "nominal", 5)["q"]
    junk = q[np.abs(q) >= LEAST_JUNK]
    assert 0.3 < (junk > 0).mean() < 0.7


@pytest.mark.parametrize("input_set", INPUT_SETS)
def test_a_page_is_nobodys_twice(small: Scenario, input_set: str) -> None:
    p = Problem.of(small)
    table = make_inputs(p, input_set, 5)["block_table"]
    assert len(set(table.ravel().tolist())) == table.size
    assert ((table >= 0) & (table < p.pages)).all()
    if not p.paged:
        assert table.tolist() == [[b] for b in range(p.batch)]


def test_pages_move_from_draw_to_draw_and_lie_between_those_of_others() -> None:
    for scenario in (s for s in FULL if Problem.of(s).paged):
        p = Problem.of(scenario)
        tables = [block_table(p, np.random.default_rng(seed), reverse=False) for seed in range(6)]
        assert len({t.tobytes() for t in tables}) > 1, scenario.id
        assert p.pages > p.batch * p.pages_per_sequence
        assert any((np.diff(t, axis=1) != 1).any() for t in tables)
        edges = block_table(p, np.random.default_rng(0), reverse=True)
        assert (np.diff(edges, axis=1) == -p.batch).all()
        assert edges.min() == p.pages - edges.size


def test_timed_lengths_are_the_same_in_every_draw(small: Scenario) -> None:
    p = Problem.of(small)
    q_len, k_len = lengths.nominal(p)
    for seed in range(3):
        for name in ("nominal", "needles", "scaled", "small"):
            inputs = make_inputs(p, name, seed)
            assert inputs["q_len"].tolist() == q_len.tolist()
            assert inputs["k_len"].tolist() == k_len.tolist()


def test_needles_reach_every_place_a_lazy_kernel_would_miss() -> None:
    """First and last visible keys, the last 16, both sides of the mask's edges, both ends of pages."""
    for scenario in FULL:
        p = Problem.of(scenario)
        q_lens, k_lens = lengths.nominal(p)
        for b in range(p.batch):
            q_len, k_len = int(q_lens[b]), int(k_lens[b])
            targets = needle_targets(p, np.random.default_rng(0), b, q_len, k_len)
            assert targets.shape == (p.heads, q_len)
            assert ((targets >= 0) & (targets < k_len)).all()
            if p.heads < 8 and q_len < 8:
                continue  # not as many queries as places
            begin, end = visible_keys(p, q_len, k_len)
            assert (targets == begin).any(), scenario.id
            assert (targets == end - 1).any(), scenario.id
            assert ((targets >= k_len - 16) & (targets < end)).any(), scenario.id
            if begin.any() and p.heads >= 8:
                assert (targets == begin - 1).any(), scenario.id
            if (end < k_len).any() and p.heads >= 8:
                assert (targets == end).any(), scenario.id


def test_over_a_few_draws_needles_are_in_every_page_at_both_its_ends() -> None:
    p = Problem(1, 8, 2, 32, 128, 32, 0, 0, 0.2, page_size=16)
    targets = [needle_targets(p, np.random.default_rng(seed), 0, 32, 128) for seed in range(6)]
    reached = set(np.concatenate(targets, axis=None).tolist())
    assert {16 * page for page in range(8)} <= reached
    assert {16 * page + 15 for page in range(8)} <= reached


def test_a_needle_takes_most_of_the_weight_of_its_query() -> None:
    p = Problem.of(SMOKE[0])
    inputs = make_inputs(p, "needles", 5)
    scores = np.einsum("bhid,bhjd->bhij", inputs["q"], inputs["k"]) * p.scale  # heads == kv_heads here
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    assert np.median(weights.max(-1)) > 0.8


def test_a_sink_takes_about_as_much_as_the_needle() -> None:
    p = Problem(1, 4, 4, 32, 64, 32, 0, 0, 32**-0.5, sink=1)
    inputs = make_inputs(p, "needles", 5)
    with_sink = attention(p, inputs)
    without = attention(Problem(1, 4, 4, 32, 64, 32, 0, 0, 32**-0.5), inputs)
    shares = np.linalg.norm(with_sink, axis=-1) / np.linalg.norm(without, axis=-1)
    assert 0.1 < np.median(shares) < 0.9


def test_a_softcap_is_saturated_where_inputs_are_scaled() -> None:
    p = Problem(1, 2, 2, 32, 64, 32, 0, 0, 32**-0.5, softcap=30)
    inputs = make_inputs(p, "scaled", 5)
    scores = np.einsum("bhid,bhjd->bhij", inputs["q"], inputs["k"]) * p.scale
    assert (np.abs(scores) > p.softcap).mean() > 0.2


def test_every_page_has_a_value_of_its_own_among_needles() -> None:
    p = Problem(1, 1, 1, 1, 64, 32, 1, 0, 32**-0.5, page_size=16)
    levels = [rows_of(p, make_inputs(p, "needles", seed), "v", 0)[0, ::16].mean(-1) for seed in range(60)]
    by_page = np.mean(levels, axis=0)
    assert np.all(np.diff(by_page[1:]) > 0.1)
    assert by_page[0] > 1.2  # the only query is aimed there


def test_losing_a_key_shows_more_with_needles_than_without() -> None:
    p = Problem(1, 2, 1, 12, 64, 16, 0, 0, 0.25)
    lost = {}
    for input_set in ("nominal", "needles"):
        inputs = make_inputs(p, input_set, 1)
        cut = {**inputs, "k_len": inputs["k_len"] - 1}
        lost[input_set] = np.abs(attention(p, inputs) - attention(p, cut)).max()
    assert lost["needles"] > 3 * lost["nominal"]
