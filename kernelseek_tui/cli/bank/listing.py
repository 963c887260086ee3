"""`kernelseek bank list`."""

from pathlib import Path

import click

from bank.bank import Bank
from bank.params import fill
from bank.question import Group
from kernelseek_tui.cli.bank.shared import BANK, GROUPS, JSON, KINDS, data_of, dump
from sessions.vocabulary import DecisionKind


@click.command("list")
@click.option("--group", type=GROUPS, help="Only entries of this group.")
@click.option("--kind", type=KINDS, help="Only entries that serve this kind of decision point.")
@BANK
@JSON
def list_entries(group: str | None, kind: str | None, folder: Path | None, as_json: bool) -> None:
    """List the bank's entries.

    \b
    kernelseek bank list
    kernelseek bank list --group host-and-launch-path --json
    """
    loaded = Bank.load(folder)
    entries = loaded.select(group=Group(group) if group else None, kind=DecisionKind(kind) if kind else None)
    if as_json:
        click.echo(dump([data_of(entry) for entry in entries]))
        return
    width = max((len(entry.id) for entry in entries), default=0)
    for entry in entries:
        click.echo(f"{entry.id:<{width}}  {fill(entry.question, {})}")
    click.echo(f"{len(entries)} of {len(loaded.entries)} entries, bank {loaded.version}", err=True)
