"""`kernelseek steer`: own a live session in a workspace."""

from pathlib import Path

import click

from bank.sources import load_banks
from harness.workspace import require
from kernelseek_tui.agents.builtin.agent import DEFAULT_MODEL
from kernelseek_tui.agents.claude.resuming import check_there, is_client_id, where_ids_stand
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
@click.option("--allow-all", is_flag=True, help="The agent uses every tool without asking you.")
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
    banks: tuple[str, ...],
    headless: bool,
    budget: int,
    explore: float,
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
    kernelseek steer work --agent claude --headless --questioner self       nobody there: it stays in DIR
    kernelseek steer work --agent claude --headless --allow-all             nobody there: it may do anything
    kernelseek steer work --agent builtin --spend-ceiling 5                 needs ANTHROPIC_API_KEY

    Without --allow-all you are asked before a tool is used. Headless nobody can be: then what stays in DIR is
    allowed (reading and editing its files, `kernelseek`, building and running programs there), the rest is
    denied in words that the agent reads, and counted at the end. docs/drivers.md has the list.

    Evaluations the agent asks for are made by this process's own judge, and only these count. Headless it
    ends with the judge's verdict; see docs/exit-codes.md.
    """
    if not headless and not has_terminal():
        raise click.UsageError("steer needs a terminal; add --headless to run without a screen.")
    if agent != "claude" and (claude or fork):
        raise click.UsageError("--claude and --fork are for --agent claude.")
    if agent == "builtin" and resume is not None:
        raise click.UsageError("--resume is for --agent claude and --agent rehearsal.")
    if fork and resume is None:
        raise click.UsageError("--fork makes a copy of the session that --resume names; name one.")
    if agent == "rehearsal" and (model or spend_ceiling):
        raise click.UsageError("--model and --spend-ceiling are for --agent claude and --agent builtin.")
    if agent != "rehearsal" and pace is not None:
        raise click.UsageError("--pace is for --agent rehearsal.")
    if resume == "":
        raise click.UsageError("--resume needs the id of a session; it is empty.")
    if agent == "claude" and resume is not None:
        if not is_client_id(resume):
            raise click.UsageError(
                f"--resume takes Claude Code's own id of a session, a UUID, and {resume!r} is none; "
                f"{where_ids_stand()}."
            )
        check_there(resume)
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
        bank=load_banks(banks),
        limits=Limits(questions=budget),
        explore=explore,
        seed=seed,
        model=model,
        allow_all=allow_all,
        resume=resume,
        fork=fork,
        python=python,
    )
    click.echo(f"journal: {session.journal_path}", err=True)
    return run_session(session, headless)
