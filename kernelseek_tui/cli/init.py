"""`kernelseek init`: a workspace for an agent."""

import math
from pathlib import Path

import click

from harness.operators import load_operator
from harness.workspace import create, state_home


def _finite(_: click.Context, __: click.Parameter, value: float) -> float:
    if not math.isfinite(value):
        raise click.BadParameter("has to be a finite number")
    return value


@click.command()
@click.argument("operator")
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--target",
    type=click.FloatRange(min=0, min_open=True),
    default=1.8,
    show_default=True,
    callback=_finite,
    help="The ratio over the start that every scenario's interval has to lie above.",
)
@click.option(
    "--set", "set_name", metavar="NAME", help="The scenarios of the goal; default: the operator's own."
)
def init(operator: str, folder: Path, target: float, set_name: str | None) -> None:
    """Make DIR (default: here) a workspace in which an agent makes OPERATOR fast.

    Writes the candidate, TASK.md and two headers into DIR, and the contract (manifest, goal, records) into
    the state folder, out of the way of the agent's edits. Nothing is overwritten.
    """
    workspace = create(load_operator(operator), folder, state_home(), target, set_name)
    goal = workspace.goal()
    click.echo(f"Made a workspace for {operator} in {workspace.root}")
    click.echo(f"  {workspace.candidate.name:<20} the one file to make fast; now the slow start")
    click.echo(f"  {'TASK.md':<20} what to tell the agent")
    click.echo(f"  {'ks.h, ks_params.h':<20} the interface, for your editor")
    click.echo(f"Contract and records: {workspace.home}")
    click.echo(f"Goal over the set {goal.set} ({len(workspace.manifest.ids(goal.set))} scenarios):")
    for clause in goal.clause:
        click.echo(f"  {clause.id}: {clause.text}")
    click.echo("Next:")
    if folder.resolve() != Path.cwd():
        click.echo(f"  cd {folder}")
    click.echo("  kernelseek evaluate      judge the candidate")
    click.echo("  kernelseek goal check    what the newest evaluation says about the goal")
