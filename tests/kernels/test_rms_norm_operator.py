import dataclasses
from importlib.metadata import entry_points

import numpy as np
import pytest

from harness.dtypes import item_bytes
from harness.operator_check import check_operator
from kernels.rms_norm.inputs import LARGE, TINY, make_inputs, spike_columns
from kernels.rms_norm.operator import OPERATOR
from kernels.rms_norm.scenarios import DEMO, FULL, SMOKE, Problem

PROBLEM = Problem(24, 130, 0, 1, 0, 1e-6)


def square_sums(problem: Problem, input_set: str) -> np.ndarray:
    inputs = make_inputs(problem, input_set, 3)
    v = inputs["x"].astype(np.float64) + (inputs["residual"].astype(np.float64) if problem.residual else 0)
    return np.asarray((v**2).mean(axis=1))


def test_keeps_the_contract() -> None:
    assert [str(fault) for fault in check_operator(OPERATOR, judged=False)] == []


@pytest.mark.slow
def test_the_judge_admits_every_kind_of_scenario_and_the_start_is_right_there_and_beside_it() -> None:
    """Two long ones and every short one; for all of them `check_operator(OPERATOR)` takes half a minute."""
    short = [one for one in FULL if Problem.of(one).rows * Problem.of(one).hidden < 1 << 17]
    assert len(short) >= 5
    operator = dataclasses.replace(OPERATOR, sets={"demo": [DEMO[1], DEMO[3], *short]})
    assert [str(fault) for fault in check_operator(operator)] == []


def test_is_found_by_its_entry_point() -> None:
    (found,) = (e for e in entry_points(group="kernelseek.operators") if e.name == OPERATOR.name)
    assert found.load() is OPERATOR


def test_needs_no_torch() -> None:
    assert OPERATOR.reference.requires == ("numpy",)


def test_the_sets_grow_and_span_what_models_do() -> None:
    ids = {name: [one.id for one in scenarios] for name, scenarios in OPERATOR.sets.items()}
    assert ids["smoke"][: len(ids["demo"])] == ids["demo"]
    assert ids["full"][: len(ids["smoke"])] == ids["smoke"]
    assert len(ids["full"]) >= 20
    for scenarios in (SMOKE, FULL):
        problems = [Problem.of(one) for one in scenarios]
        assert {one.family for one in scenarios} == {"prefill", "decode", "heads", "odd"}
        assert {(p.precision, p.residual) for p in problems} == {
            (dtype, residual) for dtype in ("float32", "bfloat16") for residual in (0, 1)
        }
        assert any(p.unit_offset for p in problems)
        assert any(p.hidden % 16 for p in problems)
    assert any(Problem.of(one).rows == 1 for one in FULL)


def test_an_id_says_what_its_problem_is() -> None:
    for one in FULL:
        p, words = Problem.of(one), one.id.split("-")
        assert words[0] == one.family
        assert ("bf16" in words) == (p.precision == "bfloat16")
        assert {f"r{p.rows}", f"h{p.hidden}"} <= set(words)
        assert ("add" in words, "offset" in words) == (bool(p.residual), bool(p.unit_offset))


def test_tensors_follow_the_abi_order() -> None:
    for one in FULL:
        p, specs = Problem.of(one), OPERATOR.tensors(one)
        names = ["x", "residual", "weight", "y", "sum"] if p.residual else ["x", "weight", "y"]
        assert [spec.name for spec in specs] == names
        assert [spec.role for spec in specs] == ["output" if n in ("y", "sum") else "input" for n in names]
        assert {spec.dtype for spec in specs} == {p.precision}


def test_the_bound_is_every_byte_once_and_four_operations_an_element() -> None:
    for one in FULL:
        p, work = Problem.of(one), OPERATOR.bound(one)
        held = [int(np.prod(spec.shape)) * item_bytes(spec.dtype) for spec in OPERATOR.tensors(one)]
        assert work.bytes == sum(held)
        assert work.operations == p.rows * p.hidden * (5 if p.residual else 4)
        assert work.precision == p.precision


def test_an_unknown_input_set_is_refused() -> None:
    with pytest.raises(ValueError, match="nominal, scaled, spikes, small"):
        make_inputs(PROBLEM, "nominel", 0)


def test_scaled_puts_rows_of_very_different_size_side_by_side() -> None:
    squares = np.sqrt(square_sums(PROBLEM, "scaled"))
    assert np.sum(squares > LARGE) == np.sum(squares < 100 * TINY) == PROBLEM.rows // 2
    assert np.abs(np.diff(np.log10(squares))).max() > 5


def test_spikes_hold_much_of_a_rows_energy_and_reach_the_ends() -> None:
    x = make_inputs(PROBLEM, "spikes", 3)["x"].astype(np.float64)
    share = (x**2).max(axis=1) / (x**2).sum(axis=1)
    assert share.min() > 0.08
    assert share.max() < 0.6
    columns = np.abs(x).argmax(axis=1)
    assert columns[0] == PROBLEM.hidden - 1
    assert {0, PROBLEM.hidden // 2 - 1, PROBLEM.hidden // 2} <= set(columns.tolist())


def test_a_spike_has_a_place_in_the_narrowest_row() -> None:
    narrow = dataclasses.replace(PROBLEM, hidden=1)
    assert (spike_columns(narrow, np.random.default_rng(0)) == 0).all()


def test_small_is_ruled_by_eps_and_ends_in_a_row_of_zeros() -> None:
    squares = square_sums(PROBLEM, "small")
    assert squares[-1] == 0
    assert (squares[:-1] > 0).all()
    assert squares.max() < 0.1 * PROBLEM.eps
    assert (square_sums(dataclasses.replace(PROBLEM, rows=3), "small") > 0).all()


def test_weights_are_near_one_in_either_way_of_saying_it() -> None:
    for offset in (0, 1):
        weight = make_inputs(Problem(1, 8192, 3, 0, offset, 1e-6), "nominal", 1)["weight"].astype(np.float64)
        assert abs(weight.mean() + offset - 1) < 0.05
        assert abs(weight.std() - 0.5) < 0.05
