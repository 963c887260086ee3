"""Whether a judge could work here at all, found out before a session spends minutes without one."""

import subprocess
import sys
from pathlib import Path

from harness.build import find_compiler
from harness.correctness.reference import modules_of
from harness.errors import JudgeError
from harness.home import cache_folder
from harness.operator import Operator

_PROBE = """
import importlib.util, sys
print(" ".join(name for name in sys.argv[1:] if importlib.util.find_spec(name) is None))
"""
PROBE_SECONDS = 30.0


def check_ready(operator: Operator, python: str | None = None, cache: Path | None = None) -> None:
    """Look for a compiler, a cache that can be written, and the reference's modules in its interpreter.

    Nothing is compiled or imported, so it takes a tenth of a second. Raises `JudgeError` with what to do.
    """
    find_compiler()
    folder = cache_folder(cache)
    try:
        (folder / ".ready").touch()
    except OSError as error:
        raise JudgeError(
            f"The cache {folder} cannot be written ({error.strerror}); set KERNELSEEK_CACHE to another."
        ) from error
    _check_python(python or sys.executable, modules_of(operator.reference))


def _check_python(python: str, modules: tuple[str, ...]) -> None:
    command = [python, "-I", "-c", _PROBE, *modules]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_SECONDS)
    except OSError as error:
        raise JudgeError(
            f"The reference's Python {python} cannot be started ({error.strerror}); "
            f"name one that has {', '.join(modules)} with --python."
        ) from error
    except subprocess.TimeoutExpired as error:
        raise JudgeError(f"The reference's Python {python} did not answer in {PROBE_SECONDS:g} s.") from error
    missing = done.stdout.split()
    if done.returncode or done.stdout == "":
        raise JudgeError(f"{python} is no Python that can run the reference; name another with --python.")
    if missing:
        raise JudgeError(
            f"The reference needs {', '.join(missing)}, which {python} does not have; "
            "name one that has it with --python, or run `make install`."
        )
