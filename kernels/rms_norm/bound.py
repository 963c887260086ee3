"""The least an RMS norm must do."""

from harness.dtypes import item_bytes
from harness.operator import Work
from kernels.rms_norm.scenarios import Problem


def bound(problem: Problem) -> Work:
    """Bytes and operations of one call.

    Bytes: every input is read once and every output written once. Operations of an element: a square, an add
    to its row's sum, a factor of the row, a factor of the weight, and the residual's add where there is one.
    What is done once a row (division, root) or once a column (1 + weight) is left out: a floor may be too
    low, never too high.
    """
    elements = problem.rows * problem.hidden
    tensors = 4 if problem.residual else 2
    return Work(
        bytes=(tensors * elements + problem.hidden) * item_bytes(problem.precision),
        operations=(5 if problem.residual else 4) * elements,
        precision=problem.precision,
    )
