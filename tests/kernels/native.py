"""Builds a candidate as the judge does and calls it in this process."""

import ctypes
import hashlib
import subprocess
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from harness.build import COMMON_FLAGS, LIBRARY_FLAGS, NATIVE, find_compiler
from harness.dtypes import bits, numpy_dtype
from harness.operator import Array, Operator, Scenario
from harness.params import pack_params, params_header
from harness.protocol import DTYPES

ALIGNMENT = 256
RED_ZONE = 1024


class Tensor(ctypes.Structure):
    """`ks_tensor` of ks.h."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int32),
        ("role", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("shape", ctypes.c_int64 * 8),
        ("strides", ctypes.c_int64 * 8),
    )


def compile_source(source: str, operator: Operator, folder: Path) -> Path:
    """A shared library of `source`; the same source is built once a folder."""
    name = hashlib.sha256(source.encode()).hexdigest()[:16]
    library = folder / f"{name}.so"
    if library.exists():
        return library
    (folder / "ks_params.h").write_text(params_header(operator.params_struct))
    path = folder / f"{name}.cpp"
    path.write_text(source)
    command = [find_compiler()[0], *COMMON_FLAGS, *LIBRARY_FLAGS, f"-I{folder}", f"-I{NATIVE}"]
    done = subprocess.run(
        [*command, str(path), "-o", str(library)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr, done.stderr
    return library


def call(library: Path, operator: Operator, scenario: Scenario, inputs: Mapping[str, Array]) -> Array:
    """`outputs` of an operator with one output, named `out`."""
    return outputs(library, operator, scenario, inputs)["out"]


def outputs(
    library: Path, operator: Operator, scenario: Scenario, inputs: Mapping[str, Array]
) -> dict[str, Array]:
    """One call; asserts that it says OK, changes no input and writes nowhere but into its outputs."""
    lib = ctypes.CDLL(str(library))
    lib.ks_workspace_bytes.restype = ctypes.c_size_t
    params = pack_params(operator.params_struct, scenario.params)
    specs = operator.tensors(scenario)
    table = (Tensor * len(specs))()
    arrays = {}
    for number, spec in enumerate(specs):
        array = _aligned(spec.shape, numpy_dtype(spec.dtype))
        array[...] = inputs[spec.name] if spec.role == "input" else np.nan
        arrays[spec.name] = array
        entry = table[number]
        entry.data, entry.dtype, entry.rank = array.ctypes.data, DTYPES[spec.dtype], array.ndim
        entry.role = int(spec.role == "output")
        entry.shape[: array.ndim] = array.shape
        entry.strides[: array.ndim] = array.strides
    assert lib.ks_abi_version() == 1
    size = lib.ks_workspace_bytes(params)
    workspace = _aligned((size + RED_ZONE,), np.dtype(np.uint8))
    workspace[...] = 0xA5
    place = ctypes.c_void_p(workspace.ctypes.data)
    assert lib.ks_run(table, len(specs), params, place, ctypes.c_size_t(size), None) == 0
    assert (workspace[size:] == 0xA5).all(), "wrote past its workspace"
    for spec in specs:
        if spec.role == "input":
            after, before = bits(arrays[spec.name], spec.dtype), bits(inputs[spec.name], spec.dtype)
            np.testing.assert_array_equal(after, before)
    return {spec.name: arrays[spec.name] for spec in specs if spec.role == "output"}


def _aligned(shape: tuple[int, ...], dtype: np.dtype) -> Array:
    size = int(np.prod(shape)) * dtype.itemsize
    memory = np.zeros(size + ALIGNMENT, dtype=np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + size].view(dtype).reshape(shape)
