import ctypes
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import JudgeError
from harness.operator import Field
from harness.params import pack_params, params_header, rounded_params

CTYPES = {
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}


@given(st.lists(st.sampled_from(sorted(CTYPES)), min_size=1, max_size=8))
def test_the_layout_is_the_c_compilers(types: list[str]) -> None:
    fields = [Field(f"f{i}", ctype, "") for i, ctype in enumerate(types)]  # type: ignore[arg-type]
    values = {field.name: i + 1 for i, field in enumerate(fields)}
    mirror = type("Mirror", (ctypes.Structure,), {"_fields_": [(f.name, CTYPES[f.ctype]) for f in fields]})
    packed = pack_params(fields, values)
    assert len(packed) == ctypes.sizeof(mirror)
    read = mirror.from_buffer_copy(packed)
    assert {name: getattr(read, name) for name in values} == values
    assert f"sizeof(ks_params) == {len(packed)}" in params_header(fields)


def test_the_header_keeps_docs_on_their_line() -> None:
    text = params_header([Field("rows", "int32_t", "rows of x\n#error no")])
    assert "  int32_t rows;  // rows of x #error no\n" in text


def test_no_parameters_are_a_struct_all_the_same() -> None:
    assert "struct ks_params {\n};" in params_header([])
    assert pack_params([], {}) == b"\0"


def test_a_scenario_that_does_not_fill_the_struct() -> None:
    fields = [Field("rows", "int32_t", ""), Field("scale", "float", "")]
    with pytest.raises(JudgeError, match=r"no value for scale"):
        pack_params(fields, {"rows": 1})
    with pytest.raises(JudgeError, match=r"do not fit"):
        pack_params(fields, {"rows": 1 << 40, "scale": 1.0})
    with pytest.raises(JudgeError, match=r"do not fit"):
        pack_params(fields, {"rows": 1.5, "scale": 1.0})


def test_the_reference_sees_the_floats_the_candidate_sees() -> None:
    fields = [Field("rows", "int32_t", ""), Field("scale", "float", ""), Field("exact", "double", "")]
    seen = rounded_params(fields, {"rows": 3, "scale": 0.1, "exact": 0.1})
    assert seen == {"rows": 3, "scale": struct.unpack("f", struct.pack("f", 0.1))[0], "exact": 0.1}
