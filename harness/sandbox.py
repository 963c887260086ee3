"""What compilers run under (`native/confine.cpp`), so that a source can do no more than be compiled."""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness.includes import is_systems, program_folders


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The built program, and what it can hold on this machine (`landlock`, `no-network`)."""

    program: Path
    holds: tuple[str, ...]

    def words(self, work: Path, reads: Sequence[Path], compiler: str) -> tuple[str, ...]:
        """What comes before a command that writes in `work` and reads `reads`, the system's folders and the
        compiler's own."""
        return (str(self.program), str(work), *map(str, (*reads, *program_folders(compiler))), "--")


@cache
def what_holds(program: Path, compiler: str) -> tuple[str, ...]:
    """What the kernel lets it hold; nothing where the compiler needs more than it leaves it."""
    answer = subprocess.run([program], capture_output=True, text=True, check=False, timeout=20)
    if answer.returncode != 0 or not (is_systems(compiler) or _compiles(program, compiler)):
        return ()
    return tuple(answer.stdout.split())


def _compiles(program: Path, compiler: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "probe.cpp").write_text("#include <vector>\nstd::vector<int> probe;\n")
        held = Sandbox(program, ()).words(work, (), compiler)
        command = [*held, compiler, "-shared", "-fPIC", "probe.cpp", "-o", "probe.so"]
        env = {"PATH": os.environ.get("PATH", os.defpath), "TMPDIR": folder}
        done = subprocess.run(command, cwd=work, env=env, capture_output=True, check=False, timeout=60)
        return done.returncode == 0
