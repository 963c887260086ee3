"""`kernelseek bank suggest`."""

from pathlib import Path

import click

from bank.ranking import rank
from bank.sources import load_banks
from kernelseek_tui.cli.bank.shared import BANKS, JSON, KINDS, dump
from kernelseek_tui.cli.inspect import reading_progress
from kernelseek_tui.cli.moment import moment_at
from kernelseek_tui.plain import line
from sessions.events import Suggestion
from sessions.readers.detect import resolve
from sessions.vocabulary import DecisionKind


@click.command()
@click.argument("session", type=click.Path(path_type=Path))
@click.option(
    "--at", "entry", type=click.IntRange(min=0), help="As known at this 0-based line of the source."
)
@click.option("--kind", type=KINDS, help="The kind of moment; else the last decision point by then.")
@click.option("--limit", type=click.IntRange(min=1), default=5, show_default=True, help="How many.")
@click.option("--arch", default="", help="The device's name, for questions that have a place for it.")
@BANKS
@JSON
def suggest(
    session: Path,
    entry: int | None,
    kind: str | None,
    limit: int,
    arch: str,
    banks: tuple[str, ...],
    as_json: bool,
) -> None:
    """Rank the questions for a moment of SESSION, a journal or transcript, with the reasons.

    \b
    kernelseek bank suggest ~/.claude/projects/x/session.jsonl --kind claimed_limit
    kernelseek bank suggest session.jsonl --at 240 --json
    """
    loaded = load_banks(banks)
    source = resolve(session)
    with reading_progress(source) as progress:
        state, at_kind = moment_at(source, entry, DecisionKind(kind) if kind else None, loaded, progress)
    suggestions = rank(loaded, state, at_kind, facts={"arch": arch}, limit=limit)
    if as_json:
        items = [{"id": s.entry, **s.model_dump(exclude={"entry"})} for s in suggestions]
        click.echo(dump({"kind": at_kind, "bank": loaded.version, "suggestions": items}))
        return
    for number, suggestion in enumerate(suggestions, 1):
        click.echo(_suggestion(number, suggestion))
    click.echo(f"{at_kind.value}, {state.count} events seen, bank {loaded.version}", err=True)


def _suggestion(number: int, suggestion: Suggestion) -> str:
    head = (
        f"{number}. {suggestion.question}\n   {suggestion.entry}  {suggestion.group}  {suggestion.score:+.2f}"
    )
    return "\n".join([head, *(f"   - {line(reason)}" for reason in suggestion.reasons)])
