"""`kernelseek sessions prune`."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from kernelseek_tui.cli.sessions.shared import bytes_progress, count, size_text, when_text
from kernelseek_tui.plain import line, one_line
from sessions.archive import pruning
from sessions.archive.finding import own_sessions
from sessions.archive.listing import Row, own_row
from sessions.archive.writing import sweep_parts
from sessions.errors import LockedSession, SessionError
from sessions.home import JOURNAL

DEFAULT_AGE = timedelta(days=30)


class Age(click.ParamType[timedelta]):
    """`30d`, `12h`, `2w`."""

    name = "age"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """The age, or a usage error that says how one is written."""
        if isinstance(value, timedelta):
            return value
        try:
            return pruning.age_of(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


@click.command()
@click.option(
    "--older-than", type=Age(), metavar="AGE", help="Last written so long ago: 30d, 12h, 2w. [default: 30d]"
)
@click.option("--keep", type=click.IntRange(min=0), metavar="N", help="Never the N that were written last.")
@click.option("--noted", is_flag=True, help="Also sessions with a person's note.")
@click.option("--resumable", is_flag=True, help="Also sessions that `steer --resume` could go on with.")
@click.option("--yes", is_flag=True, help="Remove without asking.")
def prune(older_than: timedelta | None, keep: int | None, noted: bool, resumable: bool, yes: bool) -> int:
    """Remove sessions of which nothing is wanted any more: their journals, not their workspaces.

    \b
    kernelseek sessions prune                          shows what would go, then asks
    kernelseek sessions prune --keep 20 --yes
    kernelseek sessions prune --older-than 2w --noted --resumable

    With --older-than and --keep a session goes only when both let it. Live and bundled sessions stay. Without
    a terminal nothing is removed unless --yes stands there. What a killed export left unfinished in this
    folder goes, too.
    """
    if older_than is None and keep is None:
        older_than = DEFAULT_AGE
    folders = own_sessions()
    with bytes_progress("read", [folder / JOURNAL for folder in folders]) as progress:
        rows: list[Row] = []
        for folder in folders:
            rows.append(own_row(folder))
            if progress is not None:
                progress(sum(row.size for row in rows))
    goes, stays = pruning.choose(
        rows, datetime.now(UTC), older_than=older_than, keep=keep, noted=noted, resumable=resumable
    )
    for row in goes:
        click.echo(_line(row))
    for kept in stays:
        click.echo(line(f"stays: {kept.row.id}, {kept.why}"), err=True)
    if not goes:
        click.echo("Nothing to remove.", err=True)
        _sweep()
        return 0
    what = f"{count(len(goes), 'session')}, {size_text(sum(row.size for row in goes))}"
    if not yes:
        if not sys.stdin.isatty():
            click.echo(f"{what} would go; nothing was removed. Add --yes to remove them.", err=True)
            return 0
        click.confirm(f"Remove {what}?", abort=True, err=True)
    return _remove(goes)


def _remove(goes: list[Row]) -> int:
    removed, size, code = 0, 0, 0
    for row in goes:
        try:
            pruning.remove(row)
        except LockedSession:
            click.echo(f"stays: {row.id}, somebody has just opened it", err=True)
        except SessionError as error:
            click.echo(f"kernelseek: {line(str(error))}", err=True)
            code = error.exit_code
        else:
            removed, size = removed + 1, size + row.size
    _sweep()
    click.echo(f"removed {count(removed, 'session')}, {size_text(size)}", err=True)
    return code


def _sweep() -> None:
    """What killed commands left: in the sessions folder, and of exports in the current one."""
    pruning.sweep()
    sweep_parts(Path())


def _line(row: Row) -> str:
    best = f"{row.geomean:.2f}x over {one_line(row.baseline or '?', 30)}" if row.geomean else "no best"
    agent = one_line(row.agent or "unknown agent", 20)
    damaged = ", DAMAGED" if row.wrong else ""
    written = when_text(row.written)
    return f"{row.id}  last written {written}  {size_text(row.size)}  {agent}, {best}{damaged}"
