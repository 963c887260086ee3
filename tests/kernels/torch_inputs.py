"""Inputs as the reference worker hands them to the script."""

from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

from harness.operator import Array


def to_torch(inputs: Mapping[str, Array]) -> dict[str, Any]:
    """Torch tensors of the same bits."""
    import torch

    bfloat16 = np.dtype(ml_dtypes.bfloat16)
    return {
        name: torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        if array.dtype == bfloat16
        else torch.from_numpy(array)
        for name, array in inputs.items()
    }
