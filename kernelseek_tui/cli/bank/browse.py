"""`kernelseek bank browse`: the bank on the screen."""

import sys

import click

from bank.sources import load_banks
from kernelseek_tui.cli.bank.shared import BANKS
from kernelseek_tui.cli.terminal import is_terminal
from kernelseek_tui.exit_codes import ExitCode


@click.command()
@BANKS
def browse(banks: tuple[str, ...]) -> None:
    """Browse the questions on the screen: filter, search, read, copy.

    \b
    kernelseek bank browse
    kernelseek bank browse --bank my-entries/

    The number keys filter by group, layer, kind of moment, effect, device and upstream; / searches, y copies
    the question, ? lists the keys. In a live session or a replay, b opens the same over it.
    """
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        click.echo(
            "kernelseek: bank browse needs a terminal; without one, use `kernelseek bank list`.", err=True
        )
        raise SystemExit(ExitCode.USAGE)
    loaded = load_banks(banks)
    from kernelseek_tui.app.bank_browse import run_browse

    run_browse(loaded)
