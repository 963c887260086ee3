"""What holds scenarios back, as whoever works in a workspace measured it: a file that only grows.

A line is one JSON object (`GapEntry`). Whoever may write there may write anything: what is no entry, or is
about no scenario of the manifest, is passed over by whoever reads.
"""

import json
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import JudgeError, RefusedRequest
from harness.manifest import Manifest

GapName = Literal["host", "routing", "kernel"]
GAP_NAMES: tuple[GapName, ...] = ("host", "routing", "kernel")
MAX_MEASURED = 2000
"""Characters of a measurement in words."""
MAX_FILE_BYTES = 8 << 20
"""What is read of the file; nobody classes so much by hand."""


class GapEntry(BaseModel):
    """A class for some scenarios, the measurement that says so, and the candidate it was made on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    time: datetime
    scenarios: tuple[str, ...] = Field(min_length=1)
    gap: GapName
    measured: str = Field(min_length=1, max_length=MAX_MEASURED)
    candidate_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


def matching(manifest: Manifest, scenario_set: str, glob: str) -> tuple[str, ...]:
    """The ids of the set that a glob matches, in the manifest's order. Raises `RefusedRequest` for none."""
    found = tuple(one for one in manifest.ids(scenario_set) if fnmatchcase(one, glob))
    if not found:
        ids = manifest.ids(scenario_set)
        raise RefusedRequest(
            f"'{glob}' matches none of the {len(ids)} scenarios of '{scenario_set}'; the first are "
            f"{', '.join(ids[:3])}."
        )
    return found


def add_gap(
    path: Path, scenarios: Sequence[str], gap: GapName, measured: str, candidate_sha256: str
) -> GapEntry:
    """Append an entry and give it. Raises `JudgeError` where it cannot be written."""
    entry = GapEntry(
        time=datetime.now(UTC),
        scenarios=tuple(scenarios),
        gap=gap,
        measured=measured,
        candidate_sha256=candidate_sha256,
    )
    data = entry.model_dump_json().encode() + b"\n"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, data)  # one write, so that two at once do not mix
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise GapError(f"The gap could not be written to {path}: {error.strerror}.") from error
    return entry


class GapError(JudgeError):
    """The file of gaps could not be written."""

    exit_code = 4


def read_gaps(path: Path, known: Sequence[str]) -> list[GapEntry]:
    """The entries, oldest first, with those of their scenarios that are `known`. Never raises on a file."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_FILE_BYTES)
    except OSError:
        return []
    return list(_entries(text[: text.rfind(b"\n") + 1], frozenset(known)))


def newest_gaps(entries: Sequence[GapEntry]) -> dict[str, GapEntry]:
    """For each scenario what was said of it last."""
    return {scenario: entry for entry in entries for scenario in entry.scenarios}


def _entries(text: bytes, known: frozenset[str]) -> Iterator[GapEntry]:
    for line in text.splitlines():
        try:
            entry = GapEntry.model_validate(json.loads(line))
        except (ValueError, ValidationError, RecursionError):
            continue  # half a line of a full disk, or somebody else's words
        scenarios = tuple(one for one in entry.scenarios if one in known)
        if scenarios:
            yield entry.model_copy(update={"scenarios": scenarios})
