"""The record of reviews: one JSON line for each entry reviewed, only ever added to."""

import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bank.admission.places import beside
from bank.bank import ENTRIES
from bank.errors import BankError
from sessions.errors import StorageError

Verdict = Literal["pass", "fail"]
TestId = Literal["blind", "swap-operator", "swap-architecture", "bound", "moves", "wording"]


class Review(BaseModel):
    """What one reviewer said of one entry.

    `text` is the question's `text_hash` of that day: of another text the review says nothing. `ai_assisted`:
    a model took part in any of the verdicts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    entry: str = Field(min_length=1)
    text: str = Field(pattern=r"^[0-9a-f]{8}$")
    date: date
    by: str = Field(min_length=1)
    ai_assisted: bool
    tests: dict[TestId, Verdict] = Field(min_length=1)
    note: str = ""


def reviews_file(bank: Path | None = None) -> Path:
    """Where the reviews of a bank stand: beside the shipped entries, or in the bank's own folder."""
    return beside(ENTRIES if bank is None else bank, "reviews.jsonl")


def read_reviews(file: Path, tell: Callable[[str], None] | None = None) -> list[Review]:
    """Every review in the file, oldest first; none where there is no file.

    A last line without its end that is no review is what a full disk or a power loss left: it is passed over,
    and `tell` gets a sentence. Raises `BankError` for the first other line that is no review.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        beginning = _without_cut_sign(file)
        if beginning is None:
            raise BankError("cannot be read (not UTF-8 text)", file=str(file)) from error
        text = beginning
    except OSError as error:
        raise BankError(f"cannot be read ({error.strerror})", file=str(file)) from error
    reviews = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            reviews.append(Review.model_validate_json(line))
        except ValidationError as error:
            if number == len(lines):
                if tell is not None:
                    tell(f"{file}: line {number} is torn and passed over")
                break
            first = error.errors(include_url=False, include_context=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            what = f"{where}: {first['msg']}" if where else first["msg"]
            raise BankError(
                f"line {number} is no review ({what}), mend or remove it", file=str(file)
            ) from error
    return reviews


def _without_cut_sign(file: Path) -> str | None:
    """The text where only its torn last line is no UTF-8, a mark in the place of what is not."""
    whole, end, torn = file.read_bytes().rpartition(b"\n")
    try:
        return (whole + end).decode("utf-8") + torn.decode("utf-8", "replace")
    except UnicodeDecodeError:
        return None


def append(file: Path, review: Review, tell: Callable[[str], None] | None = None) -> None:
    """Add one review, on the disk before this returns. Raises `StorageError`; the file is then as before.

    A torn last line is moved to `<name>.torn-<n>` beside the file, and `tell` gets a sentence.
    """
    data = (review.model_dump_json() + "\n").encode()
    try:
        # A file of its own is never put in the place of this one, so that it can be locked itself.
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise _unwritten(file, error, "nothing of it was kept") from error
    try:
        with suppress(OSError):  # without locks, one write for each review has to do
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            if not _ends_a_line(descriptor):
                data = _mended(file, descriptor, tell) + data
        except OSError as error:
            raise _unwritten(file, error, "nothing of it was kept") from error
        _add(file, descriptor, data)
    finally:
        os.close(descriptor)


def _add(file: Path, descriptor: int, data: bytes) -> None:
    size = os.fstat(descriptor).st_size
    written = 0
    try:
        while written < len(data):  # a nearly full disk takes a part
            written += os.write(descriptor, data[written:])
        os.fsync(descriptor)
    except OSError as error:
        kept = "nothing of it was kept"
        try:
            if os.fstat(descriptor).st_size == size + written:
                os.ftruncate(descriptor, size)
            else:
                kept = "a part of it may stand there"
        except OSError:
            kept = "a part of it may stand at its end, which is passed over"
        raise _unwritten(file, error, kept) from error


def _mended(file: Path, descriptor: int, tell: Callable[[str], None] | None) -> bytes:
    """What has to stand before the next line: a line's end, or nothing once a torn line is out of the way."""
    whole = b""
    size = os.fstat(descriptor).st_size
    while len(whole) < size and (block := os.pread(descriptor, size - len(whole), len(whole))):
        whole += block
    start = whole.rfind(b"\n") + 1
    try:
        Review.model_validate_json(whole[start:])
    except ValidationError:
        if not whole[start:].strip():
            return b"\n"
        number = 1
        while (aside := file.with_name(f"{file.name}.torn-{number}")).exists():
            number += 1
        aside.write_bytes(whole[start:])
        os.ftruncate(descriptor, start)
        if tell is not None:
            tell(f"{file}: its last line was torn and is in {aside.name} now")
        return b""
    return b"\n"


def _ends_a_line(descriptor: int) -> bool:
    end = os.fstat(descriptor).st_size
    return end == 0 or os.pread(descriptor, 1, end - 1) == b"\n"


def _unwritten(file: Path, error: OSError, kept: str) -> StorageError:
    return StorageError(f"The review could not be written to {file} ({error.strerror or error}); {kept}.")
