"""`kernelseek replay`: any transcript on the screen."""

import gc
import sys
from pathlib import Path

import click

from kernelseek_tui.cli.bank_option import BANKS
from kernelseek_tui.cli.numbers import Finite
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.plain import one_line


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--at", type=click.IntRange(min=0), metavar="ENTRY", help="Start here, as inspect counts.")
@click.option(
    "--speed",
    type=Finite(min=0.25, max=1024),
    default=16.0,
    show_default=True,
    help="How many times faster than it happened.",
)
@click.option(
    "--mapping", type=click.Path(path_type=Path), help="How the columns of a score log are meant (TOML)."
)
@BANKS
def replay(path: Path, at: int | None, speed: float, mapping: Path | None, banks: tuple[str, ...]) -> None:
    """Scrub a transcript; see what would have been asked, and when.

    \b
    kernelseek replay ~/.claude/projects/-home-me-kernel/0a72….jsonl
    kernelseek replay "$KERNELSEEK_HOME/sessions/20261129-141652-3f9a1c" --at 120

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
    # Textual takes a quarter of a second to import: something is on the screen before that. Nothing that is
    # made until the first frame is garbage, and looking for it takes a fifth of the time: the screen turns
    # that on again.
    opening(path.name)
    gc.disable()
    try:
        from kernelseek_tui.app.replay import run_replay

        run_replay(path, at, speed, mapping, banks)
    finally:
        gc.enable()
        sys.stdout.write(CLEAR)


CLEAR = "\r\x1b[K"


def opening(name: str) -> None:
    """A line that stands there until the screen does; taken away afterwards."""
    sys.stdout.write(f"opening {one_line(name, 60)} ..{CLEAR[:1]}")
    sys.stdout.flush()
