"""`kernelseek steer`: own a live session in a workspace."""

from pathlib import Path

import click

from harness.workspace import require
from kernelseek_tui.agents.builtin.agent import DEFAULT_MODEL
from kernelseek_tui.cli.live_options import choose_questioner, has_terminal, live_options, run_session
from kernelseek_tui.cli.numbers import Finite
from kernelseek_tui.launch import AGENTS, check_agent, make_agent, open_session
from kernelseek_tui.questioners.limits import Limits


@click.command()
@click.argument(
    "folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path, file_okay=False, exists=True)
)
@click.option(
    "--agent",
    type=click.Choice(AGENTS),
    required=True,
    help="The agent to run: Claude Code, ours on the Messages API, or the scripted one.",
)
@click.option(
    "--claude",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="PATH",
    help="The binary of Claude Code. [default: KERNELSEEK_CLAUDE, then `claude` on PATH]",
)
@click.option(
    "--resume", metavar="ID", help="Go on with this session: Claude Code's id of it; of a rehearsal ours."
)
@click.option("--fork", is_flag=True, help="With --resume: go on with a copy of it.")
@click.option("--model", metavar="NAME", help=f"The model. [default: the client's; builtin: {DEFAULT_MODEL}]")
@click.option(
    "--spend-ceiling",
    type=Finite(min=0, min_open=True),
    metavar="DOLLARS",
    help="The agent stops when this run has spent so much. [default: none]",
)
@click.option("--allow-all", is_flag=True, help="The agent uses its tools without asking you.")
@live_options
def steer(
    folder: Path,
    agent: str,
    claude: Path | None,
    resume: str | None,
    fork: bool,
    model: str | None,
    spend_ceiling: float | None,
    allow_all: bool,
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
    kernelseek steer work --agent rehearsal --resume ID                     goes on with a session
    kernelseek steer work --agent claude                                    your own Claude Code
    kernelseek steer work --agent claude --allow-all --headless             nobody there to allow its tools
    kernelseek steer work --agent builtin --spend-ceiling 5                 needs ANTHROPIC_API_KEY

    Evaluations the agent asks for are made by this process's own judge, and only these count. Headless it
    ends with the judge's verdict; see docs/exit-codes.md.
    """
    if not headless and not has_terminal():
        raise click.UsageError("steer needs a terminal; add --headless to run without a screen.")
    if agent != "claude" and (claude or fork):
        raise click.UsageError("--claude and --fork are for --agent claude.")
    if agent == "builtin" and resume:
        raise click.UsageError("--resume is for --agent claude and --agent rehearsal.")
    if fork and not resume:
        raise click.UsageError("--fork makes a copy of the session that --resume names; name one.")
    if headless and agent != "rehearsal" and not allow_all:
        raise click.UsageError(
            f"headless, nobody is there to allow what {agent} wants to do, and every tool would be denied; "
            "add --allow-all, or steer on the screen."
        )
    chosen = choose_questioner(questioner, headless)
    pace = pace if pace is not None else (0.1 if headless else 1.0)
    workspace = require(folder)
    made = make_agent(
        agent, pace=pace, spend_ceiling=spend_ceiling, claude=claude, candidate=workspace.candidate
    )
    check_agent(made, workspace, allow_all=allow_all)
    session = open_session(
        workspace,
        questioner=chosen,
        agent=made,
        limits=Limits(questions=budget),
        seed=seed,
        model=model,
        allow_all=allow_all,
        resume=resume,
        fork=fork,
        python=python,
    )
    click.echo(f"journal: {session.journal_path}", err=True)
    return run_session(session, headless)
