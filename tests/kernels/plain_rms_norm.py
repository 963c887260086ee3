"""RMS norm as one would write it on paper: loops, exact sums, Python's own floats."""

import math

import numpy as np
from numpy.typing import NDArray

from harness.operator import Array
from kernels.rms_norm.scenarios import Problem


def rms_norm(p: Problem, inputs: dict[str, Array]) -> dict[str, NDArray[np.float64]]:
    wide = {name: array.astype(np.float64).tolist() for name, array in inputs.items()}
    y, total = [], []
    for i in range(p.rows):
        v = list(wide["x"][i])
        if p.residual:
            v = [a + b for a, b in zip(v, wide["residual"][i], strict=True)]
        root = math.sqrt(math.fsum(a * a for a in v) / p.hidden + p.eps)
        factors = [w + 1 if p.unit_offset else w for w in wide["weight"]]
        y.append([a / root * w for a, w in zip(v, factors, strict=True)])
        total.append(v)
    return {"y": np.array(y), "sum": np.array(total)} if p.residual else {"y": np.array(y)}
