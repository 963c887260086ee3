"""`kernelseek demo`: a rehearsed live session."""

from pathlib import Path

import click

from bank.sources import load_banks
from harness.operators import load_operator
from harness.workspace import create, state_home
from kernelseek_tui.cli.live_options import choose_questioner, has_terminal, live_options, run_session
from kernelseek_tui.launch import open_session
from kernelseek_tui.questioners.limits import Limits
from sessions.home import new_session_id

TARGET = 1.8
"""Neither planted loss alone gets every scenario there (tests/demo)."""


@click.command()
@live_options
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Where the agent's workspace is made. [default: a new folder under the state folder]",
)
def demo(
    questioner: str | None,
    banks: tuple[str, ...],
    headless: bool,
    budget: int,
    explore: float,
    seed: int,
    pace: float | None,
    python: str | None,
    folder: Path | None,
) -> int:
    """Watch a scripted agent make a real kernel faster, and ask it the question it needs.

    The agent's words are written beforehand; its edits, the builds, the checks and the timings are real, on
    this machine's CPU. It needs no key and no GPU and takes two to five minutes.

    \b
    kernelseek demo                                     you ask
    kernelseek demo --headless --questioner bank        the bank asks: ends with the goal met, exit 0
    kernelseek demo --headless --questioner none        nobody asks: ends unmet, exit 10
    kernelseek demo --seed 1                            the agent misses the other loss

    Ends with the judge's verdict; see docs/exit-codes.md.
    """
    if not headless and not has_terminal():
        click.echo("There is no terminal here: running headless (as with --headless).", err=True)
        headless = True
    chosen = choose_questioner(questioner, headless)
    folder = folder or state_home() / "demo" / new_session_id()
    workspace = create(load_operator("attention"), folder, state_home(), TARGET, "demo")
    session = open_session(
        workspace,
        questioner=chosen,
        bank=load_banks(banks),
        limits=Limits(questions=budget),
        explore=explore,
        seed=seed,
        pace=pace if pace is not None else (0.1 if headless else 1.0),
        python=python,
    )
    click.echo(f"workspace: {workspace.root}", err=True)
    click.echo(f"journal:   {session.journal_path}", err=True)
    return run_session(session, headless)
