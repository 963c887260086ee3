"""`kernelseek bank new`."""

from collections.abc import Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from bank.drafting.draft import AUTHOR, Draft, Wanted, draft
from bank.errors import BankError
from bank.question import Architecture, Category, Group
from kernelseek_tui.cli.bank.new_asking import ask_for, can_ask
from kernelseek_tui.cli.bank.new_lists import print_lists
from kernelseek_tui.cli.bank.new_values import moves_of, outcome_of
from kernelseek_tui.cli.bank.shared import GROUPS, KINDS, count
from kernelseek_tui.plain import line
from sessions.vocabulary import DecisionKind

T = TypeVar("T")


class _Read(click.ParamType[Any]):
    """A value that a function reads from text."""

    def __init__(self, name: str, read: Any) -> None:
        self.name = name
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


@click.command()
@click.option("--group", type=GROUPS, help="What the question is about.")
@click.option("--question", help="The text an agent gets: one sentence that a number answers.")
@click.option("--kind", "kinds", type=KINDS, multiple=True, help="A moment it serves. May be given again.")
@click.option(
    "--category",
    "categories",
    type=click.Choice([category.value for category in Category]),
    multiple=True,
    help="What it does. May be given again.",
)
@click.option("--moves", type=_Read("FROM:TO", moves_of), help="The layers, as in kernel:host.")
@click.option(
    "--refuses-closure/--no-refuses-closure",
    default=None,
    help="It keeps a claim open. [default: by the kind]",
)
@click.option("--needs-upstream", is_flag=True, help="It compares with an implementation by others.")
@click.option(
    "--architecture",
    "architectures",
    type=click.Choice([family.value for family in Architecture]),
    multiple=True,
    help="It is about devices of this family only. May be given again.",
)
@click.option("--method", default="", help="How it is measured.")
@click.option("--tool", "tools", multiple=True, help="An ordinary tool. May be given again.")
@click.option("--number", default="", help="What the number is.")
@click.option("--unit", default="", help="The number's unit.")
@click.option(
    "--outcome",
    "outcomes",
    type=_Read("READING=NEXT", outcome_of),
    multiple=True,
    help="What a reading leads to, as in 'it is large=host'. May be given again.",
)
@click.option("--answered-when", default="", help="What shows that it is answered already.")
@click.option("--author", default=AUTHOR, show_default=True, help="Who wrote it.")
@click.option("--ai-assisted", is_flag=True, help="A model helped with the words.")
@click.option("--id", "entry_id", default="", help="The id. [default: the next of its kind]")
@click.option(
    "--from",
    "source",
    nargs=2,
    metavar="SESSION EVENT",
    help="Promote a person's question: a session and the event's id or 0-based line.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Append it to FILE.")
@click.option(
    "--bank",
    "named",
    metavar="NAME|DIR",
    help="Append it to this bank's file: an installed bank's name, a folder, or `default`.",
)
@click.option(
    "--lists",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_lists,
    help="Print the values that the keys of an entry may have, and end.",
)
def new(
    group: str | None,
    question: str | None,
    kinds: Sequence[str],
    categories: Sequence[str],
    moves: Any,
    refuses_closure: bool | None,
    needs_upstream: bool,
    architectures: Sequence[str],
    method: str,
    tools: Sequence[str],
    number: str,
    unit: str,
    outcomes: Sequence[Any],
    answered_when: str,
    author: str,
    ai_assisted: bool,
    entry_id: str,
    source: tuple[str, str] | None,
    output: Path | None,
    named: str | None,
) -> None:
    """Draft an entry, from options or from a question that a person asked in a session.

    \b
    kernelseek bank new --group host-and-launch-path \\
        --question 'How many microseconds of a call pass before the first instruction?'
    kernelseek bank new --from 20261129-141652-3f9a1c e61
    kernelseek bank new --from transcript.jsonl 47 --bank my-entries/

    The YAML goes to stdout, or behind what FILE or the bank's file of the group holds. On a terminal you are
    asked for what is missing; elsewhere --group and --question are needed (neither with --from). Every
    admission rule is applied to the draft as the last entry of the whole bank, and what it breaks is told on
    stderr: the draft is written all the same. With --from, names, files, identifiers and numbers are taken
    out of the question and listed; words that carry an answer are not taken over at all.

    Exits 0 when the draft is written, whatever the rules say of it; 3 when it cannot be an entry, the session
    or event is refused, or FILE is no list of entries. See docs/contributing/question.md.
    """
    if output is not None and named:
        raise click.UsageError("Name a file with -o or a bank with --bank, not both.")
    folder = _folder(named) if named else None
    given = Wanted(
        question=question or "",
        id=entry_id,
        group=Group(group) if group else None,
        kinds=tuple(map(DecisionKind, kinds)),
        category=tuple(map(Category, categories)),
        moves=moves,
        refuses_closure=refuses_closure,
        needs_upstream=needs_upstream,
        architectures=tuple(map(Architecture, architectures)),
        method=method,
        tools=tuple(tools),
        number=number,
        unit=unit,
        outcomes=tuple(outcomes),
        answered_when=answered_when,
        author=author,
        ai_assisted=ai_assisted,
    )
    said: list[str] = []
    try:
        if source:
            said = _promoted(given, Path(source[0]), source[1])
        if can_ask():
            ask_for(given)
    except (click.Abort, KeyboardInterrupt):
        click.echo("\nNothing was written.", err=True)
        raise
    if not source and not (given.group and given.question):
        raise click.UsageError("Name --group and --question; there is no terminal to ask on.")
    if source and not given.kinds:
        raise BankError("no decision point lies before this question, name the kind of moment with --kind")
    _write(given, said, output, folder)


def _folder(named: str) -> Path:
    from bank.bank import ENTRIES
    from kernelseek_tui.cli.bank.one_bank import one_bank, refuse_packaged

    folder = one_bank(named)
    refuse_packaged(folder)
    return ENTRIES if folder is None else folder


def _promoted(given: Wanted, session: Path, event: str) -> list[str]:
    """Fill in from a session what no option gave; the remarks for the file."""
    from kernelseek_tui.cli.inspect import reading_progress
    from kernelseek_tui.promoting.promote import promote
    from kernelseek_tui.promoting.session import find_asked, read_session
    from sessions.readers.detect import resolve

    source = resolve(session)
    with reading_progress(source) as progress:
        read = read_session(source, progress)
    promotion = promote(read, find_asked(read, event), given.kinds)
    found = promotion.wanted
    for name in ("question", "kinds", "category", "moves", "tools", "number", "unit"):
        if not getattr(given, name):
            setattr(given, name, getattr(found, name))
    given.provenance, given.evidence = found.provenance, found.evidence
    if read.problems:
        click.echo(f"{count(read.problems, 'line')} of the session could not be read", err=True)
    for text in (*promotion.told, *promotion.said):
        click.echo(line(text), err=True)
    return promotion.said


def _write(wanted: Wanted, said: list[str], output: Path | None, folder: Path | None) -> None:
    from bank.admission.places import locked, refuse_installed
    from bank.drafting.checking import check_draft
    from bank.drafting.place import file_for, surroundings
    from bank.drafting.writing import append, as_yaml

    if output is not None:
        refuse_installed(output)
    place = output.resolve().parent if output is not None else folder
    # No other may pick the same id, or replace what was read here, before this one is written.
    with locked(place) if place is not None else nullcontext():
        around = surroundings(folder, output)
        made = draft(wanted, around.taken, datetime.now(UTC).date())
        target = file_for(folder, made.entry, around.files) if folder is not None else output
        text = as_yaml(made.entry, said)
        if target is not None:
            append(target, text)
    if target is None:
        click.echo(text, nl=False)
    findings = check_draft(made.entry, around.entries)
    _tell(made, target)
    if around.unreadable:
        click.echo(f"{count(around.unreadable, 'entry', 'entries')} of the bank cannot be read", err=True)
    for one in findings:
        click.echo(line(f"{one.found.level:<8} {one.found.lint:<5} {one.found.message}"), err=True)
        if one.other is not None:
            click.echo(line(f"         this one:   {made.entry.question}"), err=True)
            click.echo(line(f"         {one.other.id}: {one.other.question}"), err=True)
    errors = sum(one.found.level == "error" for one in findings)
    if errors:
        broken = f"{count(errors, 'error')}, {count(len(findings) - errors, 'warning')}"
        click.echo(f"NOT ADMITTED as it stands ({broken}): change what is named above.", err=True)
    else:
        click.echo(f"no error, {count(len(findings), 'warning')}", err=True)


def _tell(made: Draft, target: Path | None) -> None:
    where = f"appended to {target}" if target is not None else "drafted"
    click.echo(line(f"{made.entry.id} {where}"), err=True)
    for text in made.assumed:
        click.echo(line(f"assumed: {text}"), err=True)
