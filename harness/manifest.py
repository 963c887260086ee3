"""The manifest: what a workspace is judged over, written once and counted from ever after."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.errors import JudgeError

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class ManifestError(JudgeError):
    """The manifest is missing or is not one; the message says which file and what to do."""

    exit_code = 3


class ManifestScenario(BaseModel):
    """A scenario that must be judged; `sha256` is `scenario_sha256` of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    sha256: Sha256


class Manifest(BaseModel):
    """An operator's sets as they were when the workspace was made.

    `operator_sha256` and `start_sha256` are the hashes a record carries as `hashes.operator` and
    `hashes.start`: a record made with others is of another contest.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    workspace: str
    created: datetime
    operator: str
    operator_sha256: Sha256
    start_sha256: Sha256
    sets: dict[str, tuple[ManifestScenario, ...]]

    @model_validator(mode="after")
    def _each_id_once(self) -> "Manifest":
        for name, scenarios in self.sets.items():
            if not scenarios:
                raise ValueError(f"the set {name} is empty")
            if len({scenario.id for scenario in scenarios}) != len(scenarios):
                raise ValueError(f"the set {name} names a scenario twice")
        return self

    def ids(self, set_name: str) -> tuple[str, ...]:
        """The ids of a set in the operator's order; empty where there is no such set."""
        return tuple(scenario.id for scenario in self.sets.get(set_name, ()))


def scenario_sha256(scenario_id: str, family: str, params: Mapping[str, int | float]) -> str:
    """The hash of one point of the matrix. Computed alike from a `Scenario` and from a `ScenarioRecord`."""
    text = json.dumps([scenario_id, family, sorted(params.items())], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_manifest(path: Path) -> Manifest:
    """Read a manifest. Raises `ManifestError`."""
    advice = "make a new workspace with `kernelseek init`"
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ManifestError(
            f"The workspace's manifest {path} cannot be read ({error.strerror}); {advice}."
        ) from error
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise ManifestError(
            f"The workspace's manifest {path} is damaged ({where}: {first['msg']}); {advice}."
        ) from error
