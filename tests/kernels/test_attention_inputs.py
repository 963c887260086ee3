import numpy as np
import pytest

from harness.operator import Scenario
from kernels.attention.inputs import INPUT_SETS, make_inputs, needle_targets
from kernels.attention.mask import visible_keys
from kernels.attention.operator import OPERATOR
from kernels.attention.scenarios import SMOKE, Problem
from tests.kernels.naive import attention


@pytest.mark.parametrize("input_set", INPUT_SETS)
def test_same_seed_same_bytes_and_declared_shapes(small: Scenario, input_set: str) -> None:
    first = OPERATOR.make_inputs(small, input_set, 7)
    again = OPERATOR.make_inputs(small, input_set, 7)
    other = OPERATOR.make_inputs(small, input_set, 8)
    for spec in OPERATOR.tensors(small):
        if spec.role == "input":
            array = first[spec.name]
            assert array.shape == spec.shape
            assert array.dtype == spec.dtype
            assert array.flags.c_contiguous
            assert np.isfinite(array).all()
            assert array.tobytes() == again[spec.name].tobytes()
            assert array.tobytes() != other[spec.name].tobytes()


def test_a_64_bit_seed_is_taken() -> None:
    problem = Problem.of(SMOKE[0])
    assert make_inputs(problem, "nominal", 2**64 - 1)["q"].shape == problem.q_shape


def test_an_unknown_input_set_is_refused() -> None:
    with pytest.raises(ValueError, match="nominal, needles, scaled"):
        make_inputs(Problem.of(SMOKE[0]), "nominel", 0)


def test_nominal_is_standard_normal() -> None:
    for array in make_inputs(Problem.of(SMOKE[0]), "nominal", 3).values():
        assert abs(float(array.mean())) < 0.02
        assert abs(float(array.std()) - 1) < 0.02


def test_needles_reach_every_place_a_lazy_kernel_would_miss() -> None:
    """Over the smoke set: first and last visible keys, the last 16, both sides of the mask's edges."""
    for scenario in SMOKE:
        p = Problem.of(scenario)
        targets = needle_targets(p, np.random.default_rng(0))
        begin, end = visible_keys(p)
        assert targets.shape == (p.heads, p.seq_q)
        assert (targets == begin).any(), scenario.id
        assert (targets == end - 1).any(), scenario.id
        assert ((targets >= p.seq_k - 16) & (targets < end)).any(), scenario.id
        if begin.any():
            assert (targets == begin - 1).any(), scenario.id
        if (end < p.seq_k).any():
            assert (targets == end).any(), scenario.id
        group = p.heads // p.kv_heads
        for kv_head in range(p.kv_heads):
            assert len(np.unique(targets[kv_head * group : (kv_head + 1) * group])) >= min(3, group * p.seq_q)


def test_a_needle_takes_most_of_the_weight_of_its_query() -> None:
    """Mark the values of the targets alone: the output of a query whose target is visible is near 1."""
    p = Problem.of(SMOKE[0])
    inputs = make_inputs(p, "needles", 5)
    scores = np.einsum("bhid,bhjd->bhij", inputs["q"], inputs["k"]) * p.scale  # heads == kv_heads here
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    assert np.median(weights.max(-1)) > 0.8


def test_losing_a_key_shows_more_with_needles_than_without() -> None:
    p = Problem(1, 2, 1, 12, 64, 16, 0, 0, 0.25)
    shorter = Problem(1, 2, 1, 12, 63, 16, 0, 0, 0.25)
    lost = {}
    for input_set in ("nominal", "needles"):
        inputs = make_inputs(p, input_set, 1)
        cut = {"q": inputs["q"], "k": inputs["k"][:, :, :-1], "v": inputs["v"][:, :, :-1]}
        lost[input_set] = np.abs(attention(p, inputs) - attention(shorter, cut)).max()
    assert lost["needles"] > 3 * lost["nominal"]
