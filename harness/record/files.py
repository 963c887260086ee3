"""Records as files: written whole, sealed with a digest, and read or refused in a sentence."""

import hashlib
import json
import os
import secrets
import stat
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness.errors import JudgeError, RefusedRecord
from harness.record.record import SCHEMA_VERSION, Record

MAX_RECORD_BYTES = 64 << 20


def new_eval_id(now: datetime | None = None) -> str:
    """A name for an evaluation that sorts by time and never repeats: `20260102T030405123-1a2b3c4d`."""
    now = now or datetime.now(UTC)
    return f"{now:%Y%m%dT%H%M%S}{now.microsecond // 1000:03d}-{secrets.token_hex(4)}"


def digest_of(said: dict[str, Any]) -> str:
    """SHA-256 over a record's JSON object without its `digest`: keys sorted, no spaces, UTF-8."""
    rest = {key: value for key, value in said.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sealed(record: Record) -> Record:
    """The record with its `digest`. Make a record with this; one that was changed since is refused."""
    said: dict[str, Any] = json.loads(record.model_dump_json())
    return record.model_copy(update={"digest": digest_of(said)})


def dump_record(record: Record) -> str:
    """The record as JSON; `read_record` gives the same record back."""
    return record.model_dump_json(indent=1) + "\n"


def write_record(record: Record, path: Path) -> None:
    """Write by atomic rename: a reader sees the whole record or none. Raises `JudgeError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(dump_record(record))
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:  # whatever happened, also Ctrl-C: no half record stays
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise JudgeError(f"The record could not be written to {path}: {error.strerror}.") from error


def read_record(path: Path) -> Record:
    """Read a record. Raises `RefusedRecord` with what is wrong in one sentence."""
    text = read_regular(path)
    if len(text) > MAX_RECORD_BYTES:
        raise RefusedRecord(f"{path} is over {MAX_RECORD_BYTES >> 20} MB and no record of this judge.")
    try:
        return Record.model_validate_json(text)
    except ValidationError as error:
        if _schema(text) in range(1, SCHEMA_VERSION):
            raise RefusedRecord(
                f"{path} is of an older judge (schema_version {_schema(text)}, this one writes "
                f"{SCHEMA_VERSION}); evaluate the candidate again."
            ) from error
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise RefusedRecord(f"{path} is not a record of this judge: {where}: {first['msg']}.") from error


def _schema(text: bytes) -> int:
    """The schema version that a JSON object names; 0 where it names none."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return 0
    version = said.get("schema_version") if isinstance(said, dict) else None
    return version if type(version) is int else 0


def read_regular(path: Path) -> bytes:
    """The first `MAX_RECORD_BYTES` + 1 bytes of a plain file, without waiting for a writer.

    Raises `RefusedRecord`.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise RefusedRecord(f"{path} is not a plain file.")
            return file.read(MAX_RECORD_BYTES + 1)
    except OSError as error:
        raise RefusedRecord(f"The record {path} cannot be read: {error.strerror}.") from error
