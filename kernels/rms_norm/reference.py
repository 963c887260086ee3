"""The truth RMS norm is measured against, and the kernels that must not pass for it.

Self-contained: run by path in a process of its own, under any interpreter that has numpy. Inputs x and
residual `[rows, hidden]`, weight `[hidden]`, bfloat16 widened to float32; outputs y and, with a residual,
sum, like x.
"""

import numpy as np

TAIL = 16


def reference(params: dict, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """v / sqrt(mean(v²) + eps) * weight in float64, for v = x (+ residual)."""
    v = _summed(params, inputs)
    return _outputs(params, v, _normalised(params, inputs, v, _mean_square(v)))


def trivial(params: dict, inputs: dict[str, np.ndarray]) -> dict[str, dict[str, np.ndarray]]:
    """Outputs of kernels that skip the work, by name; only those that differ from the work here.

    Where there is a residual all but `zeros` and `residual_ignored` get the sum right, so that y alone has to
    tell.
    """
    v = _summed(params, inputs)
    x = inputs["x"].astype(np.float64)
    squares = _mean_square(v)
    rows, hidden = v.shape

    def with_statistics(mean_square: np.ndarray) -> np.ndarray:
        return _normalised(params, inputs, v, np.broadcast_to(mean_square, squares.shape))

    mean = v.mean(axis=1, keepdims=True)
    unweighted = {**inputs, "weight": np.full(hidden, 0.0 if params["unit_offset"] else 1.0)}
    other_offset = {**params, "unit_offset": 1 - params["unit_offset"]}
    kernels = {
        "zeros": np.zeros_like(v),
        "copy_x": x.copy(),
        "weight_ignored": _normalised(params, unweighted, v, squares),
        "other_offset": _normalised(other_offset, inputs, v, squares),
        "eps_ignored": _normalised({**params, "eps": 0.0}, inputs, v, squares),
        "statistics_of_ones": with_statistics(np.ones_like(squares)),
    }
    if hidden > 1:
        centred = v - mean
        kernels["mean_subtracted"] = _normalised(params, inputs, centred, _mean_square(centred))
        kernels["first_half_statistics"] = with_statistics(_mean_square(v[:, : (hidden + 1) // 2]))
    if hidden > TAIL:
        kernels["tail_ignored"] = with_statistics(_mean_square(v[:, :-TAIL]))
    if rows > 1:
        kernels["next_rows_statistics"] = with_statistics(np.roll(squares, -1, axis=0))
        kernels["statistics_of_all_rows"] = with_statistics(squares.mean(axis=0, keepdims=True))
    outputs = {name: _outputs(params, v, y) for name, y in kernels.items()}
    if params["residual"]:
        outputs["zeros"] = {"y": np.zeros_like(v), "sum": np.zeros_like(v)}
        outputs["residual_ignored"] = {"y": _normalised(params, inputs, x, _mean_square(x)), "sum": x}
        right = reference(params, inputs)["y"]
        outputs["sum_is_x"] = {"y": right, "sum": x}
    return outputs


def _summed(params: dict, inputs: dict[str, np.ndarray]) -> np.ndarray:
    x = inputs["x"].astype(np.float64)
    return x + inputs["residual"].astype(np.float64) if params["residual"] else x


def _mean_square(v: np.ndarray) -> np.ndarray:
    return np.mean(v * v, axis=1, keepdims=True)


def _normalised(
    params: dict, inputs: dict[str, np.ndarray], v: np.ndarray, squares: np.ndarray
) -> np.ndarray:
    factor = inputs["weight"].astype(np.float64) + (1.0 if params["unit_offset"] else 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):  # a row of zeros with eps ignored
        return v / np.sqrt(squares + params["eps"]) * factor


def _outputs(params: dict, v: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    return {"y": y, "sum": v} if params["residual"] else {"y": y}
