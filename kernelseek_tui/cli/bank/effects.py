"""`kernelseek bank effects`."""

import click

from bank.sources import load_banks
from kernelseek_tui.cli.bank.shared import BANKS, GROUPS, JSON, KINDS, dump
from kernelseek_tui.plain import line


@click.command()
@click.argument("named", nargs=-1, metavar="[PATH]...")
@click.option("--entry", metavar="ID", help="Only this entry.")
@click.option("--group", type=GROUPS, help="Only this group.")
@click.option("--kind", type=KINDS, help="Only moments of this kind.")
@click.option("--rehearsed", is_flag=True, help="Sessions of the rehearsed agent, too, in rows of their own.")
@BANKS
@JSON
def effects(
    named: tuple[str, ...],
    entry: str | None,
    group: str | None,
    kind: str | None,
    rehearsed: bool,
    banks: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show what became of the bank's questions, beside moments where nothing was asked.

    \b
    kernelseek bank effects
    kernelseek bank effects --group host-and-launch-path --kind plateau
    kernelseek bank effects run.jsonl ~/.claude/projects/x/*.jsonl --json
    kernelseek bank effects --bank default --bank my-entries/

    Measured over the sessions kept on this machine, and over any transcript or session that PATH names. What
    was measured is kept in KERNELSEEK_HOME/bank/effects.jsonl. docs/bank-effects.md says what each figure
    means. Ends 3 when PATH is no transcript or the bank has no such entry, 4 when the records could not be
    kept; the table is printed all the same.
    """
    from bank.effects.store import cache_path
    from kernelseek_tui.cli.bank.effects_text import as_lines, as_object
    from kernelseek_tui.cli.inspect import reading_progress
    from kernelseek_tui.cli.sessions.shared import bytes_progress
    from kernelseek_tui.effects.journals import gather
    from kernelseek_tui.effects.report import Chosen, report_of
    from kernelseek_tui.effects.wording import Wordings
    from sessions.archive.finding import find_session
    from sessions.errors import StorageError

    loaded = load_banks(banks)
    if entry is not None:
        loaded.get(entry)  # says which is the nearest, where there is none
    found = gather(
        Wordings(loaded),
        cache_path(),
        [find_session(name) for name in named],
        lambda paths: bytes_progress("measured", list(paths)),
        reading_progress,
    )
    for remark in found.remarks:
        click.echo(line(remark), err=True)
    told = report_of(found, loaded, Chosen(entry, group, kind, rehearsed))
    if as_json:
        click.echo(dump(as_object(told)))
    else:
        for text in as_lines(told):
            click.echo(text)
    if found.unsaved:
        raise StorageError(f"The table is whole, but its records were not kept: {found.unsaved}")
