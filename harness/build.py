"""Builds one C++ file with the machine's compiler, through ninja, into a content-addressed folder.

The same source, headers, flags, compiler and processor give the same folder, so nothing is built twice. A
source that is not ours is compiled in a sandbox (`Sandbox`).
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import ninja

from harness.children import Children
from harness.errors import JudgeError
from harness.includes import (
    denied_files,
    foreign_files,
    listing_flags,
    written_includes,
)
from harness.machine import cpu_name
from harness.sandbox import Sandbox, what_holds

NATIVE = Path(__file__).parent / "native"
MAX_LOG_BYTES = 64 << 10
TIMED_OUT = 124
"""The return code of a build that was ended: what `timeout` of coreutils gives."""

COMMON_FLAGS = ("-std=c++17", "-O3", "-march=native", "-Wall")
"""One set for both sides. No -ffast-math: a candidate that wants it says so in a pragma, and is then
checked like any other. No OpenMP: a call runs on the one core its side is pinned to."""
LIBRARY_FLAGS = ("-fPIC", "-shared")
PROGRAM_LIBRARIES = ("-ldl", *(("-Wl,-z,relro,-z,now",) if sys.platform.startswith("linux") else ()))
"""The loader, and the program's table of functions made read-only before anything of a candidate runs."""

_NINJA = """rule cxx
  command = {command}
build {output}: cxx {source}
  pool = console
"""
# The console pool keeps the compiler in ninja's process group, so that both can be ended together.
_LIMITED = 'ulimit -v 8388608 2>/dev/null; ulimit -f 4194304 2>/dev/null; exec "$0" "$@"'
"""A compiler may take 8 GB and write files of 2 GB (4 with some shells): else a source could ask for all."""
_ERROR_LINE = re.compile(r"(?:fatal )?error:|undefined reference|cannot find", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Build:
    """What came of a build. `output` is None where it failed; `foreign` lists headers it may not include,
    `sandbox` what held the compiler (`record.BuildReport`). `shown` is the name its author knows the source
    by, "" for that of the build's own copy."""

    output: Path | None
    key: str
    command: tuple[str, ...]
    compiler: str
    returncode: int
    seconds: float
    cached: bool
    log: str
    timed_out: bool = False
    foreign: tuple[str, ...] = ()
    sandbox: tuple[str, ...] = ()
    shown: str = ""

    @property
    def sha256(self) -> str | None:
        """The hash of what was built."""
        return hashlib.sha256(self.output.read_bytes()).hexdigest() if self.output else None

    def errors(self, limit: int = 5) -> tuple[str, ...]:
        """The compiler's first error lines, without folders."""
        lines = [line.strip() for line in self.log.splitlines() if _ERROR_LINE.search(line)]
        bare = (re.sub(r"^\S*/(?=[^/\s]+:\d+)", "", line) for line in lines[:limit])
        return tuple(self.named(line, "library.cpp")[:300] for line in bare)

    def named(self, text: str, ours: str) -> str:
        """The text with the author's name of the source in place of `ours`, that of the build's copy."""
        if not self.shown:
            return text
        return re.sub(rf"(?<![\w./-]){re.escape(ours)}(?![\w./-])", lambda _: self.shown, text)

    @property
    def why(self) -> str:
        """Why there is no output, in a few words without a full stop."""
        if self.timed_out:
            return "it did not end in time"
        if self.errors(2):
            return "; ".join(self.errors(2)).removesuffix(".")
        if self.returncode == 0:
            return "it ended well and made nothing"
        return f"it ended with exit code {self.returncode}"


@cache
def find_compiler() -> tuple[str, str]:
    """The C++ compiler's path and its first line of `--version`. Raises `JudgeError` where there is none."""
    wanted = os.environ.get("CXX")
    for name in (wanted,) if wanted else ("g++", "clang++", "c++"):
        path = shutil.which(name)
        if path is None:
            continue
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, timeout=20)
        if answer.returncode == 0 and answer.stdout:
            return path, answer.stdout.splitlines()[0]
    if wanted:
        raise JudgeError(f"CXX names the compiler {wanted!r}, which does not run; correct or unset it.")
    raise JudgeError("No C++ compiler was found; install g++ (for example `apt install g++`) or set CXX.")


def build(
    source: bytes,
    *,
    name: str,
    cache_dir: Path,
    children: Children,
    params_header: str | None = None,
    timeout: float = 120.0,
    sandbox: Sandbox | None = None,
    any_file: bool = False,
) -> Build:
    """Build `source` (a library to the candidate ABI, or with no `params_header` a program) in `sandbox`.

    With `any_file`, which only a test asks for, it may include whatever can be read. A source that does not
    compile is a result; only a machine that cannot build raises `JudgeError`.
    """
    compiler, version = find_compiler()
    flags = COMMON_FLAGS + (LIBRARY_FLAGS if params_header is not None else ())
    libraries = () if params_header is not None else PROGRAM_LIBRARIES
    ours = [NATIVE / "ks.h"] if params_header is not None else sorted(NATIVE.glob("*.h"))
    headers = [*(one.read_bytes() for one in ours), (params_header or "").encode()]
    digest = hashlib.sha256()
    for part in (
        source,
        *headers,
        *(x.encode() for x in (*flags, *libraries, compiler, version, cpu_name(), name, *"?" * any_file)),
    ):
        digest.update(len(part).to_bytes(8, "little") + part)
    key = digest.hexdigest()
    output_name = f"{name}.so" if params_header is not None else name
    source_name = f"{name}.cpp"
    folder = cache_dir / "builds" / key
    command = (
        *(compiler, *flags, *listing_flags(version), "-I.", f"-I{NATIVE}"),
        *(source_name, "-o", output_name, *libraries),
    )
    found = _cached(folder, output_name, key)
    if found is not None:
        return found
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".work-"))
    try:
        (work / source_name).write_bytes(source)
        if params_header is not None:
            (work / "ks_params.h").write_text(params_header)
        text = _NINJA.format(command=_escape(command), output=output_name, source=source_name)
        (work / "build.ninja").write_text(text)
        started = time.monotonic()
        returncode, log, timed_out = _ninja(work, children, timeout, sandbox, compiler)
        seconds = time.monotonic() - started
        output = work / output_name
        good = returncode == 0 and output.is_file()
        allowed = {source_name, "ks_params.h", "./ks_params.h", str(NATIVE / "ks.h")}
        holds = sandbox.holds if sandbox is not None else ()
        foreign: tuple[str, ...] = ()
        if params_header is not None and not any_file:
            foreign = written_includes(source) if good else denied_files(log, work)
            foreign = foreign or (foreign_files(work, compiler, allowed) if good else ())
        if good and not foreign:
            report = {
                "command": command,
                "compiler": version,
                "seconds": seconds,
                "log": log,
                "sha256": hashlib.sha256(output.read_bytes()).hexdigest(),
                "sandbox": holds,
            }
            (work / "report.json").write_text(json.dumps(report))
            try:
                work.rename(folder)
            except OSError:  # another judge built the same thing in the meantime
                found = _cached(folder, output_name, key)
                if found is None:
                    raise
                return found
            return Build(folder / output_name, key, command, version, 0, seconds, False, log, sandbox=holds)
        return Build(
            *(None, key, command, version, returncode, seconds, False, log),
            timed_out=timed_out,
            foreign=foreign,
            sandbox=holds,
        )
    except OSError as error:
        raise JudgeError(f"Building in {folder.parent} failed: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def build_sandbox(*, cache_dir: Path, children: Children, timeout: float = 120.0) -> Sandbox | None:
    """The sandbox for `build`, built once; None where this machine has nothing to hold a compiler with."""
    made = build(
        (NATIVE / "confine.cpp").read_bytes(),
        name="confine",
        cache_dir=cache_dir,
        children=children,
        timeout=timeout,
    )
    if made.output is None:
        raise JudgeError(f"The compiler's sandbox does not build with {made.compiler}: {made.why}.")
    holds = what_holds(made.output, find_compiler()[0])
    return Sandbox(made.output, holds) if holds else None


def _cached(folder: Path, output_name: str, key: str) -> Build | None:
    try:
        report = json.loads((folder / "report.json").read_text())
    except (OSError, ValueError):
        return None
    output = folder / output_name
    try:
        whole = hashlib.sha256(output.read_bytes()).hexdigest() == report["sha256"]
    except (OSError, KeyError, TypeError):
        whole = False
    if not whole:  # changed, damaged, or of an older judge: made again
        shutil.rmtree(folder, ignore_errors=True)
        return None
    return Build(
        output,
        key,
        tuple(report["command"]),
        report["compiler"],
        0,
        report["seconds"],
        True,
        report["log"],
        sandbox=tuple(report.get("sandbox", ())),
    )


def _escape(command: Sequence[str]) -> str:
    quoted = (
        word if re.fullmatch(r"[\w@%+=:,./-]+", word) else "'" + word.replace("'", "'\\''") + "'"
        for word in command
    )
    return " ".join(quoted).replace("$", "$$")


def _ninja(
    work: Path, children: Children, timeout: float, sandbox: Sandbox | None, compiler: str
) -> tuple[int, str, bool]:
    """Run ninja in `work`, in the sandbox if there is one; the return code, the end of its output, and
    whether the time ran out."""
    program = Path(ninja.BIN_DIR) / "ninja"
    log = work / "log.txt"
    env = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TMPDIR": str(work), "HOME": str(work)}
    held = sandbox.words(work, (program, NATIVE / "ks.h"), compiler) if sandbox is not None else ()
    with log.open("wb") as file:
        process = children.spawn(
            ["/bin/sh", "-c", _LIMITED, *held, str(program), "--quiet"],
            cwd=work,
            env=env,
            stdout=file,
            stderr=file,
        )
        code = children.finish(process, timeout)
    with log.open("rb") as file:
        text = file.read(MAX_LOG_BYTES).decode(errors="replace")
    return TIMED_OUT if code is None else code, text.replace(str(work) + os.sep, ""), code is None
