"""`kernelseek init`: a workspace for an agent."""

from pathlib import Path

import click

from bank.bank import Bank
from bank.skill import MAIN, NAME, skill_files
from harness.operators import load_operator
from harness.workspace import MARK, create, state_home
from kernelseek_tui.cli.numbers import Finite

SKILL = f".claude/skills/{NAME}"
TASK_NOTE = f"""
## The skill `{NAME}`

`{SKILL}/{MAIN}` has a way of working in five stages and the moments at which to put a question to yourself,
with a page of questions for each group. Load one page at a time, when its moment comes.
"""


def _workspace_around(folder: Path) -> Path | None:
    """The root of the workspace that `folder` lies in, damaged or not."""
    above = folder.resolve().parents
    return next((place for place in above if (place / MARK).is_file()), None)


@click.command()
@click.argument("operator")
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--target",
    type=Finite(min=0, min_open=True),
    default=1.8,
    show_default=True,
    help="The ratio over the start that every scenario's interval has to lie above.",
)
@click.option(
    "--set", "set_name", metavar="NAME", help="The scenarios of the goal; default: the operator's own."
)
@click.option(
    "--skill/--no-skill",
    default=True,
    show_default=True,
    help="Write the question bank as a skill for the agent; without it the agent only sees what it is asked.",
)
def init(operator: str, folder: Path, target: float, set_name: str | None, skill: bool) -> None:
    """Make DIR (default: here) a workspace in which an agent makes OPERATOR fast.

    Writes into DIR:

    \b
    candidate.cpp                 the one file that is judged; at first the slow start
    TASK.md                       the goal, the rules, the interface, the commands
    ks.h, ks_params.h             the interface, for an editor
    .claude/skills/kernelseek/    the question bank as a skill: SKILL.md and a page a group
    .kernelseek/workspace.toml    which workspace this is

    The contract (manifest, goal, records, a copy of the start) goes into the state folder, out of the way of
    the agent's edits. Nothing is overwritten: what is in the way is named, and nothing is written then.

    \b
    kernelseek init attention work
    kernelseek init attention work --set smoke --target 2.5
    kernelseek init attention bare --no-skill
    """
    around = _workspace_around(folder)
    files = {f"{SKILL}/{path}": text.encode() for path, text in skill_files(Bank.load()).items()}
    workspace = create(
        load_operator(operator),
        folder,
        state_home(),
        target,
        set_name,
        extras=files if skill else None,
        task_note=TASK_NOTE if skill else "",
    )
    if around is not None:
        click.echo(
            f"note: {workspace.root} lies inside the workspace {around}; below it `kernelseek` and the "
            "goal's hook mean the new one, and an agent of the outer one can edit both.",
            err=True,
        )
    goal = workspace.goal()
    click.echo(f"Made a workspace for {operator} in {workspace.root}")
    click.echo(f"  {workspace.candidate.name:<20} the one file to make fast; now the slow start")
    click.echo(f"  {'TASK.md':<20} what to tell the agent")
    click.echo(f"  {'ks.h, ks_params.h':<20} the interface, for your editor")
    if skill:
        click.echo(f"  {SKILL}/ the questions, as a skill for the agent")
    click.echo(f"Contract and records: {workspace.home}")
    click.echo(f"Goal over the set {goal.set} ({len(workspace.manifest.ids(goal.set))} scenarios):")
    for clause in goal.clause:
        click.echo(f"  {clause.id}: {clause.text}")
    click.echo("Next:")
    if folder.resolve() != Path.cwd():
        click.echo(f"  cd {folder}")
    click.echo("  kernelseek evaluate      judge the candidate")
    click.echo("  kernelseek goal check    what the newest evaluation says about the goal")
    click.echo("  kernelseek doctor        what this machine has and what is missing")
