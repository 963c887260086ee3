"""`kernelseek bank lint`."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from bank.admission.coverage import Counts
from bank.admission.finding import LintFinding
from bank.admission.folder import Admission, admit_path, record_ids
from bank.bank import ENTRIES
from bank.errors import BankError
from bank.forms.every import stale_here
from bank.sources import chosen
from kernelseek_tui.cli.bank.shared import JSON, count, dump
from kernelseek_tui.plain import line

_Row = tuple[str | int, ...]


@click.command()
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--strict", is_flag=True, help="Refuse unexplained warnings too.")
@click.option(
    "--sources",
    "source",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="A text that must not reappear: no eight words in a row of it. May be given again.",
)
@click.option("--coverage", is_flag=True, help="Hold PATH to the figures of a complete bank (Q20).")
@click.option(
    "--record-ids", "record", is_flag=True, help="First add the bank's ids to the list of published ones."
)
@JSON
def lint(
    path: Path | None, strict: bool, source: tuple[Path, ...], coverage: bool, record: bool, as_json: bool
) -> None:
    """Check the admission rules over a folder, a file or an installed bank; without PATH the shipped one.

    Exits 0 when no rule of level error is broken, else 3; with --strict a warning counts as well. The rules,
    each with an example: docs/bank-lints.md. A warning is explained in the entry, for its present text only:
    `kernelseek bank review ID --lint-ok Q07 --reason … --by …` writes that. A folder's counts are printed
    too, and what it has none of where the figures of a complete bank are asked: of the shipped one, and of
    another with --coverage.

    \b
    kernelseek bank lint
    kernelseek bank lint my-entries/host.yaml --json
    kernelseek bank lint --strict --sources notes.md --sources thread.txt
    """
    if path is not None and not os.path.lexists(path):
        path = chosen([str(path)])[0].path()  # an installed bank's name, or `default`
    if record:
        _record(path)
    admission = admit_path(path, sources=source, complete=coverage)
    findings = admission.findings
    errors = sum(found.level == "error" for found in findings)
    warnings = len(findings) - errors
    if as_json:
        click.echo(dump(_json(admission)))
    else:
        for found in findings:
            click.echo(line(_line(found)))
        if path is None or path.is_dir():
            whole = coverage or path is None or path.resolve() == ENTRIES.resolve()
            click.echo("\n".join(_tables(admission, whole)))
    total = count(admission.total, "entry", "entries")
    summary = f"{total}: {count(errors, 'error')}, {count(warnings, 'warning')}"
    if path is None and (changed := stale_here()):
        names = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
        what = f"{summary}; {names} differ from the entries, run `python -m bank.forms`"
        raise BankError(what)
    if errors or (strict and warnings):
        raise BankError(f"{summary}; change what is named above, or explain a warning with lint_ok")
    click.echo(summary, err=True)


def _record(path: Path | None) -> None:
    file, new = record_ids(path)
    click.echo(line(f"{count(new, 'new id')} recorded in {file}"), err=True)


def _finding(found: LintFinding) -> dict[str, str]:
    return {
        "entry": found.entry,
        "lint": found.lint,
        "level": found.level,
        "words": found.words,
        "message": found.message,
    }


def _json(admission: Admission) -> dict[str, object]:
    pair = admission.closest
    return {
        "entries": admission.total,
        "findings": [_finding(found) for found in admission.findings],
        "counts": admission.counts.as_json(),
        "closest": pair
        and {"entries": [pair.first.id, pair.second.id], "similarity": round(pair.likeness, 1)},
    }


def _line(found: LintFinding) -> str:
    words = f"  [{found.words}]" if found.words and found.words not in found.message else ""
    return f"{found.level:<8} {found.lint:<8}{found.entry or 'bank':<18}{found.message}{words}"


def _tables(admission: Admission, whole: bool) -> Iterator[str]:
    """The counts; rows of nothing only where a `whole` bank is asked for, whose gaps they are."""
    counts = admission.counts
    groups = [
        (name, row.core, row.needs_upstream, row.per_architecture) for name, row in counts.groups.items()
    ]
    everything = ("all", counts.core, counts.needs_upstream, counts.per_architecture)
    tables: tuple[tuple[tuple[str, ...], Iterable[_Row]], ...] = (
        (("group", "core", "upstream", "arch"), [*groups, everything]),
        (("asked at", "entries", "groups"), _kinds(counts)),
        (("layer", "entries"), counts.layers.items()),
        (("family", "entries"), counts.families.items()),
    )
    for head, rows in tables:
        shown = [row for row in rows if whole or any(row[1:])]
        if shown:
            yield from _table(head, shown)
            yield ""
    yield f"mined, with a source: {counts.mined} of {counts.entries}"
    if admission.closest:
        pair = admission.closest
        yield f"closest pair: {pair.first.id} and {pair.second.id}, similarity {pair.likeness:.0f} of 100"


def _kinds(counts: Counts) -> Iterator[tuple[str, int, int]]:
    for kind, number in counts.decision_kinds.items():
        yield kind, number, counts.groups_of_kinds[kind]


def _table(head: tuple[str, ...], rows: Iterable[_Row]) -> Iterator[str]:
    for row in (head, *rows):
        yield f"{row[0]:<30}" + "".join(f"{cell:>9}" for cell in row[1:])
