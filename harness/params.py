"""The generated header `ks_params.h`, and the bytes that fill its struct."""

import struct
from collections.abc import Mapping, Sequence

from harness.errors import JudgeError
from harness.operator import Field

_CODE = {"int32_t": "i", "int64_t": "q", "float": "f", "double": "d"}


def _layout(fields: Sequence[Field]) -> struct.Struct:
    """C's layout: native alignment of each member, and padding to that of the widest at the end."""
    codes = [_CODE[field.ctype] for field in fields]
    tail = next((f"0{code}" for code in "qdif" if code in codes), "")
    return struct.Struct("@" + "".join(codes) + tail)


def params_header(fields: Sequence[Field]) -> str:
    """The text of `ks_params.h`; its static_assert holds `pack_params` and the compiler to one layout."""
    lines = [
        "// Generated from the operator's slots. Do not edit.",
        "#pragma once",
        "#include <stdint.h>",
        "",
    ]
    lines += ["struct ks_params {"]
    for field in fields:
        doc = " ".join(field.doc.split())
        lines += [f"  {field.ctype} {field.name};" + (f"  // {doc}" if doc else "")]
    lines += ["};"]
    if fields:
        size = _layout(fields).size
        lines += ["#ifdef __cplusplus"]
        lines += [f'static_assert(sizeof(ks_params) == {size}, "unexpected layout of ks_params");']
        lines += ["#endif"]
    return "\n".join(lines) + "\n"


def pack_params(fields: Sequence[Field], values: Mapping[str, int | float]) -> bytes:
    """The struct's bytes. Raises `JudgeError` where the operator's scenario does not fill it."""
    if not fields:
        return b"\0"
    missing = [field.name for field in fields if field.name not in values]
    if missing:
        raise JudgeError(f"The scenario gives no value for {', '.join(missing)} of ks_params.")
    try:
        return _layout(fields).pack(*(values[field.name] for field in fields))
    except (struct.error, OverflowError) as error:
        raise JudgeError(f"The scenario's values do not fit ks_params: {error}.") from error


def rounded_params(fields: Sequence[Field], values: Mapping[str, int | float]) -> dict[str, int | float]:
    """The values as the candidate sees them: a `float` rounded to one, so the reference uses the same."""
    single = struct.Struct("@f")
    floats = {field.name for field in fields if field.ctype == "float"}
    return {
        name: single.unpack(single.pack(value))[0] if name in floats else value
        for name, value in values.items()
    }
