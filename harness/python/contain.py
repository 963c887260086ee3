"""Builds the library by which a Python process gives up what a candidate may not do (`contain.cpp`)."""

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from harness.build import NATIVE, find_compiler
from harness.children import Children
from harness.errors import JudgeError

SOURCE = Path(__file__).with_name("contain.cpp")
FLAGS = ("-std=c++17", "-O2", "-fPIC", "-shared", "-Wall")


def build_containment(cache: Path, children: Children, seconds: float) -> Path:
    """The library, from the cache where it was built before. Raises `JudgeError`."""
    compiler, version = find_compiler()
    digest = hashlib.sha256(f"{compiler} {version} {' '.join(FLAGS)}".encode())
    for path in (SOURCE, *sorted(NATIVE.glob("*.h"))):
        digest.update(path.read_bytes())
    folder = cache / "builds" / digest.hexdigest()
    library = folder / "contain.so"
    if library.is_file():
        return library
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".work-") as work:
            made = Path(work, "contain.so")
            command = [compiler, *FLAGS, f"-I{NATIVE}", str(SOURCE), "-o", str(made)]
            env = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TMPDIR": work}
            with Path(work, "log").open("wb") as log:
                process = children.spawn(command, cwd=Path(work), env=env, stderr=log)
                try:
                    process.wait(seconds)
                except subprocess.TimeoutExpired:
                    pass  # said below: there is no library
                finally:
                    children.kill(process)
            if not made.is_file():
                words = Path(work, "log").read_text(errors="replace").strip()[-300:]
                raise JudgeError(f"The judge's containment does not build with {version}: {words}")
            made.replace(library)
    except OSError as error:
        raise JudgeError(f"Building in {folder} failed: {error.strerror}.") from error
    return library
