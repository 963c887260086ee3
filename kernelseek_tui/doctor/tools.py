"""What the judge builds and computes with: compiler, ninja, torch in the reference interpreter."""

import json
import tempfile
from pathlib import Path

from kernelseek_tui.doctor.finding import Finding, State, Surroundings

_PROGRAM = """#include <vector>
extern "C" int ks_doctor(int n) {
  return static_cast<int>(std::vector<int>(static_cast<unsigned>(n)).size()); }
"""
_TORCH = (
    "import importlib.metadata as m, importlib.util as u, json\n"
    "print(json.dumps([m.version('torch'), u.find_spec('torch') is not None]))"
)


def compiler(around: Surroundings) -> Finding:
    """The compiler that builds candidates: `CXX`, else the first of the usual names. It has to compile."""
    wanted = around.environment.get("CXX")
    names = (wanted,) if wanted else ("g++", "clang++", "c++")
    path = next((found for name in names if (found := around.which(name))), None)
    if path is None:
        found = f"CXX names {wanted!r}, which is not there" if wanted else "no g++, clang++ or c++ on PATH"
        advice = (
            "correct or unset CXX" if wanted else "install g++ (for example `apt install g++`) or set CXX"
        )
        return Finding("C++ compiler", State.MISSING, found, advice, needed=True)
    from harness.build import COMMON_FLAGS, LIBRARY_FLAGS

    version = around.ask([path, "--version"])
    with tempfile.TemporaryDirectory(prefix="kernelseek-doctor-") as folder:
        (Path(folder) / "three.cpp").write_text(_PROGRAM)
        flags = (*COMMON_FLAGS, *LIBRARY_FLAGS)
        made = around.ask([path, *flags, "three.cpp", "-o", "three.so"], Path(folder))
        good = made.code == 0 and (Path(folder) / "three.so").is_file()
    if not good:
        found = f"{path} does not compile three lines: {made.line or 'no output'}"
        advice = "install the compiler's C++ library, or name another with CXX"
        return Finding("C++ compiler", State.MISSING, found, advice, needed=True)
    return Finding("C++ compiler", State.OK, f"{version.line or path}, compiles", needed=True)


def ninja(around: Surroundings) -> Finding:
    """The ninja that comes with our dependencies; one on PATH is not used."""
    try:
        import ninja as package
    except ImportError:
        advice = "install KernelSeek again: ninja is one of its dependencies"
        return Finding("ninja", State.MISSING, "the Python package is not installed", advice, needed=True)
    program = Path(package.BIN_DIR) / "ninja"
    answer = around.ask([str(program), "--version"])
    if not answer.good:
        found = f"{program} {answer.text or 'says nothing'}"
        return Finding("ninja", State.MISSING, found, "install the Python package ninja again", needed=True)
    return Finding("ninja", State.OK, answer.line, needed=True)


def torch(around: Surroundings) -> Finding:
    """torch in the reference interpreter, by its metadata: loading it takes seconds."""
    name = "torch (reference)"
    advice = f"install torch there (the CPU build is enough): {around.python} -m pip install torch"
    answer = around.ask([around.python, "-I", "-c", _TORCH])
    if answer.code is None:
        found = f"{around.python} {answer.text}"
        return Finding(name, State.MISSING, found, "name another interpreter with --python", needed=True)
    try:
        version, importable = json.loads(answer.line)
    except ValueError:
        return Finding(name, State.MISSING, f"{around.python} has no torch", advice, needed=True)
    if answer.code or not importable:
        return Finding(name, State.MISSING, f"torch {version} is damaged there", advice, needed=True)
    found = f"{version} in {around.python}, not loaded here"
    return Finding(name, State.OK, found, needed=True)
