import importlib.util
from types import ModuleType

import numpy as np
import pytest

from harness.operator import Scenario
from kernels.attention.inputs import INPUT_SETS
from kernels.attention.operator import OPERATOR
from kernels.attention.problem import Problem
from kernels.attention.scenarios import SETS, SMOKE
from tests.kernels.naive import attention
from tests.kernels.torch_inputs import to_torch

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # threads that wait for each other on a busy machine are slower than one


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("attention_reference", OPERATOR.reference.path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tensors(scenario: Scenario, input_set: str) -> dict:
    return to_torch(OPERATOR.make_inputs(scenario, input_set, 11))


@pytest.mark.parametrize("input_set", INPUT_SETS)
def test_is_naive_attention(script: ModuleType, small: Scenario, input_set: str) -> None:
    out = script.reference(dict(small.params), tensors(small, input_set))["out"]
    assert out.dtype == torch.float64
    truth = attention(Problem.of(small), OPERATOR.make_inputs(small, input_set, 11))
    np.testing.assert_allclose(out.numpy(), truth, rtol=1e-9, atol=1e-12)


def test_chunks_give_the_same(script: ModuleType, small: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = tensors(small, "nominal")
    whole = script.reference(dict(small.params), inputs)["out"]
    monkeypatch.setattr(script, "MAX_SCORES", 3 * small.params["seq_k"] * small.params["heads"])
    chunked = script.reference(dict(small.params), inputs)["out"]
    np.testing.assert_allclose(chunked.numpy(), whole.numpy(), rtol=1e-12, atol=1e-14)


def test_a_nan_in_the_inputs_is_not_hidden(script: ModuleType) -> None:
    scenario = SMOKE[0]
    inputs = tensors(scenario, "nominal")
    inputs["q"][0, 0, 0, 0] = float("nan")
    out = script.reference(dict(scenario.params), inputs)["out"]
    assert torch.isnan(out[0, 0, 0]).all()
    assert not torch.isnan(out[0, 0, 1:]).any()


def test_trivial_kernels_are_the_applicable_ones(script: ModuleType) -> None:
    always = {"zeros", "column_mean", "copy_q", "drop_last_16_keys", "first_key_only"}
    for scenario in SETS["full"][::5]:
        p = Problem.of(scenario)
        expected = set(always)
        if p.window or (p.causal and p.seq_q > 1):
            expected.add("ignore_mask")
        if p.kv_heads > 1:
            expected.add("next_kv_head")
        if p.paged:
            expected.add("neighbour_page")
        if p.ragged:
            expected.add("ignore_lengths")
        if p.sink:
            expected.add("no_sink")
        if p.softcap:
            expected.add("no_softcap")
        found = script.trivial(dict(scenario.params), tensors(scenario, "nominal"))
        assert set(found) == expected, scenario.id
        assert all(out["out"].shape == p.q_shape for out in found.values())


def test_trivial_kernels_do_what_their_names_say(script: ModuleType) -> None:
    """Each against paper, on a problem that has everything."""
    p = Problem(2, 4, 2, 6, 40, 16, 1, 30, 0.25, page_size=8, ragged=1, left_pad=1, softcap=9, sink=1)
    params = {name: getattr(p, name) for name in p.__slots__}
    inputs = OPERATOR.make_inputs(Scenario("s", "f", params), "nominal", 3)
    found = script.trivial(params, to_torch(inputs))

    def paper(inputs=inputs, **changes):
        return attention(Problem(**{**params, **changes}), inputs)

    rolled = {**inputs, **{name: np.roll(inputs[name], 1, axis=1) for name in ("k", "v")}}
    full = {**inputs, "q_len": inputs["q_len"] * 0 + 6, "k_len": inputs["k_len"] * 0 + 40}
    pages = {**inputs, "block_table": (inputs["block_table"] + 1) % p.pages}
    for name, truth in {
        "no_sink": paper(sink=0),
        "no_softcap": paper(softcap=0.0),
        "ignore_mask": paper(causal=0, window=0),
        "column_mean": paper(scale=0.0, sink=0),
        "next_kv_head": paper(rolled),
        "ignore_lengths": paper(full),
        "neighbour_page": paper(pages),
        "zeros": np.zeros(p.q_shape),
    }.items():
        np.testing.assert_allclose(found[name]["out"].numpy(), truth, rtol=1e-9, atol=1e-12, err_msg=name)
    one = Problem(1, 1, 1, 3, 20, 8, 1, 0, 0.3)
    params = {name: getattr(one, name) for name in one.__slots__}
    inputs = OPERATOR.make_inputs(Scenario("s", "f", params), "nominal", 3)
    found = script.trivial(params, to_torch(inputs))
    first = np.broadcast_to(inputs["v"][0, 0, 0], (1, 1, 3, 8))
    np.testing.assert_allclose(found["first_key_only"]["out"].numpy(), first, rtol=1e-9)
    dropped = attention(Problem(1, 1, 1, 3, 4, 8, 0, 0, 0.3), {**inputs, "k_len": np.array([4])})
    np.testing.assert_allclose(found["drop_last_16_keys"]["out"].numpy(), dropped, rtol=1e-9)
