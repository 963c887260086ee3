"""`kernelseek init`: a workspace for an agent."""

from pathlib import Path

import click

from bank.bank import Bank
from bank.skill import MAIN, NAME, skill_files
from harness.operators import load_operator
from harness.workspace import MARK, WorkspaceError, create, state_home
from kernelseek_tui.cli.numbers import Finite
from kernelseek_tui.own_benchmark.declared import FILE, declare

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


def _names(names: tuple[str, ...], *, adopts: bool) -> tuple[str | None, Path]:
    """The operator (None: a repository is adopted) and the folder."""
    if not names and not adopts:
        raise click.UsageError(
            "Name the operator to make fast (`kernelseek operators list`), or --benchmark COMMAND."
        )
    if any(not name.strip() for name in names):
        raise click.UsageError("An operator or folder has a name; an empty one was given.")
    if len(names) > 2:
        raise click.UsageError(f"One operator and one folder are enough; what is {names[2]!r}?")
    if adopts and len(names) <= 1:
        return None, Path(names[0] if names else ".")
    return names[0], Path(names[1] if len(names) > 1 else ".")


def _adopt(folder: Path, command: str) -> None:
    if not folder.is_dir():
        raise WorkspaceError(f"{folder} is no folder; name the repository that the benchmark lies in.")
    own = declare(folder, state_home(), command)
    click.echo(f"Adopted {folder.resolve()}: its own benchmark measures, and nothing is judged.")
    click.echo(f"  {FILE} says how it is run and read; nothing else was added or changed")
    click.echo(f"Results: {own.results}")
    click.echo("Next:")
    if folder.resolve() != Path.cwd():
        click.echo(f"  cd {folder}")
    click.echo("  kernelseek evaluate      run it once; if nothing is read, fill in how in the file")
    click.echo("  kernelseek attach        beside an agent that works here")


@click.command()
@click.argument("names", metavar="[OPERATOR] [DIR]", nargs=-1)
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
@click.option(
    "--benchmark",
    metavar="COMMAND",
    help="Adopt a repository as it is: its own COMMAND measures, and nothing is judged.",
)
def init(
    names: tuple[str, ...], target: float, set_name: str | None, skill: bool, benchmark: str | None
) -> None:
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

    With --benchmark and no OPERATOR (with one, both are made), an existing repository is adopted: one file
    is added to it, .kernelseek/benchmark.toml, which says how your benchmark is run and how its output is
    read. `kernelseek evaluate` there runs it, and a session that is attached shows its figures, marked as
    not judged.

    \b
    kernelseek init --benchmark 'python bench.py --json' .
    """
    if benchmark is not None and not benchmark.strip():
        raise click.UsageError("--benchmark takes the command that runs your benchmark; it is empty.")
    operator, folder = _names(names, adopts=benchmark is not None)
    if operator is None:
        assert benchmark is not None
        _adopt(folder, benchmark)
        return
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
    if benchmark is not None:
        declare(workspace.root, state_home(), benchmark)
    goal = workspace.goal()
    click.echo(f"Made a workspace for {operator} in {workspace.root}")
    click.echo(f"  {workspace.candidate.name:<20} the one file to make fast; now the slow start")
    click.echo(f"  {'TASK.md':<20} what to tell the agent")
    click.echo(f"  {'ks.h, ks_params.h':<20} the interface, for your editor")
    if benchmark is not None:
        click.echo(f"  {FILE} your benchmark, for `kernelseek evaluate --own`")
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
