"""`kernelseek steer`: own a live session in a workspace."""

from pathlib import Path

import click

from harness.workspace import require
from kernelseek_tui.cli.live_options import choose_questioner, has_terminal, live_options, run_session
from kernelseek_tui.launch import AGENTS, open_session
from kernelseek_tui.questioners.limits import Limits


@click.command()
@click.argument(
    "folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path, file_okay=False, exists=True)
)
@click.option(
    "--agent",
    type=click.Choice(AGENTS),
    required=True,
    help="The agent to run. Only the scripted one is built.",
)
@live_options
def steer(
    folder: Path,
    agent: str,
    questioner: str | None,
    headless: bool,
    budget: int,
    seed: int,
    pace: float | None,
    python: str | None,
) -> int:
    """Own a live session in the workspace DIR: transcript, scoreboard, decision points, questions.

    \b
    kernelseek init attention work
    kernelseek steer work --agent rehearsal                                 on the screen
    kernelseek steer work --agent rehearsal --headless --questioner bank    by itself

    Evaluations the agent asks for are made by this process's own judge, and only these count. Headless it
    ends with the judge's verdict; see docs/exit-codes.md.
    """
    if not headless and not has_terminal():
        raise click.UsageError("steer needs a terminal; add --headless to run without a screen.")
    chosen = choose_questioner(questioner, headless)
    session = open_session(
        require(folder),
        questioner=chosen,
        limits=Limits(questions=budget),
        seed=seed,
        pace=pace if pace is not None else (0.1 if headless else 1.0),
        python=python,
    )
    click.echo(f"journal: {session.journal_path}", err=True)
    return run_session(session, headless)
