import importlib.util
from dataclasses import asdict
from itertools import product
from types import ModuleType

import numpy as np
import pytest

from harness.operator import Array, Scenario
from kernels.rms_norm.inputs import INPUT_SETS
from kernels.rms_norm.operator import OPERATOR
from kernels.rms_norm.scenarios import Problem
from tests.kernels.plain_rms_norm import rms_norm

SMALL = tuple(
    Scenario(f"{rows}x{hidden}-{dtype}{residual}{offset}", "small", asdict(Problem(*shape, *kind, 1e-5)))
    for shape, kind in product(
        [(5, 33), (1, 40), (7, 16), (2, 1)], [(0, 0, 0), (3, 1, 1), (0, 1, 0), (3, 0, 1)]
    )
    for (rows, hidden), (dtype, residual, offset) in [(shape, kind)]
)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rms_norm_reference", OPERATOR.reference.path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def widened(scenario: Scenario, input_set: str) -> dict[str, Array]:
    """Inputs as the worker hands them over."""
    inputs = OPERATOR.make_inputs(scenario, input_set, 11)
    return {name: array.astype(np.float32) for name, array in inputs.items()}


@pytest.mark.parametrize("scenario", SMALL, ids=lambda one: one.id)
def test_is_what_one_would_write_on_paper(script: ModuleType, scenario: Scenario) -> None:
    for input_set in INPUT_SETS:
        outputs = script.reference(dict(scenario.params), widened(scenario, input_set))
        truth = rms_norm(Problem.of(scenario), OPERATOR.make_inputs(scenario, input_set, 11))
        assert outputs.keys() == truth.keys()
        for name, array in outputs.items():
            assert array.dtype == np.float64
            np.testing.assert_allclose(array, truth[name], rtol=1e-12)


def test_a_nan_spoils_its_own_row_alone(script: ModuleType) -> None:
    inputs = widened(SMALL[0], "nominal")
    inputs["x"][2, 7] = np.nan
    y = script.reference(dict(SMALL[0].params), inputs)["y"]
    assert np.isnan(y[2]).all()
    assert not np.isnan(np.delete(y, 2, axis=0)).any()


def test_trivial_kernels_are_those_that_skip_something_here(script: ModuleType) -> None:
    always = {"zeros", "copy_x", "weight_ignored", "other_offset", "eps_ignored", "statistics_of_ones"}
    for scenario in SMALL:
        p = Problem.of(scenario)
        expected = set(always)
        expected |= {"mean_subtracted", "first_half_statistics"} if p.hidden > 1 else set()
        expected |= {"tail_ignored"} if p.hidden > 16 else set()
        expected |= {"next_rows_statistics", "statistics_of_all_rows"} if p.rows > 1 else set()
        expected |= {"residual_ignored", "sum_is_x"} if p.residual else set()
        given = script.trivial(dict(scenario.params), widened(scenario, "nominal"))
        assert given.keys() == expected, scenario.id
        for outputs in given.values():
            assert (
                outputs.keys() == script.reference(dict(scenario.params), widened(scenario, "nominal")).keys()
            )


def test_each_trivial_kernel_is_far_from_the_truth_on_some_set(script: ModuleType) -> None:
    scenario = Scenario("trial", "small", asdict(Problem(9, 130, 0, 1, 0, 1e-5)))
    worst: dict[str, float] = {}
    for input_set in INPUT_SETS:
        inputs = widened(scenario, input_set)
        truth = script.reference(dict(scenario.params), inputs)
        for name, outputs in script.trivial(dict(scenario.params), inputs).items():
            for key, array in outputs.items():
                error = np.linalg.norm(array - truth[key]) / np.linalg.norm(truth[key])
                worst[name] = max(worst.get(name, 0.0), float(np.nan_to_num(error, nan=np.inf)))
    assert all(error > 0.02 for error in worst.values()), worst
