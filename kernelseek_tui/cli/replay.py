"""`kernelseek replay`: any transcript on the screen."""

import sys
from pathlib import Path

import click

from kernelseek_tui.exit_codes import ExitCode


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--at", type=click.IntRange(min=0), metavar="ENTRY", help="Start here, as inspect counts.")
@click.option(
    "--speed",
    type=click.FloatRange(min=0.25, max=1024),
    default=16.0,
    show_default=True,
    help="How many times faster than it happened.",
)
def replay(path: Path, at: int | None, speed: float) -> None:
    """Scrub a transcript; see what would have been asked, and when.

    PATH is a journal of ours, a Claude Code transcript, a `claude -p` stream, or a session's folder. Nothing
    is shown that was not known at the cursor. ← and → step, n goes to the next decision point, ? lists the
    keys.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        click.echo(
            f"kernelseek: replay needs a terminal; without one, use `kernelseek inspect {path}`.",
            err=True,
        )
        raise SystemExit(ExitCode.USAGE)
    # Textual takes a quarter of a second to import: not before it is needed.
    from kernelseek_tui.app.replay import run_replay

    run_replay(path, at, speed)
