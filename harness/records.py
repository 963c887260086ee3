"""Looks up records in a folder of `<eval_id>.json`, whose names sort by time."""

from collections.abc import Callable, Iterator
from pathlib import Path

from harness.errors import RefusedRecord
from harness.record.files import MAX_RECORD_BYTES, read_record, read_regular
from harness.record.record import Record
from harness.verdict import Outcome

NO_OWNER = "none"
"""What a record says whose judge was not started by the owner of a session."""

_WRONG = frozenset({Outcome.WRONG, Outcome.TIMEOUT, Outcome.BUILD_FAILED, Outcome.POLICY})
Problem = Callable[[RefusedRecord], None]
Alike = tuple[str, str, str | None, str]


def newest_first(
    folder: Path, problem: Problem = lambda _: None, mentioning: str = ""
) -> Iterator[tuple[Path, Record]]:
    """Every readable record, the newest first. What is none is told to `problem` and passed over.

    With `mentioning` only files that hold that text: a hundred times faster than parsing them all.
    """
    names = (path for path in folder.glob("*.json") if not path.name.startswith("."))
    for path in sorted(names, key=lambda path: path.name, reverse=True):
        try:
            if mentioning and not _mentions(path, mentioning.encode()):
                continue
            record = read_record(path)
            if record.eval_id != path.stem:
                raise RefusedRecord(f"{path} calls itself {record.eval_id}: a record is named by its id.")
            yield path, record
        except RefusedRecord as error:
            problem(error)


def not_adopted(folder: Path, problem: Problem = lambda _: None) -> list[tuple[Path, Record]]:
    """Records made without an owner of candidates that no owner has judged alike; the oldest first.

    They do not count until an owner has judged the candidate again (`OwnerServer.adopt`). Of several alike
    only the newest is listed.
    """
    owned: set[Alike] = set()
    waiting: dict[Alike, tuple[Path, Record]] = {}
    for path, record in newest_first(folder, problem):
        alike = (record.hashes.candidate, record.scenario_set, record.scenario_glob, record.baseline)
        if record.owner == NO_OWNER:
            waiting.setdefault(alike, (path, record))
        else:
            owned.add(alike)
    return [found for alike, found in waiting.items() if alike not in owned][::-1]


def newest_of(
    folder: Path, candidate_sha256: str, scenario_set: str, baseline: str, *, owned_only: bool
) -> tuple[Path, Record] | None:
    """The record that speaks for a candidate; None where it has none.

    The newest made by an owner over that set and baseline; else, unless `owned_only`, the newest made
    without one; else the newest over another set or baseline. What a later evaluation of the same candidate
    found wins over an earlier one, but one over a part of the set (`--scenarios`) speaks against one over
    the whole only where it found something wrong.
    """
    found: dict[int, tuple[Path, Record]] = {}
    for path, record in newest_first(folder, mentioning=candidate_sha256):
        owned = record.owner != NO_OWNER
        if record.hashes.candidate != candidate_sha256 or (owned_only and not owned):
            continue
        fits = (record.scenario_set, record.baseline) == (scenario_set, baseline)
        decides = record.scenario_glob is None or record.status in _WRONG
        rank = 4 if not fits else (0 if owned else 2) + (0 if decides else 1)
        found.setdefault(rank, (path, record))
        if 0 in found:
            break
    return found[min(found)] if found else None


def _mentions(path: Path, text: bytes) -> bool:
    try:
        found = read_regular(path)
    except RefusedRecord:
        return True  # `read_record` says what is wrong with it
    return len(found) > MAX_RECORD_BYTES or text in found
