"""`kernelseek bank show`."""

from pathlib import Path

import click

from bank.bank import Bank
from bank.question import Question
from kernelseek_tui.cli.bank.shared import BANK, JSON, data_of, dump
from kernelseek_tui.plain import line


@click.command()
@click.argument("entry_id", metavar="ID")
@BANK
@JSON
def show(entry_id: str, folder: Path | None, as_json: bool) -> None:
    """Show one entry with all that stands beside its question.

    \b
    kernelseek bank show kq-routing-001
    """
    entry = Bank.load(folder).get(entry_id)
    if as_json:
        click.echo(dump(data_of(entry)))
        return
    for label, text in _lines(entry):
        click.echo(f"{label:<15}{line(text)}")


def _lines(entry: Question) -> list[tuple[str, str]]:
    asked = entry.measurement
    lines = [
        ("id", f"{entry.id}  ({entry.group.value}, {entry.status})"),
        ("question", entry.question),
        ("asked at", ", ".join(kind.value for kind in entry.decision_kinds)),
        ("category", ", ".join(category.value for category in entry.category)),
        ("moves", f"{entry.moves.from_.value} -> {entry.moves.to.value}"),
        ("measurement", f"{asked.method} ({', '.join(asked.tools)})"),
        ("number", f"{asked.number}, in {asked.unit}"),
    ]
    lines += [("outcome", f"{o.if_}: {(o.next.value if o.next else o.verdict)}") for o in entry.outcomes]
    lines.append(("answered when", entry.answered_when))
    lines += [("source", f"{source.ref}: {source.lesson}") for source in entry.sources]
    written = "with AI" if entry.provenance.ai_assisted else "without AI"
    lines.append(("provenance", f"{entry.provenance.kind} {entry.provenance.date}, {written}"))
    return lines
