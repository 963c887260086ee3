"""What the text of a Python candidate says about it. It refuses nothing: a source can say what it likes."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from harness.record.parts import Flag

EXPECTED = frozenset(
    {
        *("__future__", "collections", "dataclasses", "enum", "functools", "itertools", "math", "operator"),
        *("textwrap", "torch", "triton", "typing"),
    }
)
"""Modules a kernel has a use for; others are a flag."""

NAMES = frozenset(
    {
        *("eval", "exec", "compile", "__import__", "open", "globals", "vars", "setattr", "delattr"),
        *(
            "__code__",
            "__globals__",
            "_getframe",
            "__subclasses__",
            "__torch_function__",
            "__torch_dispatch__",
        ),
    }
)
OF_TORCH = (
    "torch.ops",
    "torch.classes",
    "torch.compile",
    "torch.jit",
    "torch.library",
    "torch.multiprocessing",
)
MAX_PLACES = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """`modules` are the top-level names it imports, `flags` what a reader should look at."""

    modules: frozenset[str]
    flags: tuple[Flag, ...]

    @property
    def is_triton(self) -> bool:
        """Whether it imports triton; on a CPU its kernels are interpreted."""
        return "triton" in self.modules


def read_source(source: bytes) -> Reading:
    """Read a candidate's text; one that is no Python has no flags (its import says why)."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Reading(frozenset(), ())
    modules: dict[str, list[int]] = {}
    names: dict[str, list[int]] = {}
    for node in ast.walk(tree):
        for module in _imported(node):
            modules.setdefault(module, []).append(node.lineno)  # type: ignore[attr-defined]
        for name in _named(node):
            names.setdefault(name, []).append(node.lineno)  # type: ignore[attr-defined]
    odd = {name: lines for name, lines in modules.items() if name not in EXPECTED}
    flags = [
        *_flags("python_import", "imports", odd, "which a kernel seldom needs"),
        *_flags("python_name", "uses", names, "by which Python code reaches around its arguments"),
    ]
    return Reading(frozenset(modules), tuple(flags))


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module.partition(".")[0]


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and node.id in NAMES:
        yield node.id
    elif isinstance(node, ast.Attribute):
        whole = _dotted(node)
        if node.attr in NAMES or whole in OF_TORCH:
            yield whole or node.attr


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        left = _dotted(node.value)
        return f"{left}.{node.attr}" if left else ""
    return ""


def _flags(code: str, verb: str, found: dict[str, list[int]], why: str) -> Iterator[Flag]:
    if found:
        parts = [f"{name} (line {lines[0]})" for name, lines in sorted(found.items())]
        more = f" and {len(parts) - MAX_PLACES} more" if len(parts) > MAX_PLACES else ""
        yield Flag(code=code, evidence=f"The source {verb} {', '.join(parts[:MAX_PLACES])}{more}, {why}.")
