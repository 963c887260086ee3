"""Every scenario can tell work from no work: each trivial kernel fails the judge's gate on some input set."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from harness.correctness import gate
from harness.correctness.admission import Trial
from harness.operator import Scenario
from harness.params import rounded_params
from harness.protocol import Protocol
from kernels.attention.operator import OPERATOR
from kernels.attention.scenarios import SETS
from tests.kernels.native import call, compile_source
from tests.kernels.torch_inputs import to_torch

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow

torch.set_num_threads(1)  # threads that wait for each other on a busy machine are slower than one
PROTOCOL = Protocol()
ORDER = ("needles", "scaled", "edges", "nominal", "small")
"""Those on which most fail come first; the rest is not computed where nothing is left to show."""


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_source(OPERATOR.start.read_text(), OPERATOR, tmp_path_factory.mktemp("start"))


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("attention_reference", OPERATOR.reference.path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def numbers(outputs: dict) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in outputs.items()}


@pytest.mark.parametrize("scenario", SETS["full"], ids=lambda s: s.id)
def test_every_scenario_is_admitted(start: Path, script, scenario: Scenario) -> None:
    specs, params = OPERATOR.tensors(scenario), rounded_params(OPERATOR.params_struct, scenario.params)
    trial = Trial()
    assert set(ORDER) == set(OPERATOR.input_sets)
    for input_set in ORDER:
        inputs = OPERATOR.make_inputs(scenario, input_set, 7)
        tensors = to_torch(inputs)
        truth = numbers(script.reference(params, tensors))
        own = gate.start_errors({"out": call(start, OPERATOR, scenario, inputs)}, truth, specs, PROTOCOL)
        allowed = {"out": gate.limits(own["out"], specs[3].dtype, PROTOCOL)}
        trivial = {name: numbers(out) for name, out in script.trivial(params, tensors).items()}
        trial.add(trivial, truth, specs, allowed, own, PROTOCOL)
        if not trial.survivors():
            return
    assert trial.survivors() == []
