"""`kernelseek bank list`."""

from typing import Any

import click

from bank.params import fill
from bank.sources import load_banks
from kernelseek_tui.cli.bank.shared import BANKS, JSON, count, data_of, dump, filters, selected
from kernelseek_tui.plain import line


@click.command("list")
@filters
@click.option("--banks", "of_banks", is_flag=True, help="List the banks that there are, not their entries.")
@BANKS
@JSON
def list_entries(of_banks: bool, banks: tuple[str, ...], as_json: bool, **chosen: Any) -> None:
    """List the bank's entries, or with --banks the banks.

    \b
    kernelseek bank list
    kernelseek bank list --group host-and-launch-path --json
    kernelseek bank list --architecture hopper --kind plateau
    kernelseek bank list --bank default --bank my-entries/
    kernelseek bank list --banks

    Filters are combined. Without --bank, KERNELSEEK_BANK names the banks (divided as in PATH), else the
    shipped one is used. docs/bank.md says how other banks are made and installed.
    """
    if of_banks:
        if any(chosen.values()):
            raise click.UsageError("--banks lists banks; filters are for entries.")
        from kernelseek_tui.cli.bank.banks import print_banks

        print_banks(banks, as_json)
        return
    loaded = load_banks(banks)
    entries = selected(loaded, chosen)
    if as_json:
        click.echo(dump([data_of(entry) for entry in entries]))
        return
    width = max((len(entry.id) for entry in entries), default=0)
    for entry in entries:
        click.echo(line(f"{entry.id:<{width}}  {fill(entry.question, {})}"))
    total = count(len(loaded.entries), "entry", "entries")
    click.echo(f"{len(entries)} of {total}, bank {loaded.version}", err=True)
