"""`kernelseek operators`: what can be made fast here, and the beginning of a new one."""

import json
from pathlib import Path

import click

from harness.operators import operator_names
from kernelseek_tui.cli.operator_text import described, details, origins, plain_details
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.plain import line
from kernelseek_tui.scaffold import ScaffoldError, check_name, package_of, write

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def operators() -> None:
    """What can be made fast: list, show, new.

    \b
    kernelseek operators list
    kernelseek operators show rms_norm --set full
    kernelseek operators new row_softmax
    """


@operators.command("list")
@_JSON
def list_operators(as_json: bool) -> None:
    """List the installed operators; one that cannot be loaded is a line that says why.

    \b
    kernelseek operators list
    kernelseek operators list --json
    """
    found = [described(name, where) for name, where in origins()]
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    width = max((len(one["name"]) for one in found), default=0)
    for one in found:
        head = line(f"{one['name']:<{width}}  ")
        if one["error"]:
            click.echo(f"{head}broken: {line(one['error'])}")
            continue
        sets = ", ".join(f"{name} {count}" for name, count in one["sets"].items())
        click.echo(f"{head}{line(one['summary'])}")
        click.echo(line(f"{'':<{width}}  sets: {sets}; baselines: {', '.join(one['baselines'])}"))
        click.echo(line(f"{'':<{width}}  from {one['from']}"))
    broken = sum(bool(one["error"]) for one in found)
    click.echo(f"{len(found)} operators{f', {broken} broken' if broken else ''}", err=True)


@operators.command()
@click.argument("name")
@click.option(
    "--set", "set_name", metavar="SET", help="Only the scenarios of this set; default: every set's."
)
@_JSON
def show(name: str, set_name: str | None, as_json: bool) -> None:
    """Show the five slots of an operator: scenarios, inputs, reference, baselines, bound.

    \b
    kernelseek operators show attention --set demo
    kernelseek operators show rms_norm --json
    """
    data = details(name, set_name)
    if as_json:
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
        return
    for text in plain_details(data):
        click.echo(line(text))


@operators.command()
@click.argument("name")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
def new(name: str, folder: Path | None) -> None:
    """Begin an operator: a small package in DIR (default: ./NAME) that is judged and passes its tests.

    As written it is a row softmax; docs/contributing/operator.md says what to change in which order.

    \b
    kernelseek operators new layer_norm
    kernelseek operators new layer_norm ~/src/layer-norm
    """
    check_name(name)
    if name in operator_names():
        raise ScaffoldError(
            f"There is an operator {name} already (`kernelseek operators list`); choose another name.",
            ExitCode.INPUT_REFUSED,
        )
    folder = Path(name) if folder is None else folder.expanduser()
    written = write(name, folder)
    click.echo(f"Wrote {len(written)} files into {line(str(folder))}:")
    for path in written:
        click.echo(f"  {line(path.relative_to(folder).as_posix())}")
    click.echo("Next:")
    click.echo(f"  cd {line(str(folder))}")
    click.echo("  pip install -e . --no-deps && pytest")
    click.echo(f"  kernelseek evaluate {package_of(name)}/start.cpp --operator {name}")
