import importlib.util
from types import ModuleType

import numpy as np
import pytest

from harness.operator import Scenario
from kernels.attention.inputs import INPUT_SETS
from kernels.attention.operator import OPERATOR
from kernels.attention.scenarios import SMOKE, Problem
from tests.kernels.naive import attention, relative_rms

torch = pytest.importorskip("torch")

LIMIT = 1e-5
"""The judge's floor of the relative error for fp32."""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("attention_reference", OPERATOR.reference.path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tensors(scenario: Scenario, input_set: str) -> dict:
    inputs = OPERATOR.make_inputs(scenario, input_set, 11)
    return {name: torch.from_numpy(array) for name, array in inputs.items()}


@pytest.mark.parametrize("input_set", INPUT_SETS)
def test_is_naive_attention(script: ModuleType, small: Scenario, input_set: str) -> None:
    out = script.reference(dict(small.params), tensors(small, input_set))["out"]
    assert out.dtype == torch.float64
    truth = attention(Problem.of(small), OPERATOR.make_inputs(small, input_set, 11))
    np.testing.assert_allclose(out.numpy(), truth, rtol=1e-9, atol=1e-12)


def test_chunks_give_the_same(script: ModuleType, small: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = tensors(small, "nominal")
    whole = script.reference(dict(small.params), inputs)["out"]
    monkeypatch.setattr(script, "MAX_SCORES", 3 * small.params["seq_k"])
    chunked = script.reference(dict(small.params), inputs)["out"]
    np.testing.assert_allclose(chunked.numpy(), whole.numpy(), rtol=1e-12, atol=1e-14)


def test_a_nan_in_the_inputs_is_not_hidden(script: ModuleType) -> None:
    scenario = SMOKE[0]
    inputs = tensors(scenario, "nominal")
    inputs["q"][0, 0, 0, 0] = float("nan")
    out = script.reference(dict(scenario.params), inputs)["out"]
    assert torch.isnan(out[0, 0, 0]).all()
    assert not torch.isnan(out[0, 0, 1:]).any()


@pytest.mark.parametrize("scenario", SMOKE, ids=lambda s: s.id)
def test_trivial_kernels_are_far_from_the_truth_on_every_scenario(
    script: ModuleType, scenario: Scenario
) -> None:
    for input_set in INPUT_SETS:
        inputs = tensors(scenario, input_set)
        truth = script.reference(dict(scenario.params), inputs)["out"].numpy()
        for name, outputs in script.trivial(dict(scenario.params), inputs).items():
            assert outputs["out"].shape == truth.shape
            assert relative_rms(outputs["out"].numpy(), truth) > 100 * LIMIT, (name, input_set)


def test_trivial_kernels_are_the_applicable_ones(script: ModuleType) -> None:
    always = {"zeros", "column_mean", "copy_q", "drop_last_16_keys"}
    for scenario in SMOKE:
        p = Problem.of(scenario)
        expected = set(always)
        if p.window or (p.causal and p.seq_q > 1):
            expected.add("ignore_mask")
        if p.kv_heads > 1:
            expected.add("next_kv_head")
        assert set(script.trivial(dict(scenario.params), tensors(scenario, "nominal"))) == expected, (
            scenario.id
        )
