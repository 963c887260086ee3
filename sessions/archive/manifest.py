"""The manifest beside an archived session: how it was made, so that nobody has to take it on trust."""

import hashlib
import os
import platform
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sessions import events as ev
from sessions.errors import RefusedInput

SUFFIX = ".manifest.json"
MAX_BYTES = 1 << 20


class Manifest(BaseModel):
    """`<id>.manifest.json`. `file` lies beside it; `sha256` and `bytes` are of that file as it lies there.

    `command` made the session; `recorded` is when it began. `redacted` counts what was taken out, by kind.
    `versions` are of the program, the bank, the script; `environment` is the machine that the numbers in the
    session were measured on.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")
    file: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,159}$")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int = Field(ge=0)
    events: int = Field(ge=0)
    command: str
    recorded: datetime | None = None
    archived: datetime
    agent: str | None = None
    questioner: str | None = None
    operator: str | None = None
    seed: str | None = None
    rehearsed: bool = False
    versions: dict[str, str] = Field(default_factory=dict)
    environment: dict[str, str] = Field(default_factory=dict)
    redacted: dict[str, int] = Field(default_factory=dict)

    def check(self, folder: Path) -> Path:
        """The session's file in `folder`. Raises `RefusedInput` where it is gone or not the one described."""
        path = folder / self.file
        try:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error
        if found != self.sha256:
            raise RefusedInput(f"{path} is not the file that its manifest describes: its sha256 differs.")
        return path


def describe(
    path: Path,
    sha256: str,
    events: int,
    started: ev.SessionStarted | None,
    command: str,
    redacted: Mapping[str, int],
) -> Manifest:
    """The manifest of the session in `path`, made by `command` and archived now."""
    started = started or ev.SessionStarted(id="", session="", agent_name="unknown")
    versions = dict(started.versions)
    seed = versions.pop("seed", None)
    return Manifest(
        id=path.name.split(".", 1)[0],
        file=path.name,
        sha256=sha256,
        bytes=path.stat().st_size,
        events=events,
        command=command,
        recorded=started.time,
        archived=datetime.now(UTC).replace(microsecond=0),
        agent=started.agent_name,
        questioner=started.questioner,
        operator=started.operator,
        seed=seed,
        rehearsed=started.rehearsed,
        versions={"kernelseek-tui": _own_version(), **versions},
        environment=environment(),
        redacted=dict(sorted(Counter(redacted).items())),
    )


def read_manifest(path: Path) -> Manifest:
    """Raises `RefusedInput` for what is no manifest."""
    try:
        with path.open("rb") as file:
            return Manifest.model_validate_json(file.read(MAX_BYTES))
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise RefusedInput(f"{path} is no manifest: {where}: {first['msg']}.") from error


def environment() -> dict[str, str]:
    """What of this machine bears on numbers measured here; no name of it or of its user."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": str(os.cpu_count() or 0),
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as file:
            names = (line.partition(":")[2].strip() for line in file if line.startswith("model name"))
            return next(names, "") or platform.processor() or "unknown"
    except OSError:  # not Linux
        return platform.processor() or "unknown"


def _own_version() -> str:
    try:
        return version("kernelseek-tui")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "unknown"
