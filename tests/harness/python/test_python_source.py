"""What the text of a Python candidate says, and which operators and symbols are another library's."""

import pytest

from harness.python.forbidden import forbidden_among
from harness.python.policy import operator_of
from harness.python.source import read_source

PLAIN = b"import math\nimport torch\nfrom torch import nn\n\ndef ks_run(tensors, params):\n    return 0\n"


def test_a_plain_kernel_has_no_flags() -> None:
    reading = read_source(PLAIN)
    assert reading.flags == ()
    assert reading.modules == {"math", "torch"}
    assert not reading.is_triton


@pytest.mark.parametrize(
    "line", [b"import triton\n", b"import triton.language as tl\n", b"from triton import jit\n"]
)
def test_what_imports_triton_is_triton(line: bytes) -> None:
    assert read_source(line + PLAIN).is_triton


def test_odd_imports_and_names_are_flags_with_their_lines() -> None:
    found = read_source(
        b"import ctypes\nimport os\nx = eval('1')\nf.__code__ = None\ntorch.ops.load_library('x')\n"
    )
    assert [flag.code for flag in found.flags] == ["python_import", "python_name"]
    assert "ctypes (line 1), os (line 2)" in found.flags[0].evidence
    assert "eval (line 3)" in found.flags[1].evidence
    assert "torch.ops (line 5)" in found.flags[1].evidence


@pytest.mark.parametrize("source", [b"def ks_run(:\n", b"\xff\xfe", b"x = " + b"(" * 5000])
def test_what_is_no_python_has_no_flags(source: bytes) -> None:
    assert read_source(source).flags == ()


@pytest.mark.parametrize(
    "name",
    [
        *("mm", "bmm", "addmm_", "mv", "dot", "matmul", "linear", "linalg_solve", "convolution"),
        *("_scaled_dot_product_flash_attention_for_cpu", "native_layer_norm", "_fused_rms_norm"),
    ],
)
def test_operators_that_do_the_work_are_forbidden(name: str) -> None:
    assert forbidden_among([name]) == [name]


@pytest.mark.parametrize("name", ["mul", "sum", "softmax", "mvlgamma", "exp", "max", "copy_", "linspace"])
def test_operators_that_a_kernel_is_made_of_are_not(name: str) -> None:
    assert forbidden_among([name]) == []


def test_an_operator_is_read_from_a_mangled_name() -> None:
    assert operator_of("_ZN2at4_ops6matmul4callERKNS_6TensorES4_") == "matmul"
    assert operator_of("_ZN2at6native6matmulERKNS_6TensorES3_") == "matmul"
    assert operator_of("_ZN2at4_ops5copy_4callERNS_6TensorERKS2_b") == "copy_"
    assert operator_of("_ZNSt6vectorIiE3endEv") == ""
