"""The record of reviews: one JSON line for each entry reviewed, only ever added to."""

import os
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


def read_reviews(file: Path) -> list[Review]:
    """Every review in the file, oldest first; none where there is no file.

    Raises `BankError` for the first line that is no review.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        reason = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise BankError(f"cannot be read ({reason})", file=str(file)) from error
    reviews = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            reviews.append(Review.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            what = f"{where}: {first['msg']}" if where else first["msg"]
            raise BankError(
                f"line {number} is no review ({what}), mend or remove it", file=str(file)
            ) from error
    return reviews


def append(file: Path, review: Review) -> None:
    """Add one review, on the disk before this returns. Raises `StorageError`."""
    data = (review.model_dump_json() + "\n").encode()
    try:
        with file.open("a+b") as stream:
            if stream.tell() and not _ends_a_line(stream.fileno()):
                data = b"\n" + data
            # One write to a file opened for appending: of two reviewers at once neither cuts into the other.
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise StorageError(
            f"The review could not be written to {file} ({error.strerror or error}); nothing of it was kept."
        ) from error


def _ends_a_line(descriptor: int) -> bool:
    end = os.lseek(descriptor, 0, os.SEEK_END)
    return os.pread(descriptor, 1, end - 1) == b"\n"
