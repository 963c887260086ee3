"""`kernelseek verify`: compute a record again from its raw samples."""

import json
from pathlib import Path

import click

from harness.blocks import blocks_of
from harness.errors import RefusedRecord
from harness.record.files import read_record
from harness.record.record import Record
from harness.verify.record import faults, verified
from kernelseek_tui.cli.evaluation_text import interval_text
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.plain import line


@click.command()
@click.argument("record", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one object.")
def verify(record: Path, as_json: bool) -> int:
    """Compute every number of RECORD again from its raw samples, and say whether it is what it says.

    \b
    kernelseek verify records/20260102T030405123-1a2b3c4d.json
    kernelseek verify record.json --json | jq .faults

    Measures nothing and needs no workspace. A record that contradicts itself or lacks a part is refused (exit
    3) with the field. Who can make samples up and compute all the rest anew is not seen: docs/judge.md.
    """
    if as_json:
        return _json(record)
    found = verified(record)
    for text in _lines(found):
        click.echo(line(text))
    return ExitCode.OK


def _json(path: Path) -> int:
    found = read_record(path)  # refused as ever where it is none
    try:
        verified(path)
        said = ""
    except RefusedRecord as error:
        said = str(error)
    listed = [{"field": one.field, "what": one.what} for one in faults(found)] if said else []
    answer = {
        "path": str(path),
        "ok": not said,
        "refused": said,
        "faults": listed,
        "eval_id": found.eval_id,
        "status": found.status.value,
        "summary": found.summary,
        "digest": found.digest,
    }
    click.echo(json.dumps(answer, indent=1))
    return ExitCode.INPUT_REFUSED if said else ExitCode.OK


def _lines(record: Record) -> list[str]:
    head = ("scenario", "status", "ratio", "interval", "verdict", "recomputed")
    rows = [head]
    for one in record.scenarios:
        timing = one.timing
        numbers = (
            (f"{timing.ratio:.3f}x", interval_text(timing.low, timing.high), timing.verdict.value)
            if timing
            else ("-", "-", "-")
        )
        rows.append((one.id, one.status.value, *numbers, "ok"))
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    table = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    timed = sum(one.timing is not None for one in record.scenarios)
    return [
        *table,
        *_asked(record),
        f"recomputed: {timed} timed scenarios, {len(record.aa)} of the baseline against itself, "
        f"{len(record.off_list)} shapes off the list, the set, the outcome, the digest",
        f"says: {record.summary}",
        "VERIFIED: every number follows from the raw samples, and no part that the judge writes is missing",
        "not shown: that the samples were taken, or that the file was not written anew (docs/judge.md)",
    ]


def _asked(record: Record) -> list[str]:
    """What makes this record less than one that a goal asks for, and what was left out."""
    found = []
    own = blocks_of(record.scenario_set)
    if record.scenario_glob is not None:
        found.append(f"part: only what matches {record.scenario_glob}; meets no goal")
    if record.protocol.blocks != own:
        found.append(f"blocks: {record.protocol.blocks} a scenario in place of {own}; meets no goal")
    if record.asked.check_only:
        found.append("part: only correctness was asked for")
    found += [f"left out: no shape off the list like {one.scenario}: {one.why}" for one in record.left_out]
    return found
