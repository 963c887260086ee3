"""The start is right on every edge, and the wrong kernels that one writes by mistake are not."""

import importlib.util
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from harness.operator import Scenario
from harness.params import rounded_params
from kernels.rms_norm.inputs import INPUT_SETS
from kernels.rms_norm.operator import OPERATOR
from kernels.rms_norm.scenarios import Problem
from tests.kernels.native import compile_source, outputs
from tests.kernels.plain_rms_norm import rms_norm

pytestmark = pytest.mark.slow

# eps are powers of two, which a float holds as they are.
PROBLEMS = [
    Problem(rows, hidden, dtype, residual, offset, eps)
    for rows, hidden, residual, offset, eps in [
        (1, 1, 0, 0, 2**-20),
        (1, 37, 1, 1, 2**-40),
        (6, 64, 0, 1, 2**-17),
        (5, 17, 1, 0, 0.125),
    ]
    for dtype in (0, 3)
]
RELATIVE = {"float32": 5e-6, "bfloat16": 2**-7 + 1e-3}
"""Error of an element: of the sum of squares in float, and in bfloat16 of two roundings and their mean."""


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_source(OPERATOR.start.read_text(), OPERATOR, tmp_path_factory.mktemp("start"))


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_is_the_truth_but_for_rounding(start: Path, problem: Problem) -> None:
    scenario = Scenario("small", "small", asdict(problem))
    for input_set in INPUT_SETS:
        inputs = OPERATOR.make_inputs(scenario, input_set, 5)
        made = outputs(start, OPERATOR, scenario, inputs)
        truth = rms_norm(problem, inputs)
        assert made.keys() == truth.keys()
        for name, array in made.items():
            error = np.abs(array.astype(np.float64) - truth[name])
            assert (error <= np.abs(truth[name]) * RELATIVE[problem.precision]).all(), input_set


def test_is_right_on_every_listed_shape_and_beside_it(start: Path) -> None:
    spec = importlib.util.spec_from_file_location("rms_norm_truth", OPERATOR.reference.path)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for seed, listed in enumerate(OPERATOR.sets["full"]):
        for scenario in (listed, OPERATOR.off_list(listed, seed)):
            inputs = OPERATOR.make_inputs(scenario, "scaled", seed)
            made = outputs(start, OPERATOR, scenario, inputs)
            wide = {name: array.astype(np.float32) for name, array in inputs.items()}
            truth = script.reference(rounded_params(OPERATOR.params_struct, scenario.params), wide)
            for name, array in made.items():
                np.testing.assert_allclose(
                    array.astype(np.float64),
                    truth[name],
                    rtol=RELATIVE[Problem.of(scenario).precision],
                )


def test_rounds_bfloat16_to_even_and_keeps_a_nan(start: Path) -> None:
    """With a mean square of 1 − eps and a weight of 1 the sum is what is seen: it rounds alone."""
    scenario = Scenario("ties", "small", asdict(Problem(1, 4, 3, 1, 0, 1.0)))
    bf16 = OPERATOR.make_inputs(scenario, "nominal", 0)["x"].dtype
    inputs = {
        "x": np.array([[1.0, 1.0078125, np.nan, -1.0]]).astype(bf16),
        "residual": np.array([[2**-8, 2**-8, 1.0, -(2**-8)]]).astype(bf16),
        "weight": np.ones(4).astype(bf16),
    }
    made = outputs(start, OPERATOR, scenario, inputs)
    total = made["sum"].astype(np.float64)[0]
    assert total[0] == 1.0
    assert total[1] == 1.015625
    assert np.isnan(total[2])
    assert total[3] == -1.0
    assert np.isnan(made["y"].astype(np.float64)).all()
