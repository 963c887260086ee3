"""Inputs of an RMS norm: drawn fresh from a seed.

`nominal` (the timed one) is N(0, 1), where every row has about the same statistics: a kernel could take any
other row's, the first half's or a constant and be nearly right. The other sets are there for that:

- scaled: rows of 1e4 beside rows of 1e-3 in random order, every row with a mean of its own
- spikes: one element of each row outweighs hundreds of others, and stands where a lazy kernel would miss it
- small: the squares are far below eps; where there are four rows or more the last is zero
"""

import numpy as np
from numpy.typing import NDArray

from harness.dtypes import numpy_dtype
from harness.operator import Array
from kernels.rms_norm.scenarios import Problem

INPUT_SETS = ("nominal", "scaled", "spikes", "small")

LARGE, TINY = 1e4, 1e-3
MEAN = 2.0
"""The mean of a row of `scaled`, in units of its deviation."""
SPIKE = (0.3, 0.5)
"""A spike is so many times sqrt(hidden), which is 8 % to 20 % of its row's energy: enough to show in bfloat16
when it is missed, and not so much that the rounding of one element is all that the error consists of."""
SPIKE_AT_LEAST = 6.0
SMALL = 0.1
"""Elements of `small`, in units of sqrt(eps)."""
WEIGHT = 0.5
"""Deviation of the factor from 1."""
TAIL = 16
ZERO_FROM = 4
"""With so many rows, `small` has one of zeros."""

F32 = NDArray[np.float32]


def make_inputs(problem: Problem, input_set: str, seed: int) -> dict[str, Array]:
    """Arrays x, weight, and residual where there is one. Raises ValueError for an unknown input set."""
    if input_set not in INPUT_SETS:
        raise ValueError(f"rms_norm has no input set {input_set!r}; it has {', '.join(INPUT_SETS)}")
    rng = np.random.default_rng([seed, INPUT_SETS.index(input_set)])
    drawn = {"x": rng.standard_normal(problem.shape, dtype=np.float32)}
    if problem.residual:
        drawn["residual"] = rng.standard_normal(problem.shape, dtype=np.float32)
    if input_set == "scaled":
        factors = _row_scales(problem.rows, rng)
        for values in drawn.values():
            values += np.float32(MEAN)
            values *= factors
    elif input_set == "spikes":
        rows, columns = np.arange(problem.rows), spike_columns(problem, rng)
        sign = rng.choice(np.array([-1.0, 1.0]), problem.rows)
        height = np.maximum(rng.uniform(*SPIKE, problem.rows) * np.sqrt(problem.hidden), SPIKE_AT_LEAST)
        drawn["x"][rows, columns] = sign * height
    elif input_set == "small":
        for values in drawn.values():
            values *= np.float32(SMALL * np.sqrt(problem.eps))
            if problem.rows >= ZERO_FROM:
                values[-1] = 0
    weight = np.float32(WEIGHT) * rng.standard_normal(problem.hidden, dtype=np.float32)
    drawn["weight"] = weight if problem.unit_offset else weight + np.float32(1)
    return {name: values.astype(numpy_dtype(problem.precision)) for name, values in drawn.items()}


def spike_columns(problem: Problem, rng: np.random.Generator) -> NDArray[np.int64]:
    """The column of each row's spike.

    The first row has it in the last column. The others take turns: first column, last, the two at the middle,
    one of the last 16, any.
    """
    last = problem.hidden - 1
    middle = problem.hidden // 2
    turns = np.stack(
        [
            np.full(problem.rows, 0),
            np.full(problem.rows, last),
            np.full(problem.rows, max(middle - 1, 0)),
            np.full(problem.rows, middle),
            np.maximum(last - rng.integers(0, TAIL, problem.rows), 0),
            rng.integers(0, problem.hidden, problem.rows),
        ]
    )
    row = np.arange(problem.rows)
    return np.asarray(turns[(row + 1) % len(turns), row])


def _row_scales(rows: int, rng: np.random.Generator) -> F32:
    """LARGE for half of the rows and TINY for the others, shuffled, `[rows, 1]`."""
    scales = np.where(np.arange(rows) % 2, LARGE, TINY).astype(np.float32)
    rng.shuffle(scales)
    return scales[:, None]
