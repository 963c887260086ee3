"""What a Python candidate's compiled extensions may be made of: libtorch, and none of its kernels."""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from harness.checks import Check
from harness.policy.binary import Binary, Finding, examine
from harness.policy.libraries import ALLOWED, FORBIDDEN, forbids, forbids_symbol
from harness.python.build import PythonBuild
from harness.python.forbidden import forbidden_among
from harness.record.parts import Flag

OF_TORCH = ("libtorch.so", "libtorch_cpu.so", "libtorch_python.so", "libc10.so", "libpython3*.so*")
"""What `load_inline` links an extension with, beside the C and C++ libraries."""

GROUPS = ("loader", "system calls", "memory", "processes", "network")
"""Names that an extension may ask for no more than another binary (`policy.libraries`)."""

KERNELS = (
    *(
        "cblas_*",
        "[sdcz]gemm_",
        "[sdcz]gemv_",
        "sbgemm_",
        "mkl_*",
        "MKL_*",
        "vml[SD]*",
        "dnnl_*",
        "_ZN4dnnl*",
    ),
    *("libxsmm_*", "openblas_*", "bli_*", "xnn_*", "cublas*", "cudnn*"),
)
_OPERATOR = re.compile(r"^_ZN2at(?:4_ops|6native)(\d+)")


def examine_python(made: PythonBuild, forbidden: Sequence[str] = ()) -> Binary:
    """What is known of all extensions together, with flags on the text. `forbidden`: see `examine`."""
    needed: set[str] = set()
    undefined: set[str] = set()
    findings: list[Finding] = []
    flags: list[Flag] = []
    for path in made.extensions:
        binary = examine(path)
        needed |= set(binary.needed)
        undefined |= set(binary.undefined)
        flags += binary.flags
        found = [one for one in binary.findings if one.check is Check.CONSTRUCTORS]
        found += [*_needed(binary.needed, forbidden), *_asked_for(binary.undefined, forbidden)]
        findings += [Finding(one.check, f"{path.name}: {one.evidence}") for one in found]
    return Binary(
        bool(made.extensions),
        tuple(sorted(needed)),
        tuple(sorted(undefined)),
        tuple(findings),
        (*made.reading.flags, *flags),
    )


def _needed(needed: Sequence[str], forbidden: Sequence[str]) -> Iterator[Finding]:
    allowed = (*ALLOWED, *OF_TORCH)
    odd = [name for name in needed if not any(fnmatchcase(name, glob) for glob in allowed)]
    odd += [name for name in needed if any(forbids(glob, name) for glob in forbidden)]
    if odd:
        words = (
            f"The extension needs {', '.join(odd[:5])}; it may need torch and the C++ and C libraries only."
        )
        yield Finding(Check.LIBRARIES, words)


def _asked_for(undefined: Sequence[str], forbidden: Sequence[str]) -> Iterator[Finding]:
    for group in FORBIDDEN:
        found = [one for one in undefined if any(fnmatchcase(one, glob) for glob in group.names)]
        if found and group.name in GROUPS:
            words = f"The extension asks for {', '.join(found[:5])} (group '{group.name}': what {group.why})."
            yield Finding(group.check, words)
    kernels = [one for one in undefined if any(fnmatchcase(one, glob) for glob in KERNELS)]
    kernels += [one for one in undefined if any(forbids_symbol(glob, one) for glob in forbidden)]
    kernels += forbidden_among([name for one in undefined if (name := operator_of(one))])
    if kernels:
        words = f"The extension asks for {', '.join(kernels[:5])}: another library's kernel, in disguise."
        yield Finding(Check.LIBRARIES, words)


def operator_of(symbol: str) -> str:
    """The operator of torch that a mangled name calls, e.g. `matmul`; "" for another name."""
    found = _OPERATOR.match(symbol)
    return symbol[found.end() : found.end() + int(found[1])] if found else ""
