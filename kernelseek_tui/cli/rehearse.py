"""`kernelseek rehearse serve`: a scripted model on loopback for real agent clients."""

import threading
from pathlib import Path

import click

from kernelseek_tui.agents.rehearsal.script import DEFAULT, load_script
from kernelseek_tui.cli.numbers import Finite
from kernelseek_tui.rehearse.faults import MEANINGS, Fault, FaultError, parse_fault
from kernelseek_tui.rehearse.server import RehearsalServer

_FAULTS = "\n    ".join(f"{kind:<9} {meaning}" for kind, meaning in MEANINGS.items())


def _faults(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[Fault, ...]:
    try:
        return tuple(parse_fault(value) for value in values)
    except FaultError as error:
        raise click.BadParameter(str(error)) from None


@click.group()
def rehearse() -> None:
    """Rehearsals for agent clients that are not ours.

    \b
    kernelseek rehearse serve --port 8790
    """


@rehearse.command(
    help=f"""Play a rehearsal script as a model, so that a real agent client runs without a key.

    Speaks the Anthropic Messages API on 127.0.0.1. Prints what to export, then answers until Ctrl-C (exit
    code 130). The words are the script's; the client and its tools are real, and token counts are estimates.

    \b
    kernelseek rehearse serve --port 8790
    kernelseek rehearse serve --fault 529@3 --fault cut@6      each once
    kernelseek rehearse serve --fault 401@1-                   no key is ever valid

    Faults are KIND[=VALUE][@N[-[M]]]. Requests that offer tools are counted from 1, a client's retries
    included. Without @ one request is struck, the first; @N strikes the N-th only, @N-M the N-th to the
    M-th, @1- every one. What follows is answered as if nothing had been.

    \b
    {_FAULTS}
    """
)
@click.option(
    "--script",
    type=click.Path(path_type=Path, dir_okay=False),
    default=DEFAULT,
    help="A rehearsal script (docs/rehearsal-scripts.md); default: the attention script.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Which variant of the script is played.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port; 0 (default) takes a free one."
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="KIND[=VALUE][@N[-[M]]]",
    callback=_faults,
    help="What goes wrong, and when: 401 at the first request only, 401@1- at every one. May be repeated.",
)
@click.option(
    "--pace",
    type=Finite(0, 10),
    default=0.0,
    show_default=True,
    help="Seconds between the events of a streamed reply.",
)
@click.option(
    "--log",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Append one JSON line for each request. No header is logged.",
)
def serve(
    script: Path, seed: int, port: int, faults: tuple[Fault, ...], pace: float, log: Path | None
) -> None:
    """Serve until Ctrl-C."""
    with RehearsalServer(load_script(script), seed, port, faults, pace, log) as server:
        click.echo(f"ANTHROPIC_BASE_URL={server.url}")
        click.echo("ANTHROPIC_API_KEY=rehearsal")
        click.echo("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
        click.echo("DISABLE_AUTOUPDATER=1")
        click.echo(
            "Export these in another terminal (use an empty HOME for a client with a login) and start the "
            f'client in a workspace, e.g. claude -p "$(cat TASK.md)". Seed {seed}. Ctrl-C ends it.',
            err=True,
        )
        threading.Event().wait()
