"""Exact numbers, boundaries and sentences of the gate, on outputs small enough to reckon by hand."""

import math
from dataclasses import astuple, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.checks import Check
from harness.correctness.gate import (
    GateResult,
    Limits,
    StartError,
    bad_reference,
    check,
    doubled,
    floor_of,
    limits,
    limits_of_start,
    start_errors,
    widened,
)
from harness.operator import DTypeName, TensorSpec
from harness.protocol import Protocol
from harness.verdict import Status

PROTOCOL = Protocol()
INPUT = TensorSpec("x", "input", "float32", (8, 4))
SPEC = TensorSpec("out", "output", "float32", (8, 4))
WIDE = Limits(1e301, 1e301, 1e301, 0.0)
"""Nothing is off by so much."""
OWN = StartError(1e-7, 2e-7, 3e-7)
ONES = np.ones(SPEC.shape)
UNWRITTEN = np.frombuffer(b"\xff" * 4, np.float32)[0]


def judge(
    x: NDArray[np.float64],
    limit: Limits,
    reference: NDArray[np.float64] = ONES,
    *,
    spec: TensorSpec = SPEC,
    off: frozenset[Check] = frozenset(),
    against: str = "the reference",
) -> GateResult:
    """What the gate says of one output with an input before it, in float32, where no overflow is silent."""
    with np.errstate(over="raise"):
        return check(
            {"out": x.astype(np.float32)},
            {"out": reference},
            [INPUT, spec],
            {"out": limit},
            {"out": OWN},
            replace(PROTOCOL, off=off),
            against=against,
        )


def off_at(*rows: int, by: float = 0.5) -> NDArray[np.float64]:
    """Ones with the first element of these rows so much higher."""
    x = ONES.copy()
    x[list(rows), 0] += by
    return x


@pytest.mark.parametrize(
    ("dtype", "floor"),
    [("float32", 1e-5), ("float64", 1e-5 / 2**29), ("bfloat16", 5e-3), ("float16", 6.25e-4), ("int32", 0.0)],
)
def test_the_floor_of_each_dtype_and_the_limits_that_follow(dtype: DTypeName, floor: float) -> None:
    assert floor_of(dtype, PROTOCOL) == pytest.approx(floor, rel=1e-9, abs=0)
    tiny = limits(StartError(floor / 4, floor / 2, floor), dtype, PROTOCOL)
    assert astuple(tiny) == pytest.approx((floor, floor * 3, floor * 2, floor * 4), rel=1e-9, abs=0)
    own = floor or 1e-6
    large = limits(StartError(own * 2, own * 9, own), dtype, PROTOCOL)
    assert astuple(large) == pytest.approx((own * 4, own * 18, own * 2, floor * 4), rel=1e-9, abs=0)
    start = limits_of_start(dtype, PROTOCOL)
    assert astuple(start) == pytest.approx((floor * 10, floor * 3000, 0.0, floor * 3000), rel=1e-9, abs=0)


def test_widened_and_doubled_limits() -> None:
    base, own = Limits(0.1, 0.2, 0.3, 0.4), StartError(0.01, 0.03, 0.07)
    assert astuple(widened(base, own)) == pytest.approx((0.12, 0.26, 0.44, 0.4))
    assert doubled(base) == Limits(0.2, 0.4, 0.6, 0.8)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_row_is_measured_by_its_own_size_and_at_least_a_hundredth_of_the_whole(scale: float) -> None:
    reference = np.zeros((2, 4))
    reference[0] = 100.0 * scale
    x = reference + scale * np.array([[0.0] * 4, [0.5, 0, 0, 0]])
    whole = math.sqrt(0.5) * 100  # the RMS of the reference, in units of scale
    (found,) = start_errors(
        {"out": x}, {"out": reference}, [TensorSpec("out", "output", "float64", (2, 4))], PROTOCOL
    ).values()
    assert found.rel_rms == pytest.approx(math.sqrt(0.25 / 8) / whole)
    assert found.row_rel_rms == pytest.approx(0.25 / (whole / 100))
    assert found.max_abs == pytest.approx(0.5 * scale)


def test_all_numbers_of_an_output() -> None:
    reference = 2.0 * ONES
    reference[5] = 4.0
    x = reference.copy()
    x[5, 2] = 4.5
    (found,) = judge(x, Limits(1.0, 2.0, 1.25, 0.5), reference).outputs
    whole = math.sqrt((7 * 4 + 16) / 8)
    assert (found.output, found.dtype) == ("out", "float32")
    assert (found.row_rms, found.worst_row, found.worst_index) == (4.0, (5,), (5, 2))
    assert found.rel_rms == pytest.approx(math.sqrt(0.25 / 32) / whole)
    assert found.row_rel_rms == pytest.approx(0.25 / 4.0)
    assert (found.max_abs, found.max_abs_limit) == (0.5, 2.0)  # half the row's size is more than 1.25
    assert (found.rel_rms_limit, found.row_rel_rms_limit) == (1.0, 2.0)
    assert (found.rel_rms_start, found.row_rel_rms_start, found.max_abs_start) == (1e-7, 2e-7, 3e-7)


def test_what_is_at_its_limit_passes_and_what_is_over_it_does_not() -> None:
    x = off_at(3)  # the whole is off by a relative RMS of sqrt(1/128), row 3 by 1/4, one element by 1/2
    whole = judge(x, WIDE).outputs[0].rel_rms
    assert whole == pytest.approx(math.sqrt(1 / 128))
    for limit, over, name in (
        (replace(WIDE, rel_rms=whole), replace(WIDE, rel_rms=whole * 0.999), "rel_rms"),
        (replace(WIDE, row_rel_rms=0.25), replace(WIDE, row_rel_rms=0.2499), "row_rms"),
        (replace(WIDE, max_abs=0.5), replace(WIDE, max_abs=0.4999), "max_abs"),
        (replace(WIDE, max_abs=0.1, max_share=0.5), replace(WIDE, max_abs=0.25), "max_abs"),
    ):
        assert judge(x, limit).passed, name
        assert judge(x, over).check == name


def test_elements_over_are_those_that_are_more_than_their_limit() -> None:
    x = off_at(1, by=0.5)
    x[2, 0], x[4, 3] = 2.0, 3.0
    result = judge(x, replace(WIDE, max_abs=0.5))
    assert result.evidence == (
        "check max_abs: element (4, 3) of out differs from the reference by 2, limit 0.5; "
        "2 of 32 elements are over."
    )


@pytest.mark.parametrize(
    ("rows", "where"),
    [
        ((0, 1, 2, 3, 4, 5, 6, 7), "8 of 8 rows are off"),
        ((2,), "1 of 8 rows are off, only at axis 0 = 2"),
        ((2, 3, 4), "3 of 8 rows are off, only at axis 0 = 2..4"),
        ((0, 2, 4, 7), "4 of 8 rows are off, only at axis 0 in 0, 2, 4, 7"),
        ((0, 2, 4, 6, 7), "5 of 8 rows are off"),
    ],
)
def test_the_sentences_say_which_rows_are_off(rows: tuple[int, ...], where: str) -> None:
    x = off_at(*rows)
    assert judge(x, replace(WIDE, row_rel_rms=0.1)).evidence == (
        f"check row_rms: row ({rows[0]},) of out differs from the reference by a relative RMS of 0.25, "
        f"limit 0.1; {where}."
    )
    by = math.sqrt(len(rows) / 128)
    overall = judge(x, replace(WIDE, rel_rms=0.01, row_rel_rms=0.1), against="the start's output")
    assert overall.evidence == (
        f"check rel_rms: out differs from the start's output by a relative RMS of {by:.3g}, limit 0.01; "
        f"{where}."
    )
    for value, words in ((math.nan, "are NaN or infinite"), (UNWRITTEN, "were never written")):
        x = ONES.astype(np.float32)
        x[list(rows), 1] = value
        result = check({"out": x}, {"out": ONES}, [SPEC], {"out": WIDE}, {"out": OWN}, PROTOCOL)
        assert result.evidence == (
            f"check {result.check}: {len(rows)} of 32 elements of out {words}, the first at ({rows[0]}, 1); "
            f"{where}."
        )


def test_a_vector_and_a_scalar_have_no_rows_to_name() -> None:
    vector, scalar = (TensorSpec("out", "output", "float32", shape) for shape in ((4,), ()))
    result = judge(np.array([1.0, 1, 3, 1]), replace(WIDE, rel_rms=0.1), np.ones(4), spec=vector)
    assert result.evidence == (
        "check rel_rms: out differs from the reference by a relative RMS of 1, limit 0.1."
    )
    result = judge(np.array(3.0), replace(WIDE, max_abs=0.5), np.array(1.0), spec=scalar)
    assert result.evidence == (
        "check max_abs: element () of out differs from the reference by 2, limit 0.5; "
        "1 of 1 elements are over."
    )
    assert (result.outputs[0].worst_row, result.outputs[0].worst_index) == ((), ())
    result = judge(np.array(np.nan), WIDE, np.array(1.0), spec=scalar)
    assert result.evidence == "check finite: 1 of 1 elements of out are NaN or infinite, the first at ()."


def test_rows_are_slices_along_the_last_axis_of_any_number() -> None:
    spec = replace(SPEC, dtype="float64", shape=(2, 3, 4))
    x = np.ones(spec.shape)
    x[1, 0, 2] = x[1, 2, 2] = np.nan
    result = check({"out": x}, {"out": np.ones(spec.shape)}, [spec], {"out": WIDE}, {"out": OWN}, PROTOCOL)
    assert result.evidence == (
        "check finite: 2 of 24 elements of out are NaN or infinite, the first at (1, 0, 2); "
        "2 of 6 rows are off, only at axis 0 = 1 and axis 1 in 0, 2."
    )
    fine = np.ones(spec.shape)
    (found,) = check({"out": fine}, {"out": fine}, [spec], {"out": WIDE}, {"out": OWN}, PROTOCOL).outputs
    assert found.dtype == "float64"


def test_what_cannot_be_measured_is_off_by_1e300_and_overflows_nothing() -> None:
    for value in (math.inf, -math.inf, math.nan):
        x = ONES.copy()
        x[1, 1] = value
        result = judge(x, replace(WIDE, max_abs=0.0), off=frozenset({Check.FINITE}))
        (found,) = result.outputs
        assert (found.rel_rms, found.row_rel_rms, found.max_abs) == (1e300, 1e300, 1e300)
        assert result.check == "max_abs"


def test_an_output_that_cannot_be_measured_hides_none_that_comes_after() -> None:
    specs = [replace(SPEC, name=name) for name in ("first", "second", "third")]
    x = {spec.name: ONES.astype(np.float32) for spec in specs}
    x["first"][0, 0] = np.nan
    x["second"][0, 0] = UNWRITTEN
    x["third"][0, 0] = 7
    every = {spec.name: ONES for spec in specs}
    strict = dict.fromkeys(every, Limits(0.0, 0.0, 0.0, 0.0))
    result = check(x, every, specs, strict, dict.fromkeys(every, OWN), PROTOCOL)
    assert (result.status, result.check) == (Status.NAN, "finite")
    assert result.evidence.startswith("check finite: 1 of 32 elements of first ")
    assert [one.output for one in result.outputs] == ["third"]


def test_a_reference_that_is_not_finite_is_named_with_its_first_place() -> None:
    bad = ONES.copy()
    bad[3, 1], bad[5, 0] = np.inf, np.nan
    both = [INPUT, replace(SPEC, name="fine"), SPEC]
    assert bad_reference({"fine": ONES, "out": bad}, both) == (
        "The reference of out is not finite, first at (3, 1)."
    )
