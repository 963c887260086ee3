"""`.kernelseek/benchmark.toml`: the command of a user's own benchmark and how its output is read.

It lies in the user's project, where an agent can edit it; what comes of it counts for no goal.
"""

import hashlib
import os
import re
import secrets
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.errors import JudgeError
from harness.workspace import StorageError
from sessions.recognisers.patterns import Pattern

FILE = Path(".kernelseek") / "benchmark.toml"
MAX_BYTES = 64 << 10
_ID = re.compile(r"^[a-z0-9][a-z0-9-]{0,79}$")


class OwnBenchmarkError(JudgeError):
    """The benchmark's file is refused, or there is none; the message says what to do."""

    exit_code = 3


class JsonMapping(BaseModel):
    """Where figures stand in a JSON document on stdout. Paths are keys joined by dots.

    `rows` leads to a list of objects, or to an object of objects by scenario ("": the document itself). In a
    row, `id` names the scenario, `ratio` a speed-up (above 1 is faster), `candidate` and `baseline` times in
    `unit`, `correct` a truth value. `score` leads to a mean of the whole; `over` says in words what ratios
    are over.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rows: str = ""
    id: str = ""
    ratio: str = ""
    candidate: str = ""
    baseline: str = ""
    unit: Literal["ns", "us", "ms", "s"] = "ms"
    correct: str = ""
    score: str = ""
    over: str = ""

    @model_validator(mode="after")
    def _reads_something(self) -> "JsonMapping":
        if not (self.ratio or self.candidate or self.score):
            raise ValueError("name at least one of ratio, candidate and score")
        return self


class Command(BaseModel):
    """The table `[benchmark]`. `command` is run by `sh -c` in the folder that holds `.kernelseek`.

    With neither `json` nor `pattern`, what KernelSeek recognises in transcripts is looked for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str = Field(min_length=1)
    seconds: Annotated[float, Field(gt=0, le=86400, allow_inf_nan=False)] = 1800.0
    json_: JsonMapping | None = Field(default=None, alias="json")
    pattern: Pattern | None = None

    @model_validator(mode="after")
    def _one_mapping(self) -> "Command":
        if self.json_ is not None and self.pattern is not None:
            raise ValueError("give `json` or `pattern`, not both")
        return self


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    id: str
    benchmark: Command


@dataclass(frozen=True, slots=True)
class OwnBenchmark:
    """A benchmark as declared in `root`; `results` is where what it said is kept, one file a run."""

    root: Path
    id: str
    command: Command
    results: Path

    @property
    def sha256(self) -> str:
        """Of the declaration: results of another one are not compared with these."""
        return hashlib.sha256(self.command.model_dump_json().encode()).hexdigest()


def find_benchmark(start: Path, home: Path) -> OwnBenchmark | None:
    """The benchmark of the project `start` lies in, looking upwards. Raises `OwnBenchmarkError`."""
    start = start.absolute()
    for folder in (start, *start.parents):
        if (folder / FILE).is_file():
            return read_benchmark(folder, home)
    return None


def read_benchmark(root: Path, home: Path) -> OwnBenchmark:
    """Read `root`'s file. Raises `OwnBenchmarkError` naming the key."""
    path = root / FILE
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            raise OwnBenchmarkError(f"{path} is over {MAX_BYTES >> 10} KB and no benchmark's file.")
        declared = _File.model_validate(tomllib.loads(text.decode()))
    except OSError as error:
        raise OwnBenchmarkError(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OwnBenchmarkError(f"{path} is not TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise OwnBenchmarkError(f"{path} is refused: {where}: {first['msg']}.") from error
    if not _ID.match(declared.id):  # an agent can edit the file: it may not lead out of the state folder
        raise OwnBenchmarkError(f"{path} is refused: id {declared.id!r} is no plain name.")
    return OwnBenchmark(root, declared.id, declared.benchmark, home / "benchmarks" / declared.id)


def declare(root: Path, home: Path, command: str) -> OwnBenchmark:
    """Write `root`'s file, and nothing else of the project; never over one that is there.

    Raises `OwnBenchmarkError` for that, `StorageError` where it cannot be written.
    """
    path = root / FILE
    if os.path.lexists(path):
        raise OwnBenchmarkError(f"{path} is there already; edit it, or remove it to begin anew.")
    name = re.sub(r"[^a-z0-9]+", "-", root.resolve().name.lower()).strip("-")[:60] or "benchmark"
    identity = f"{name}-{secrets.token_hex(4)}"
    text = tomli_w.dumps({"schema_version": 1, "id": identity, "benchmark": {"command": command}})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text + _HINTS)
    except OSError as error:
        raise StorageError(f"{path} could not be written: {error.strerror}.") from error
    return read_benchmark(root, home)


_HINTS = """
# How the output is read. With neither table, what KernelSeek recognises in transcripts is looked for.
# Take one of them, without the marks:
#
# [benchmark.json]                # stdout is one JSON document
# rows = "results"                # a list of objects, or an object of objects by scenario
# id = "name"
# ratio = "speedup"               # or times: candidate = "ms", baseline = "reference_ms", unit = "ms"
# correct = "ok"
# over = "the kernel on main"     # what ratios are over, in words
#
# [benchmark.pattern]             # or: regular expressions, each looked for in every line
# name = "bench"
# row = '(?P<scenario>\\S+) +(?P<candidate>[\\d.]+) ms +(?P<baseline>[\\d.]+) ms'
# right = 'all close'
# wrong = 'MISMATCH'
"""
