"""Whether a record says what follows from its own samples and statuses: all of it computed again.

Pure, but for `verified`, which reads a file. A record that passes may still be a lie, with samples that fit
its numbers; one that does not was not written by the judge, or was changed since. What a verdict does not
rest on (words about the machine, hashes) only the `digest` holds, and a forger can make that anew
(`docs/judge.md`).
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.errors import RefusedRecord
from harness.record.files import digest_of, read_record, read_regular
from harness.record.record import Record
from harness.verify.clocks import clock_faults
from harness.verify.fault import Fault
from harness.verify.numbers import clocks, number_faults
from harness.verify.parts import part_faults
from harness.verify.rules import constant_faults, rule_faults

__all__ = ["Fault", "clocks", "fault", "faults", "verified"]


def faults(record: Record) -> Iterator[Fault]:
    """Everything in a record that contradicts the rest of it, the digest last; empty for a good one."""
    said: dict[str, Any] = json.loads(record.model_dump_json())
    yield from _faults(record, said)


def fault(record: Record) -> Fault | None:
    """The first of `faults`, or None."""
    return next(faults(record), None)


def verified(path: Path) -> Record:
    """Read a record and hold it to itself, to the last letter. Raises `RefusedRecord` with the field."""
    record = read_record(path)
    found = list(_faults(record, _object(path)))
    if found:
        more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
        raise RefusedRecord(f"{path} is refused: {found[0]}{more}.")
    return record


def _object(path: Path) -> dict[str, Any]:
    """The file's JSON object. Raises `RefusedRecord` for a key that is there twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise RefusedRecord(f"{path} is refused: the key '{twice}' is there twice.")
        return table

    said: dict[str, Any] = json.loads(read_regular(path), object_pairs_hook=once)
    return said


def _faults(record: Record, said: dict[str, Any]) -> Iterator[Fault]:
    seen = False
    for group in (constant_faults, rule_faults, part_faults, number_faults, clock_faults):
        for one in group(record):
            seen = True
            yield one
        if seen and group not in (rule_faults, part_faults):
            break  # numbers from constants or samples that are none say nothing
    if not record.digest:
        yield Fault("digest", "is missing")
    elif record.digest != digest_of(said):
        yield Fault("digest", "is not that of the rest: something was changed after the judge had written it")
