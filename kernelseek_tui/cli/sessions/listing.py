"""`kernelseek sessions list`."""

import json

import click

from kernelseek_tui.cli.sessions.shared import bytes_progress, count, size_text, when_text
from kernelseek_tui.plain import line, one_line
from sessions.archive.finding import own_sessions
from sessions.archive.listing import Row, all_rows
from sessions.home import JOURNAL, sessions_folder

_COLUMNS = ("id", "when", "agent", "asked by", "evaluations", "best", "goal", "remarks")
_GOALS = {True: "met", False: "unmet", None: "-"}


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list on stdout.")
@click.option("--archive", is_flag=True, help="Only the bundled sessions.")
def list_sessions(as_json: bool, archive: bool) -> None:
    """List the sessions kept on this machine, the newest first, and the bundled ones.

    \b
    kernelseek sessions list
    kernelseek sessions list --json | jq -r '.[] | select(.goal) | .id'

    A damaged session stands in the list with what is wrong with it.
    """
    journals = [] if archive else [folder / JOURNAL for folder in own_sessions()]
    with bytes_progress("read", journals) as progress:
        rows = all_rows(archive_only=archive, progress=progress)
    if as_json:
        click.echo(json.dumps([row.as_object() for row in rows], indent=1, ensure_ascii=False))
        return
    for text in as_table(rows):
        click.echo(text)
    mine = [row for row in rows if row.where != "bundled"]
    total = size_text(sum(row.size for row in mine))
    if not archive:
        where = line(str(sessions_folder()))
        click.echo(f"{count(len(mine), 'session')} in {where}, {total}", err=True)
    click.echo(f"{count(len(rows) - len(mine), 'bundled session')}", err=True)


def as_table(rows: list[Row]) -> list[str]:
    """The rows as lines of columns, what is wrong with one below it."""
    if not rows:
        return []
    cells = [_COLUMNS, *(_cells(row) for row in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(_COLUMNS))]
    lines = []
    for number, row in enumerate(cells):
        lines.append("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
        if number and rows[number - 1].wrong:
            lines.append(f"    {one_line(rows[number - 1].wrong)}")
    return lines


def _cells(row: Row) -> tuple[str, ...]:
    best = f"{row.geomean:.2f}x over {one_line(row.baseline or '?', 30)}" if row.geomean else "-"
    return (
        one_line(row.id, 60),
        when_text(row.when),
        one_line(row.agent or "-", 20),
        one_line(row.questioner or "-", 12),
        str(row.evaluations),
        best,
        _GOALS[row.goal],
        ", ".join(_remarks(row)),
    )


def _remarks(row: Row) -> list[str]:
    found = []
    if row.wrong:
        found.append("DAMAGED")
    if row.owner is not None:
        found.append(f"live (process {row.owner})" if row.owner else "live")
    if row.rehearsed:
        found.append("rehearsed")
    if row.where != "here":
        found.append(row.where)
    if row.notes:
        found.append(count(row.notes, "note"))
    where = row.workspace if row.where != "bundled" else None
    if row.operator or where:
        found.append(" in ".join(one_line(part, 60) for part in (row.operator, where) if part))
    return found
