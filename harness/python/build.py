"""Builds a Python candidate: imports it once in a process of its own, with compiling allowed."""

import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import ninja

from harness.build import MAX_LOG_BYTES, TIMED_OUT, Build, find_compiler
from harness.children import Children
from harness.errors import JudgeError, RefusedRequest
from harness.includes import program_folders
from harness.machine import cpu_name
from harness.python.interpreter import probe
from harness.python.source import Reading, read_source
from harness.sandbox import Sandbox

SCRIPT = Path(__file__).with_name("build_worker.py")
NOT_THIS_PYTHON = 3
EXTENSIONS = "extensions"
NAME = "kernel.py"
EXTENSION_FACTOR = 3.0
"""An extension may take so much longer than a C++ candidate: reading torch's headers is half a minute."""
DONE = '{"done": true}'
"""What an import says last. A process that ended without it was ended by the candidate."""
NOISE = re.compile(r"[A-Z]+:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \d+:\d+ [\w.]+:\d+\]")
"""How a line of the log begins that torch's profiler keeps on stderr: nobody's last words."""
HEAD_BYTES = 4096
"""Of what an import says first, the versions among it, kept beside the end of a long log."""


@dataclass(frozen=True, slots=True)
class PythonBuild(Build):
    """A Python file that can be imported, and the extensions it had compiled. `output` is the file."""

    extensions: tuple[Path, ...] = ()
    reading: Reading = field(default_factory=lambda: Reading(frozenset(), ()))
    trusted: bool = False

    @property
    def sha256(self) -> str | None:
        """The hash of the file and of every extension."""
        if self.output is None:
            return None
        digest = hashlib.sha256(self.output.read_bytes())
        for path in self.extensions:
            digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()

    @property
    def why(self) -> str:
        """Why it cannot be run, in a few words without a full stop."""
        if self.timed_out:
            return "it did not end in time"
        return next(iter(self.errors(1)), f"it ended with exit code {self.returncode}").removesuffix(".")

    def errors(self, limit: int = 5) -> tuple[str, ...]:
        """The last words of the import, the compiler's among them."""
        lines = [line.strip() for line in self.log.splitlines()]
        said = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
        compiler = [line[-300:] for line in lines if " error: " in line]
        return tuple(self.named(line, NAME) for line in [*said[-1:], *compiler][:limit])


def build_python(
    source: bytes,
    *,
    python: str,
    cache: Path,
    children: Children,
    seconds: float,
    sandbox: Sandbox | None = None,
) -> PythonBuild:
    """Import a candidate once. One that cannot be imported is a result; raises `JudgeError` where the
    interpreter lacks torch, or triton for a source that imports it."""
    reading = read_source(source)
    holds = sandbox.holds if sandbox is not None else ()
    modules = ("triton",) if reading.is_triton else ()
    probed = probe(python, ("torch", *modules), children)
    versions = json.dumps([python, probed.versions])
    compiler = find_compiler()
    parts = (source, SCRIPT.read_bytes(), versions.encode(), " ".join(compiler).encode(), cpu_name().encode())
    key = _key(parts)
    folder = cache / "builds" / key
    command = (python, "-I", "-P", "-B", SCRIPT.name, NAME, EXTENSIONS, *modules)
    found = _cached(folder, key, command, reading)
    if found is not None:
        return found
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".work-"))
        try:
            (work / NAME).write_bytes(source)
            (work / EXTENSIONS).mkdir()
            started = time.monotonic()
            held = _held(work, python, compiler[0], probed.folders, sandbox)
            code, log, timed_out = _import(work, python, modules, compiler[0], held, children, seconds)
            spent = time.monotonic() - started
            said = _said(log)
            # Once the versions are said nothing can lack any more: the code is the candidate's own.
            if code == NOT_THIS_PYTHON and not said:
                raise JudgeError(
                    f"The Python candidate cannot be run with {python} ({_last(log)}); install torch"
                    f"{' and triton' if modules else ''} there or name another Python with --python."
                )
            if not code and not timed_out and DONE not in log.splitlines():
                code = 1
                log += "\nerror: it ended the process while it was imported\n"
            words = f"Python {said.pop('python', '?')}" + "".join(f", {k} {v}" for k, v in said.items())
            if code or timed_out or not _is(work / NAME, source):
                return PythonBuild(
                    *(None, key, command, words, code or 1, spent, False, log, timed_out),
                    sandbox=holds,
                    reading=reading,
                )
            for name in [one for one in work.iterdir() if one.name not in (NAME, EXTENSIONS)]:
                shutil.rmtree(name) if name.is_dir() and not name.is_symlink() else name.unlink()
            made = _extensions(work)
            report = {
                "compiler": words,
                "seconds": spent,
                "log": log,
                "sandbox": holds,
                "files": {
                    str(path.relative_to(work)): hashlib.sha256(path.read_bytes()).hexdigest()
                    for path in (work / NAME, *made)
                },
            }
            (work / "report.json").write_text(json.dumps(report))
            shutil.rmtree(folder, ignore_errors=True)
            work.rename(folder)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise JudgeError(f"Building in {folder.parent} failed: {error.strerror or error}.") from error
    return PythonBuild(
        *(folder / NAME, key, command, words, 0, spent, False, log),
        sandbox=holds,
        extensions=_extensions(folder),
        reading=reading,
    )


def place_script(
    source: bytes, *, name: str, requires: Sequence[str], python: str, cache: Path, children: Children
) -> PythonBuild:
    """Lay a baseline of ours where the worker finds it. Raises `RefusedRequest` where the interpreter lacks
    what it needs."""
    there = probe(python, requires, children).there
    missing = [name for name in requires if name not in there]
    if missing:
        raise RefusedRequest(
            f"The baseline {name} needs {', '.join(missing)}, which {python} does not have; "
            "name a Python that has with --python."
        )
    key = _key((source, b"baseline"))
    folder = cache / "builds" / key
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not _is(folder / NAME, source):
            descriptor, part = tempfile.mkstemp(dir=folder, suffix=".part")
            with os.fdopen(descriptor, "wb") as file:
                file.write(source)
            Path(part).replace(folder / NAME)
    except OSError as error:
        raise JudgeError(f"Building in {folder} failed: {error.strerror}.") from error
    return PythonBuild(folder / NAME, key, (python,), python, 0, 0.0, False, "", trusted=True)


def is_interpreted(made: Build) -> bool:
    """Whether calls of a candidate say nothing about its speed."""
    return isinstance(made, PythonBuild) and made.reading.is_triton


def _key(parts: Sequence[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


def _held(
    work: Path, python: str, compiler: str, folders: Sequence[str], sandbox: Sandbox | None
) -> list[str]:
    """The sandbox's command, with what an import and a compiler have to read."""
    if sandbox is None:
        return []
    reads = [*map(Path, folders), *program_folders(compiler), SCRIPT, Path(ninja.BIN_DIR)]
    reads += [Path(python).absolute().parent, Path(python).resolve().parent]
    reads += [Path(one) for one in ("/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu")]
    return [str(sandbox.program), str(work), *dict.fromkeys(str(one) for one in reads if str(one)), "--"]


def _import(
    work: Path,
    python: str,
    modules: Sequence[str],
    compiler: str,
    held: Sequence[str],
    children: Children,
    seconds: float,
) -> tuple[int, str, bool]:
    """Run the import; its exit code, what it said, and whether its time ran out."""
    path = os.pathsep.join((ninja.BIN_DIR, os.environ.get("PATH", os.defpath)))
    env = {"PATH": path, "LC_ALL": "C", "TMPDIR": str(work), "HOME": str(work), "CXX": compiler}
    env |= {"MAX_JOBS": "2", "OMP_NUM_THREADS": "1"}
    if "triton" in modules:
        env["TRITON_INTERPRET"] = "1"
    log = work / "log.txt"
    with log.open("wb") as file:
        process = children.spawn(
            [
                *held,
                python,
                "-I",
                "-P",
                "-B",
                str(SCRIPT),
                str(work / NAME),
                str(work / EXTENSIONS),
                *modules,
            ],
            cwd=work,
            env=env,
            stdout=file,
            stderr=file,
        )
        code = children.finish(process, seconds)
    with log.open("rb") as file:
        head = file.read(HEAD_BYTES)
        file.seek(max(len(head), log.stat().st_size - MAX_LOG_BYTES))
        text = (head + file.read()).decode(errors="replace")
    return TIMED_OUT if code is None else code, text.replace(str(work) + os.sep, ""), code is None


def _cached(folder: Path, key: str, command: tuple[str, ...], reading: Reading) -> PythonBuild | None:
    try:
        report = json.loads((folder / "report.json").read_text())
        files = report["files"]
        made = _extensions(folder)
        names = {str(path.relative_to(folder)) for path in (folder / NAME, *made)}
        whole = names == set(files) and all(
            hashlib.sha256((folder / name).read_bytes()).hexdigest() == files[name] for name in files
        )
        if whole:
            return PythonBuild(
                *(folder / NAME, key, command, str(report["compiler"]), 0, float(report["seconds"]), True),
                str(report["log"]),
                sandbox=tuple(report["sandbox"]),
                extensions=made,
                reading=reading,
            )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass  # changed, damaged or not there: made again
    return None


def _extensions(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted((folder / EXTENSIONS).rglob("*.so")))


def _is(path: Path, content: bytes) -> bool:
    """Whether a file is there, is no link, and holds this."""
    try:
        return not path.is_symlink() and path.read_bytes() == content
    except OSError:
        return False


def _said(log: str) -> dict[str, str]:
    """The versions the import began by saying."""
    for line in log.splitlines():
        if line.startswith('{"python"'):
            try:
                return {str(k): str(v) for k, v in json.loads(line).items()}
            except (ValueError, AttributeError):
                return {}
    return {}


def _last(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip() and not NOISE.match(line.strip())]
    return "".join(ch if ch.isprintable() else "?" for ch in lines[-1])[:200] if lines else "it said nothing"
