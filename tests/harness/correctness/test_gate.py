from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from harness.checks import Check
from harness.correctness.gate import (
    GateResult,
    Limits,
    StartError,
    bad_reference,
    check,
    limits,
    start_errors,
    widened,
)
from harness.operator import Array, TensorSpec
from harness.protocol import Protocol
from harness.verdict import Status

PROTOCOL = Protocol()
SPEC = TensorSpec("out", "output", "float32", (2, 3, 8, 16))
OWN = {"out": StartError(1e-7, 2e-7, 1e-6)}
POISON = np.frombuffer(b"\xff" * 4, np.float32)[0]


def truth(seed: int = 0, scale: float = 1.0) -> NDArray[np.float64]:
    return scale * np.random.default_rng(seed).standard_normal(SPEC.shape)


def judge(x: Array, reference: NDArray[np.float64], own: dict[str, StartError] = OWN) -> GateResult:
    allowed = {"out": limits(own["out"], SPEC.dtype, PROTOCOL)}
    return check({"out": x}, {"out": reference}, [SPEC], allowed, own, PROTOCOL)


def rounded(reference: NDArray[np.float64]) -> NDArray[np.float32]:
    return reference.astype(np.float32)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_rounding_to_float32_passes_at_any_scale(scale: float) -> None:
    reference = truth(scale=scale)
    result = judge(rounded(reference), reference, {"out": StartError(1e-7, 1e-7, 0.0)})
    assert result.passed
    assert 0 < result.outputs[0].rel_rms < 1e-7
    assert result.outputs[0].rel_rms_limit == PROTOCOL.fp32_floor


@pytest.mark.parametrize("scale", [1e-6, 1.0])
def test_zeros_fail_however_small_the_outputs_are(scale: float) -> None:
    reference = truth(scale=scale)
    result = judge(np.zeros(SPEC.shape, np.float32), reference, {"out": StartError(1e-7, 1e-7, 0.0)})
    assert (result.status, result.check) == (Status.WRONG, "rel_rms")
    assert result.outputs[0].rel_rms == pytest.approx(1.0)


def test_one_bad_head_is_found_and_named() -> None:
    reference = truth()
    x = rounded(reference)
    x[:, 1] = rounded(truth(1))[:, 1]
    result = judge(x, reference)
    assert result.check == "rel_rms"
    assert "16 of 48 rows are off, only at axis 1 = 1." in result.evidence


def test_one_bad_row_fails_where_the_whole_would_pass() -> None:
    reference = truth()
    x = rounded(reference)
    x[1, 2, 5] *= np.float32(1 + 5e-5)
    result = judge(x, reference)
    assert result.check == "row_rms"
    assert result.outputs[0].worst_row == (1, 2, 5)
    assert result.outputs[0].rel_rms < PROTOCOL.fp32_floor
    assert "row (1, 2, 5) of out" in result.evidence
    assert "axis 0 = 1 and axis 1 = 2 and axis 2 = 5" in result.evidence


def test_one_bad_element_fails_where_its_row_would_pass() -> None:
    reference = truth()
    x = rounded(reference)
    x[0, 1, 2, 3] += np.float32(8e-5 * np.sqrt(np.mean(reference[0, 1, 2] ** 2)))
    result = judge(x, reference)
    assert result.check == "max_abs"
    assert result.outputs[0].worst_index == (0, 1, 2, 3)
    assert "1 of 768 elements are over" in result.evidence


def test_the_limit_follows_the_starts_own_error() -> None:
    reference = truth()
    noise = 1e-3 * np.random.default_rng(5).standard_normal(SPEC.shape)
    x = rounded(reference + noise)
    own = start_errors({"out": x}, {"out": reference}, [SPEC], PROTOCOL)
    assert judge(x, reference, own).passed
    assert judge(rounded(reference + 1.9 * noise), reference, own).passed
    assert judge(rounded(reference + 2.1 * noise), reference, own).check == "rel_rms"
    assert judge(x, reference).check == "rel_rms"


def test_a_row_of_tiny_truth_is_not_measured_by_its_own_size() -> None:
    reference = truth()
    reference[0, 0, 0] = 1e-12
    x = rounded(reference)
    x[0, 0, 0] += np.float32(1e-7)
    assert judge(x, reference).passed


def test_nan_infinite_and_unwritten_have_their_own_names() -> None:
    reference = truth()
    for value, status, name in (
        (np.nan, Status.NAN, "finite"),
        (-np.inf, Status.NAN, "finite"),
        (POISON, Status.UNWRITTEN, "written"),
    ):
        x = rounded(reference)
        x[1, 0, 3, 4] = value
        result = judge(x, reference)
        assert (result.status, result.check) == (status, name)
        assert "1 of 768 elements" in result.evidence
        assert "(1, 0, 3, 4)" in result.evidence


def test_integers_have_to_be_equal_and_may_look_like_poison() -> None:
    spec = TensorSpec("index", "output", "int32", (2, 3))
    reference = np.array([[0, -1, 2], [3, 4, -1]], dtype=np.float64)
    own = {"index": StartError(0.0, 0.0, 0.0)}
    allowed = {"index": limits(own["index"], "int32", PROTOCOL)}

    def of(values: list[list[int]]) -> GateResult:
        x = np.array(values, np.int32)
        return check({"index": x}, {"index": reference}, [spec], allowed, own, PROTOCOL)

    assert of([[0, -1, 2], [3, 4, -1]]).passed
    assert of([[0, -1, 2], [3, 5, -1]]).check == "rel_rms"
    assert of([[0, -1, 2], [-1, 4, -1]]).check == "written"


def test_a_vector_is_one_row() -> None:
    spec = TensorSpec("sum", "output", "float32", (5,))
    reference = np.arange(1.0, 6.0)
    allowed = {"sum": limits(OWN["out"], "float32", PROTOCOL)}
    x = reference.astype(np.float32)
    x[2] = 7
    result = check({"sum": x}, {"sum": reference}, [spec], allowed, {"sum": OWN["out"]}, PROTOCOL)
    assert result.check == "rel_rms"
    assert result.outputs[0].worst_row == ()
    assert result.outputs[0].worst_index == (2,)


def test_every_output_is_measured_and_the_first_failure_names_the_result() -> None:
    specs = [SPEC, TensorSpec("lse", "output", "float32", (2, 3, 8))]
    reference = {"out": truth(), "lse": truth(3)[..., 0]}
    x = {name: value.astype(np.float32) for name, value in reference.items()}
    x["lse"] = x["lse"] * np.float32(1.1)
    own = dict.fromkeys(reference, OWN["out"])
    allowed = {name: limits(OWN["out"], "float32", PROTOCOL) for name in reference}
    result = check(x, reference, specs, allowed, own, PROTOCOL)
    assert result.evidence.startswith("check rel_rms: lse differs from the reference")
    assert [one.output for one in result.outputs] == ["out", "lse"]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(1e-8, 1e-3))
def test_against_the_start_nothing_right_is_refused(seed: int, size: float) -> None:
    """What passes against the reference passes against the start's output, whatever the start's error."""
    rng = np.random.default_rng(seed)
    reference = truth(seed)
    start = reference + size * rng.standard_normal(SPEC.shape)
    own = start_errors({"out": start}, {"out": reference}, [SPEC], PROTOCOL)
    allowed = limits(own["out"], "float64", PROTOCOL)
    x = reference + 1.5 * size * rng.standard_normal(SPEC.shape)
    if not check({"out": x}, {"out": reference}, [SPEC], {"out": allowed}, own, PROTOCOL).passed:
        return
    wide: dict[str, Limits] = {"out": widened(allowed, own["out"])}
    assert check({"out": x}, {"out": start}, [SPEC], wide, own, PROTOCOL).passed


def test_a_reference_that_is_not_finite_is_refused() -> None:
    reference = truth()
    assert bad_reference({"out": reference}, [SPEC]) == ""
    reference[1, 2, 3, 4] = np.nan
    assert "(1, 2, 3, 4)" in bad_reference({"out": reference}, [SPEC])


def test_a_huge_difference_is_still_finite_in_the_record() -> None:
    x = np.full(SPEC.shape, 3e38, np.float32)
    result = judge(x, truth())
    assert result.check == "rel_rms"
    assert np.isfinite(result.outputs[0].rel_rms)


GATE = frozenset({Check.WRITTEN, Check.FINITE, Check.REL_RMS, Check.ROW_RMS, Check.MAX_ABS})
DEVIATIONS = GATE - {Check.WRITTEN, Check.FINITE}


def judge_without(off: frozenset[Check], x: Array, reference: NDArray[np.float64]) -> GateResult:
    allowed = {"out": limits(OWN["out"], SPEC.dtype, PROTOCOL)}
    return check({"out": x}, {"out": reference}, [SPEC], allowed, OWN, replace(PROTOCOL, off=off))


@pytest.mark.parametrize(
    ("value", "seen_by"),
    [(POISON, GATE), (np.nan, GATE - {Check.WRITTEN}), (np.inf, GATE - {Check.WRITTEN}), (0.0, DEVIATIONS)],
)
@pytest.mark.parametrize("count", [1, SPEC.shape[-1], None])
def test_each_check_alone_refuses_what_it_sees(
    value: float, seen_by: frozenset[Check], count: int | None
) -> None:
    reference = truth() + 10.0
    x = rounded(reference)
    x.reshape(-1)[:count] = value
    for alone in GATE:
        result = judge_without(GATE - {alone}, x, reference)
        assert result.check == (alone if alone in seen_by else ""), alone
        assert result.passed == (alone not in seen_by)
        assert bool(result.evidence) == (alone in seen_by)
    assert judge_without(GATE, x, reference).passed


def test_a_check_that_is_off_hides_no_other() -> None:
    reference = truth()
    x = rounded(reference)
    x[0, 0, 0, 0] = POISON
    order = [Check.WRITTEN, Check.FINITE, Check.REL_RMS, Check.ROW_RMS, Check.MAX_ABS]
    for number, named in enumerate(order):
        assert judge_without(frozenset(order[:number]), x, reference).check == named
