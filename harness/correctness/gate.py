"""Whether outputs are right: scale-free error against a float64 reference, tied to the start's own error.

For an output x with reference r, e(x) = rms(x − r) / rms(r), over the whole and per row (one slice along
the last axis). Elementwise tolerances are no use here: where outputs are small, zeros pass them.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.checks import Check
from harness.dtypes import bits, item_bytes
from harness.operator import Array, DTypeName, TensorSpec
from harness.protocol import Protocol
from harness.record.samples import OutputError
from harness.verdict import Status

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one output may be off by. `max_abs` and `max_share` combine as max(max_abs, share · row RMS)."""

    rel_rms: float
    row_rel_rms: float
    max_abs: float
    max_share: float


@dataclass(frozen=True, slots=True)
class StartError:
    """The start's own distance from the reference, for one output."""

    rel_rms: float
    row_rel_rms: float
    max_abs: float


@dataclass(frozen=True, slots=True)
class GateResult:
    """Status, the named check that failed ("" when none), one sentence of evidence, and the numbers."""

    status: Status
    check: str = ""
    evidence: str = ""
    outputs: tuple[OutputError, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every output is within its limits."""
        return self.status is Status.CORRECT


def bad_reference(reference: Mapping[str, Floats], specs: Sequence[TensorSpec]) -> str:
    """Why a reference cannot be measured against, in a sentence; "" when it can."""
    for spec in specs:
        if spec.role == "output":
            bad = ~np.isfinite(reference[spec.name])
            if bad.any():
                return f"The reference of {spec.name} is not finite, first at {_index(bad)}."
    return ""


def start_errors(
    outputs: Mapping[str, Array],
    reference: Mapping[str, Floats],
    specs: Sequence[TensorSpec],
    protocol: Protocol,
) -> dict[str, StartError]:
    """The start's errors on one set of inputs, per output."""
    errors = {}
    for spec in specs:
        if spec.role == "output":
            m = _measure(outputs[spec.name], reference[spec.name], protocol)
            errors[spec.name] = StartError(m.rel_rms, float(m.row_error.max()), float(m.difference.max()))
    return errors


def limits(start: StartError, dtype: DTypeName, protocol: Protocol) -> Limits:
    """Limits from the start's error: twice it, or the floor of the dtype, whichever is more.

    Rows get three times the overall limit, and never less than twice the start's own worst row.
    """
    floor = floor_of(dtype, protocol)
    overall = max(protocol.error_factor * start.rel_rms, floor)
    return Limits(
        rel_rms=overall,
        row_rel_rms=max(protocol.row_factor * overall, protocol.error_factor * start.row_rel_rms),
        max_abs=protocol.error_factor * start.max_abs,
        max_share=protocol.max_abs_factor * floor,
    )


def limits_of_start(dtype: DTypeName, protocol: Protocol) -> Limits:
    """What the start itself may be off by: a share of its size, not of its own error."""
    floor = protocol.start_factor * floor_of(dtype, protocol)
    rows = protocol.row_factor * floor / protocol.row_denominator_floor
    return Limits(floor, rows, 0.0, rows)


def widened(base: Limits, start: StartError) -> Limits:
    """Limits against the start's output in place of the reference, by the triangle inequality.

    The start's error is doubled because these are other inputs than those it was measured on.
    """
    return Limits(
        rel_rms=base.rel_rms + 2 * start.rel_rms,
        row_rel_rms=base.row_rel_rms + 2 * start.row_rel_rms,
        max_abs=base.max_abs + 2 * start.max_abs,
        max_share=base.max_share,
    )


def doubled(base: Limits) -> Limits:
    """Limits between two outputs that may each be `base` off the reference."""
    return Limits(2 * base.rel_rms, 2 * base.row_rel_rms, 2 * base.max_abs, 2 * base.max_share)


def floor_of(dtype: DTypeName, protocol: Protocol) -> float:
    """The relative error below which nobody is asked to go; integers have to be equal."""
    return {
        "float32": protocol.fp32_floor,
        "float64": protocol.fp32_floor * 2**-29,
        "bfloat16": protocol.bf16_floor,
        "float16": protocol.bf16_floor / 8,
    }.get(dtype, 0.0)


def check(
    outputs: Mapping[str, Array],
    reference: Mapping[str, Floats],
    specs: Sequence[TensorSpec],
    allowed: Mapping[str, Limits],
    start: Mapping[str, StartError],
    protocol: Protocol,
    *,
    against: str = "the reference",
) -> GateResult:
    """Hold outputs to their limits; the first check that fails names the result.

    In order, for each output: `written`, `finite`, `rel_rms`, `row_rms`, `max_abs`. What is not finite is
    further off than any limit, so the last three see it too. `start` only goes into the result's numbers.
    """
    measured: list[OutputError] = []
    failed: tuple[Status, str, str] | None = None
    for spec in specs:
        if spec.role != "output":
            continue
        x, truth = outputs[spec.name], reference[spec.name]
        found = _unusable(x, truth, spec, protocol)
        if found is not None:
            failed = failed or found
            continue
        m = _measure(x, truth, protocol)
        limit, own = allowed[spec.name], start[spec.name]
        cap = np.maximum(limit.max_abs, limit.max_share * m.row_rms)
        with np.errstate(over="ignore"):
            excess = m.difference / np.maximum(cap, np.finfo(np.float64).tiny)[..., None]
        worst_row = _index(m.row_error)
        worst = _index(excess)
        row_error, cap_there = float(m.row_error[worst_row]), float(cap[worst[:-1]])
        numbers = OutputError(
            output=spec.name,
            dtype=spec.dtype,
            row_rms=float(m.row_rms[worst[:-1]]),
            rel_rms=m.rel_rms,
            rel_rms_start=own.rel_rms,
            rel_rms_limit=limit.rel_rms,
            row_rel_rms=row_error,
            row_rel_rms_start=own.row_rel_rms,
            row_rel_rms_limit=limit.row_rel_rms,
            worst_row=worst_row[: max(0, len(spec.shape) - 1)],
            max_abs=float(m.difference[worst]),
            max_abs_start=own.max_abs,
            max_abs_limit=cap_there,
            worst_index=worst[len(worst) - len(spec.shape) :],
            sha256=hashlib.sha256(bits(x, spec.dtype).data).hexdigest(),
        )
        measured.append(numbers)
        if failed is None:
            bad_rows = m.row_error > limit.row_rel_rms
            where = _where(bad_rows, spec)
            words = f"{spec.name} differs from {against}"
            if m.rel_rms > limit.rel_rms and protocol.on(Check.REL_RMS):
                text = f"{words} by a relative RMS of {m.rel_rms:.3g}, limit {limit.rel_rms:.3g}{where}"
                failed = (Status.WRONG, Check.REL_RMS, text)
            elif bad_rows.any() and protocol.on(Check.ROW_RMS):
                text = (
                    f"row {numbers.worst_row} of {words} by a relative RMS of {row_error:.3g}, "
                    f"limit {limit.row_rel_rms:.3g}{where}"
                )
                failed = (Status.WRONG, Check.ROW_RMS, text)
            elif float(excess[worst]) > 1.0 and protocol.on(Check.MAX_ABS):
                over = f"{int((excess > 1).sum())} of {excess.size} elements are over"
                text = (
                    f"element {numbers.worst_index} of {words} by {numbers.max_abs:.3g}, "
                    f"limit {cap_there:.3g}; {over}"
                )
                failed = (Status.WRONG, Check.MAX_ABS, text)
    if failed is None:
        return GateResult(Status.CORRECT, outputs=tuple(measured))
    status, name, text = failed
    return GateResult(status, name, f"check {name}: {text}.", tuple(measured))


@dataclass(frozen=True, slots=True)
class _Measured:
    """`difference` (rows, last axis) absolute; `row_error`, `row_rms` per row, in the leading shape."""

    rel_rms: float
    row_error: Floats
    row_rms: Floats
    difference: Floats


def _measure(x: Array, truth: Floats, protocol: Protocol) -> _Measured:
    wide = truth.reshape(truth.shape or (1,))
    if wide.ndim == 1:
        wide = wide[None, :]
    difference = np.abs(x.astype(np.float64).reshape(wide.shape) - wide)
    if not np.isfinite(difference).all():  # further off than any limit
        difference = np.nan_to_num(difference, nan=1e300, posinf=1e300)
    with np.errstate(over="ignore"):
        scale = float(np.sqrt(np.mean(wide**2)))
        row_rms = np.sqrt(np.mean(wide**2, axis=-1))
        overall = _finite(np.sqrt(np.mean(difference**2)) / max(scale, 1e-300))
        floor = max(protocol.row_denominator_floor * scale, 1e-300)
        row_error = _finite(np.sqrt(np.mean(difference**2, axis=-1)) / np.maximum(row_rms, floor))
    return _Measured(float(overall), row_error, row_rms, difference)


def _finite(value: Any) -> Floats:
    return np.asarray(np.nan_to_num(value, posinf=1e300), dtype=np.float64)


def _unusable(
    x: Array, truth: Floats, spec: TensorSpec, protocol: Protocol
) -> tuple[Status, str, str] | None:
    """Why nothing can be measured on an output; None when it can."""
    found = _unwritten(x, truth, spec, protocol) if protocol.on(Check.WRITTEN) else None
    return found or (_not_finite(x, spec) if protocol.on(Check.FINITE) else None)


def _unwritten(
    x: Array, truth: Floats, spec: TensorSpec, protocol: Protocol
) -> tuple[Status, str, str] | None:
    """Elements whose every byte is still the poison (for integers: and the reference is not)."""
    poison = int.from_bytes(bytes([protocol.poison_byte]) * item_bytes(spec.dtype), "little")
    untouched = np.asarray(bits(x, spec.dtype) == poison)
    if spec.dtype == "int32":
        untouched = untouched & (truth != -1)
    count = int(untouched.sum())
    if not count:
        return None
    first = _index(untouched)
    words = f"{count} of {x.size} elements of {spec.name} were never written, the first at {first}"
    return Status.UNWRITTEN, Check.WRITTEN, words + _where(_rows(untouched), spec)


def _not_finite(x: Array, spec: TensorSpec) -> tuple[Status, str, str] | None:
    bad: NDArray[np.bool_] = np.asarray(~np.isfinite(x))
    count = int(bad.sum())
    if not count:
        return None
    first = _index(bad)
    words = f"{count} of {x.size} elements of {spec.name} are NaN or infinite, the first at {first}"
    return Status.NAN, Check.FINITE, words + _where(_rows(bad), spec)


def _index(values: NDArray[Any]) -> tuple[int, ...]:
    """The index of the largest value (the first true one)."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(values)), values.shape))


def _rows(bad: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Rows in which anything is bad."""
    return np.asarray(bad.any(axis=-1)) if bad.ndim else bad


def _where(bad_rows: NDArray[np.bool_], spec: TensorSpec) -> str:
    """Which rows are off, and on which axes they have something in common."""
    total = bad_rows.size
    count = int(bad_rows.sum())
    if len(spec.shape) < 2 or not count:
        return ""
    common = []
    for axis, extent in enumerate(spec.shape[:-1]):
        others = tuple(i for i in range(bad_rows.ndim) if i != axis)
        hit = np.flatnonzero(bad_rows.any(axis=others))
        if hit.size == extent:
            continue
        if hit.size == hit[-1] - hit[0] + 1:
            span = str(hit[0]) if hit.size == 1 else f"{hit[0]}..{hit[-1]}"
            common.append(f"axis {axis} = {span}")
        elif hit.size <= 4:
            common.append(f"axis {axis} in {', '.join(map(str, hit))}")
    text = f"; {count} of {total} rows are off"
    return text + (f", only at {' and '.join(common)}" if common else "")
