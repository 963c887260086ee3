"""What a Python interpreter has, found out without importing any of it."""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.children import Children
from harness.errors import JudgeError

_PROBE = """
import importlib.metadata, importlib.util, json, sys
folders = [sys.prefix, sys.base_prefix, *sys.path]
there = [name for name in sys.argv[1:] if importlib.util.find_spec(name) is not None]
def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
versions = [sys.version, *map(version, there)]
print(json.dumps({"there": there, "folders": folders, "versions": versions}))
"""
PROBE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Probe:
    """`there`: the modules asked for that it has; `folders` it reads; `versions`, its own and theirs."""

    there: tuple[str, ...]
    folders: tuple[str, ...]
    versions: tuple[str, ...]


def probe(python: str, modules: Sequence[str], children: Children) -> Probe:
    """Ask an interpreter. Raises `JudgeError` where it is none."""
    with tempfile.TemporaryFile() as out:
        try:
            process = children.spawn(
                [python, "-I", "-c", _PROBE, *modules], cwd=Path(tempfile.gettempdir()), env={}, stdout=out
            )
        except OSError as error:
            raise JudgeError(f"The Python {python} cannot be started: {error.strerror}.") from error
        try:
            process.wait(PROBE_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise JudgeError(f"The Python {python} did not answer in {PROBE_SECONDS:g} s.") from error
        finally:
            children.kill(process)
        out.seek(0)
        try:
            said = {name: tuple(map(str, value)) for name, value in json.loads(out.read()).items()}
            return Probe(said["there"], said["folders"], said["versions"])
        except (ValueError, KeyError, AttributeError) as error:
            words = f"{python} is no Python that can be used; name another with --python."
            raise JudgeError(words) from error
