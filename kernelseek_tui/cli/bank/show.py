"""`kernelseek bank show`."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from bank.forms.markdown import address
from bank.params import PARAMETERS
from bank.question import Question, Related
from bank.reviews import review_line
from bank.sources import load_banks
from bank.titles import evidence_words, leads_to, named_words, related_words
from kernelseek_tui.cli.bank.shared import BANKS, JSON, data_of, dump
from kernelseek_tui.effects.past import past_of
from kernelseek_tui.plain import line

Row = tuple[str, str]


@click.command()
@click.argument("entry_id", metavar="ID")
@BANKS
@JSON
def show(entry_id: str, banks: tuple[str, ...], as_json: bool) -> None:
    """Show one entry with all that stands beside its question.

    \b
    kernelseek bank show kq-routing-001
    kernelseek bank show kq-host-003 --json | jq .sources
    """
    loaded = load_banks(banks)
    entry = loaded.get(entry_id)
    if as_json:
        click.echo(dump(data_of(entry)))
        return
    replaced = [other.id for other in loaded.entries for link in other.related if _replaces(link, entry)]
    for label, text in (
        *_asked(entry),
        *_origin(entry, replaced),
        *_kept(entry, Path(loaded.files[entry.id])),
    ):
        click.echo(f"{label:<15}{line(text)}")


def _asked(entry: Question) -> Iterator[Row]:
    """What is asked, when, and what an answer is."""
    asked = entry.measurement
    yield "id", f"{entry.id}  ({entry.group.value}, {entry.status})"
    yield "question", entry.question
    for name in entry.params:
        yield "parameter", f"{{{name}}}: filled in from the session, else {PARAMETERS[name]!r}"
    yield "asked at", ", ".join(kind.value for kind in entry.decision_kinds)
    yield "category", ", ".join(category.value for category in entry.category)
    closure = "; refuses to close early" if entry.refuses_closure else ""
    yield "moves", f"{entry.moves.from_.value} -> {entry.moves.to.value}{closure}"
    if entry.architectures:
        yield "only for", ", ".join(family.value for family in entry.architectures)
    if entry.needs_upstream:
        yield "needs", "another implementation to compare with"
    yield "measurement", f"{asked.method} ({', '.join(asked.tools)})"
    yield "number", f"{asked.number}, in {asked.unit}"
    for outcome in entry.outcomes:
        yield "outcome", f"{outcome.if_}: {leads_to(outcome.verdict, outcome.next)}"
    yield "answered when", entry.answered_when


def _replaces(link: Related, entry: Question) -> bool:
    return link.type == "obsolete" and link.id == entry.id


def _origin(entry: Question, replaced: Iterable[str]) -> Iterator[Row]:
    """Where it comes from, what it is near, and which entries name it as what came in their place."""
    for link in entry.related:
        yield "related", related_words(link.type, link.id)
    for other in replaced:
        yield "related", named_words("obsolete", other)
    for source in entry.sources:
        yield "source", f"{source.lesson} ({source.ref}, seen {source.seen})"
        if address(source.ref) != source.ref:
            yield "", address(source.ref)
    for seen in entry.evidence:
        yield "evidence", evidence_words(seen)
    origin = entry.provenance
    written = "with AI" if origin.ai_assisted else "without AI"
    yield "provenance", f"{origin.kind} {origin.date} by {origin.author}, {written}"
    for lint, excuse in entry.lint_ok.items():
        yield "lint explained", f"{lint} by {excuse.by}: {excuse.reason}"


def _kept(entry: Question, file: Path) -> Iterator[Row]:
    """What is kept of it apart from its text."""
    yield "review", review_line(entry, file)
    yield "past effect", past_of(entry.id)
    yield "file", str(file)
