"""The options that `demo` and `steer` share, and how both run a session to its end."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from bank.sources import load_banks
from kernelseek_tui.cli.bank_option import BANKS
from kernelseek_tui.cli.numbers import Finite
from kernelseek_tui.launch import QUESTIONERS
from kernelseek_tui.plain import line
from kernelseek_tui.steer import LiveSession

F = TypeVar("F", bound=Callable[..., Any])


def live_options(command: F) -> F:
    """`--questioner`, `--bank`, `--headless`, `--explore`, `--budget`, `--seed`, `--pace` and `--python`."""
    for option in (
        click.option(
            "--python",
            metavar="PATH",
            help="The interpreter that has torch, for the reference; default: this one.",
        ),
        click.option(
            "--pace",
            type=Finite(min=0, max=60),
            default=None,
            metavar="SECONDS",
            help="How long the rehearsed agent waits before each reply. [default: 1.0 on a screen, else 0.1]",
        ),
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            default=0,
            show_default=True,
            help="Which loss the rehearsed agent finds alone; also draws for --questioner random.",
        ),
        click.option(
            "--budget",
            type=click.IntRange(min=0),
            default=20,
            show_default=True,
            help="Questions an automatic questioner may ask in all.",
        ),
        click.option(
            "--explore",
            type=Finite(min=0, max=1),
            default=0.0,
            show_default=True,
            metavar="RATE",
            help="Draw the last suggestion of each list; the bank asks it this often instead of the first.",
        ),
        click.option("--headless", is_flag=True, help="No screen: a line an event on stderr."),
        BANKS,
        click.option(
            "--questioner",
            type=click.Choice(QUESTIONERS),
            default=None,
            help="Who decides what is asked. [default: human on a screen, else bank]",
        ),
    ):
        command = option(command)
    return command


def has_terminal() -> bool:
    """A screen can be drawn and keys can be read."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def choose_questioner(asked: str | None, headless: bool) -> str:
    """The questioner, or its default. Raises `click.UsageError`: nobody can press keys without a screen."""
    if headless and asked == "human":
        raise click.UsageError(
            "--questioner human needs the screen; drop --headless, or choose bank, self, random or none."
        )
    return asked or ("bank" if headless else "human")


def run_session(session: LiveSession, headless: bool) -> int:
    """Run it on the screen or without, then say on stdout where everything is."""
    if headless:
        from kernelseek_tui.headless import run_headless

        code = run_headless(session, lambda line: click.echo(line, err=True))
    else:
        from kernelseek_tui.app.live import run_live

        code = run_live(session)
    best = session.state.best
    click.echo(f"verdict: {line(session.verdict)} (exit {code})")
    if session.failure and session.failure.rstrip(".") not in session.verdict:
        click.echo(f"agent: {line(session.failure)}")
    if session.trouble:
        click.echo(f"judge: {line(session.trouble)}")
    if best is not None:
        click.echo(f"best: {best.event.detail}")
        click.echo(f"record: {best.event.record}")
    click.echo(f"journal: {session.journal_path}")
    if not session.rehearsed:
        keep_effects(session.journal_path, asked=bool(session.state.asked))
    if session.rehearsed:
        real = "the measurements are real" if best is not None else "nothing was measured"
        click.echo(f"rehearsed: the agent was scripted; {real}")
    return code


def keep_effects(journal: Path, *, asked: bool) -> None:
    """Measure what a session's questions led to, so that later rankings know it; says so where that fails."""
    if not asked:
        return
    from bank.effects.store import cache_path
    from kernelseek_tui.effects.journals import keep
    from kernelseek_tui.effects.wording import Wordings

    if trouble := keep(journal, Wordings(load_banks()), cache_path()):
        click.echo(line(f"What the questions led to was not kept: {trouble}"), err=True)
