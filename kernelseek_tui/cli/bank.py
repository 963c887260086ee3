"""`kernelseek bank`: list, show, lint and suggest the questions."""

import json
from pathlib import Path

import click

from bank.admission.finding import LintFinding
from bank.admission.lints import admit_path
from bank.bank import ENTRIES, Bank
from bank.errors import BankError
from bank.params import fill
from bank.question import Group, Question
from bank.ranking import rank
from kernelseek_tui.cli.moment import moment_at
from kernelseek_tui.plain import line
from sessions.events import Suggestion
from sessions.vocabulary import DecisionKind

_KINDS = click.Choice([kind.value for kind in DecisionKind])
_GROUPS = click.Choice([group.value for group in Group])
_BANK = click.option(
    "--bank", "folder", type=click.Path(path_type=Path), help="Another bank: a folder of *.yaml."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def bank() -> None:
    """The questions: list, show, lint, suggest.

    \b
    kernelseek bank list --kind plateau
    kernelseek bank show kq-host-001
    kernelseek bank lint my-entries/ --strict
    kernelseek bank suggest SESSION.jsonl --kind plateau
    """


@bank.command("list")
@click.option("--group", type=_GROUPS, help="Only entries of this group.")
@click.option("--kind", type=_KINDS, help="Only entries that serve this kind of decision point.")
@_BANK
@_JSON
def list_entries(group: str | None, kind: str | None, folder: Path | None, as_json: bool) -> None:
    """List the bank's entries.

    \b
    kernelseek bank list
    kernelseek bank list --group host-and-launch-path --json
    """
    loaded = Bank.load(folder)
    entries = loaded.select(group=Group(group) if group else None, kind=DecisionKind(kind) if kind else None)
    if as_json:
        click.echo(_dump([_data(entry) for entry in entries]))
        return
    width = max((len(entry.id) for entry in entries), default=0)
    for entry in entries:
        click.echo(f"{entry.id:<{width}}  {fill(entry.question, {})}")
    click.echo(f"{len(entries)} of {len(loaded.entries)} entries, bank {loaded.version}", err=True)


@bank.command()
@click.argument("entry_id", metavar="ID")
@_BANK
@_JSON
def show(entry_id: str, folder: Path | None, as_json: bool) -> None:
    """Show one entry with all that stands beside its question.

    \b
    kernelseek bank show kq-routing-001
    """
    entry = Bank.load(folder).get(entry_id)
    if as_json:
        click.echo(_dump(_data(entry)))
        return
    for label, text in _lines(entry):
        click.echo(f"{label:<15}{line(text)}")


@bank.command()
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--strict", is_flag=True, help="Refuse unexplained warnings too.")
@_JSON
def lint(path: Path | None, strict: bool, as_json: bool) -> None:
    """Check the admission rules over a folder or file of entries; without PATH over the shipped bank.

    Exits 0 when no rule of level error is broken, else 3; with --strict a warning counts as well. A warning
    is explained in the entry: lint_ok: {Q07: 'reason'}.

    \b
    kernelseek bank lint
    kernelseek bank lint my-entries/host.yaml --json
    """
    findings, count = admit_path(ENTRIES if path is None else path)
    errors = sum(found.level == "error" for found in findings)
    warnings = len(findings) - errors
    if as_json:
        click.echo(_dump({"entries": count, "findings": [_finding(found) for found in findings]}))
    else:
        for found in findings:
            click.echo(line(_line(found)))
    summary = f"{_count(count, 'entry', 'entries')}: {_count(errors, 'error')}, {_count(warnings, 'warning')}"
    if errors or (strict and warnings):
        raise BankError(f"{summary}; change what is named above, or explain a warning with lint_ok")
    click.echo(summary, err=True)


@bank.command()
@click.argument("session", type=click.Path(path_type=Path))
@click.option(
    "--at", "entry", type=click.IntRange(min=0), help="As known at this 0-based line of the source."
)
@click.option("--kind", type=_KINDS, help="The kind of moment; else the last decision point by then.")
@click.option("--limit", type=click.IntRange(min=1), default=5, show_default=True, help="How many.")
@click.option("--arch", default="", help="The device's name, for questions that have a place for it.")
@_BANK
@_JSON
def suggest(
    session: Path,
    entry: int | None,
    kind: str | None,
    limit: int,
    arch: str,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Rank the questions for a moment of SESSION, a journal or transcript, with the reasons.

    \b
    kernelseek bank suggest ~/.claude/projects/x/session.jsonl --kind claimed_limit
    kernelseek bank suggest session.jsonl --at 240 --json
    """
    loaded = Bank.load(folder)
    state, at_kind = moment_at(session, entry, DecisionKind(kind) if kind else None, loaded)
    suggestions = rank(loaded, state, at_kind, facts={"arch": arch}, limit=limit)
    if as_json:
        items = [{"id": s.entry, **s.model_dump(exclude={"entry"})} for s in suggestions]
        click.echo(_dump({"kind": at_kind, "bank": loaded.version, "suggestions": items}))
        return
    for number, suggestion in enumerate(suggestions, 1):
        click.echo(_suggestion(number, suggestion))
    click.echo(f"{at_kind.value}, {state.count} events seen, bank {loaded.version}", err=True)


def _dump(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _data(entry: Question) -> object:
    return entry.model_dump(mode="json", by_alias=True)


def _finding(found: LintFinding) -> dict[str, str]:
    return {
        "entry": found.entry,
        "lint": found.lint,
        "level": found.level,
        "words": found.words,
        "message": found.message,
    }


def _line(found: LintFinding) -> str:
    words = f"  [{found.words}]" if found.words and found.words not in found.message else ""
    return f"{found.level:<8} {found.lint:<8}{found.entry or 'bank':<18}{found.message}{words}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _suggestion(number: int, suggestion: Suggestion) -> str:
    head = (
        f"{number}. {suggestion.question}\n   {suggestion.entry}  {suggestion.group}  {suggestion.score:+.2f}"
    )
    return "\n".join([head, *(f"   - {line(reason)}" for reason in suggestion.reasons)])


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
