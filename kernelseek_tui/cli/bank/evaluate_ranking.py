"""`kernelseek bank evaluate-ranking`."""

import sys
import time
from pathlib import Path

import click

from kernelseek_tui.cli.bank.shared import BANKS, JSON, dump
from kernelseek_tui.cli.terminal import is_terminal
from kernelseek_tui.plain import line
from sessions.errors import RefusedInput


@click.command("evaluate-ranking")
@click.argument("labels", type=click.Path(path_type=Path))
@click.option("--root", type=click.Path(path_type=Path), help="Where sessions lie; else beside the labels.")
@BANKS
@click.option("--baselines/--no-baselines", default=True, show_default=True, help="Score simple methods too.")
@click.option(
    "--counted-on",
    "elsewhere",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="LABELS",
    help="Other labels: what they name most for a kind is one more method beside the ranker.",
)
@click.option("--cases", is_flag=True, help="Print each state with its label and the top three.")
@JSON
def evaluate_ranking(
    labels: Path,
    root: Path | None,
    banks: tuple[str, ...],
    baselines: bool,
    elsewhere: tuple[Path, ...],
    cases: bool,
    as_json: bool,
) -> None:
    """Score the ranking of questions on LABELS: states with the groups and layers that would help there.

    \b
    kernelseek bank evaluate-ranking states.json
    kernelseek bank evaluate-ranking states.json --root runs/ --json | jq '.methods.ranker.group'

    A hit: one of the first suggestions is of an acceptable group. Chance and intervals stand beside every
    figure. See docs/ranking.md. Ends 3 when the labels, or all the sessions they name, cannot be read.
    """
    from bank.evaluation.folding import fold_states
    from bank.evaluation.labels import read_states
    from bank.evaluation.report import report_of
    from bank.sources import load_banks
    from kernelseek_tui.cli.bank.ranking_object import as_object
    from kernelseek_tui.cli.bank.ranking_text import as_lines, case_lines
    from kernelseek_tui.review.next_gain import NextGains

    bank = load_banks(banks)
    progress = _Progress()
    states, refused = fold_states(
        read_states(labels), root if root is not None else labels.parent, NextGains, progress.at
    )
    progress.done()
    if not states:
        why = next(iter(refused.values()))
        raise RefusedInput(f"{labels}: none of the sessions it names can be read; the first: {why}")
    others = [state for path in elsewhere for state in read_states(path)]
    report = report_of(states, bank, baselines=baselines, elsewhere=others)
    if as_json:
        click.echo(dump(as_object(report, refused)))
        return
    lines = list(as_lines(report, refused))
    if cases:
        lines += ["", *case_lines(report)]
    click.echo("\n".join(lines))


class _Progress:
    """Says on stderr which file is read: redrawn on a terminal, else now and then."""

    def __init__(self) -> None:
        self._live = is_terminal(sys.stderr)
        self._spoke = time.monotonic()
        self._drawn = False

    def at(self, number: int, total: int, name: str) -> None:
        """Before each file."""
        text = line(f"reading session {number} of {total}: {name}")[:100]
        if self._live:
            click.echo(f"\r\x1b[K{text}", nl=False, err=True)
            self._drawn = True
        elif time.monotonic() - self._spoke >= _QUIET:
            self._spoke = time.monotonic()
            click.echo(text, err=True)

    def done(self) -> None:
        """Leave no half line behind."""
        if self._drawn:
            click.echo("\r\x1b[K", nl=False, err=True)


_QUIET = 5.0  # seconds between two lines where nothing is redrawn
