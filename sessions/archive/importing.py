"""Any transcript as a session of ours: its events in a journal, and beside it where they are from."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sessions import events as ev
from sessions.archive.exporting import EVERY, Progress
from sessions.archive.finding import own_sessions, why_not
from sessions.archive.writing import storage
from sessions.errors import RefusedInput
from sessions.home import JOURNAL, new_session_id, sessions_folder
from sessions.journal import Journal
from sessions.readers.claude_code import AGENT_FILE
from sessions.transcript import TranscriptStream

ORIGIN = "origin.json"
_PART = ".importing-"


class Origin(BaseModel):
    """`origin.json` of an imported session. `sha256` is of the file, with subagents' files of all of them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    schema_version: Literal[1] = 1
    path: str
    format: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    imported: datetime


def import_transcript(
    path: Path, *, again: bool = False, mapping: Path | None = None, progress: Progress | None = None
) -> tuple[str, int]:
    """Make a session of the transcript at `path`; returns its id and how many lines were damaged.

    The events keep their sources (file and line); secrets are taken out as of any journal. The session is
    there when all of it is. `mapping` is the mapping file of a score log; `progress` is called with the lines
    read. Raises `RefusedInput` for what is no transcript and, unless `again`, for one that was imported
    before; `StorageError` where it cannot be kept.
    """
    stream = TranscriptStream(path, mapping=mapping)
    sha256 = source_sha256(stream.path)
    if not again and (known := imported_as(sha256)) is not None:
        raise RefusedInput(
            f"{path} was imported already, as the session {known}; add --again to have it twice."
        )
    with _new_folder() as (part, session):
        _fill(part, stream, progress)
        origin = Origin(
            path=str(stream.path.absolute()),
            format=stream.format.name,
            sha256=sha256,
            imported=datetime.now(UTC).replace(microsecond=0),
        )
        try:
            (part / ORIGIN).write_text(origin.model_dump_json(indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise storage(part / ORIGIN, error) from error
    return session, sum(account.problems for account in stream.accounts)


def origin_of(folder: Path) -> Origin | None:
    """Where an imported session is from; None for one recorded here, or where that is not told."""
    try:
        with (folder / ORIGIN).open("rb") as file:
            return Origin.model_validate_json(file.read(1 << 20))
    except (OSError, ValidationError):
        return None


def imported_as(sha256: str) -> str | None:
    """The session that was made of a file with this hash."""
    for folder in own_sessions():
        origin = None if why_not(folder) else origin_of(folder)
        if origin is not None and origin.sha256 == sha256:
            return folder.name
    return None


def source_sha256(path: Path) -> str:
    """The hash of a transcript; of one with subagents' files the hash over the hashes of all of them."""
    files = [path, *sorted((path.with_suffix("") / "subagents").glob(f"{AGENT_FILE}*.jsonl"))]
    try:
        found = [_sha256(file) for file in files]
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error
    return found[0] if len(found) == 1 else hashlib.sha256("\n".join(found).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fill(folder: Path, stream: TranscriptStream, progress: Progress | None) -> None:
    account = stream.accounts[0]
    count = 0
    with Journal(folder) as journal:
        for event in stream:
            journal.append(_fresh(event, journal))
            count += 1
            if progress is not None and count % EVERY == 0:
                progress(account.entries)


def _fresh(event: ev.AnyEvent, journal: Journal) -> ev.AnyEvent:
    """The event under an id that the journal does not hold yet; an empty one is given by the journal."""
    return event.model_copy(update={"id": ""}) if journal.holds(event.id) else event


@contextmanager
def _new_folder() -> Iterator[tuple[Path, str]]:
    """A folder to fill; when all went well it becomes the session of that id, else it is gone."""
    home = sessions_folder()
    session = new_session_id()
    try:
        home.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f"{_PART}{os.getpid()}-", dir=home))
    except OSError as error:
        raise storage(home, error) from error
    try:
        yield part, session
        (part / f"{JOURNAL}.lock").unlink(missing_ok=True)
        try:
            part.chmod(0o755)
            part.rename(home / session)
        except OSError as error:
            raise storage(home / session, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
