"""The element types a tensor can have: their bytes, their numpy types, and what holds their bits."""

from typing import Any

import ml_dtypes
import numpy as np

from harness.operator import Array, DTypeName

_NUMPY: dict[DTypeName, np.dtype[Any]] = {
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float16": np.dtype(np.float16),
    "int32": np.dtype(np.int32),
}
_BITS: dict[int, np.dtype[Any]] = {
    2: np.dtype(np.uint16),
    4: np.dtype(np.uint32),
    8: np.dtype(np.uint64),
}


def numpy_dtype(name: DTypeName) -> np.dtype[Any]:
    """The numpy type; bfloat16 is `ml_dtypes.bfloat16`."""
    return _NUMPY[name]


def item_bytes(name: DTypeName) -> int:
    """Bytes of one element."""
    return _NUMPY[name].itemsize


def bits_dtype(name: DTypeName) -> np.dtype[Any]:
    """The unsigned integer as wide as an element: a NaN equals itself there, and −0 is not 0."""
    return _BITS[item_bytes(name)]


def bits(values: Array, name: DTypeName) -> Array:
    """An array's bits as unsigned integers of the same shape."""
    return np.ascontiguousarray(values).view(bits_dtype(name))
