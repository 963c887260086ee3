"""Looks up records in a folder of `<eval_id>.json`, whose names sort by time."""

from collections.abc import Callable, Iterator
from pathlib import Path

from harness.errors import RefusedRecord
from harness.record import Record, read_record

NO_OWNER = "none"
"""What a record says whose judge was not started by the owner of a session."""

Problem = Callable[[RefusedRecord], None]
Alike = tuple[str, str, str | None, str]


def newest_first(folder: Path, problem: Problem = lambda _: None) -> Iterator[tuple[Path, Record]]:
    """Every readable record, the newest first. What is none is told to `problem` and passed over."""
    names = (path for path in folder.glob("*.json") if not path.name.startswith("."))
    for path in sorted(names, key=lambda path: path.name, reverse=True):
        try:
            yield path, read_record(path)
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
    found always wins over an earlier one.
    """
    found: dict[int, tuple[Path, Record]] = {}
    for path, record in newest_first(folder):
        owned = record.owner != NO_OWNER
        if record.hashes.candidate != candidate_sha256 or (owned_only and not owned):
            continue
        fits = (record.scenario_set, record.baseline) == (scenario_set, baseline)
        found.setdefault(0 if fits and owned else 1 if fits else 2, (path, record))
        if 0 in found:
            break
    return found[min(found)] if found else None
