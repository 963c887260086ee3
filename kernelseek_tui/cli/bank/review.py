"""`kernelseek bank review`."""

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from bank.admission.excusing import excuse_for, write_excuse, yaml_line
from bank.admission.places import refuse_installed
from bank.bank import ENTRIES, Bank
from bank.question import Question, text_hash
from bank.reviews import CHECKLIST, Review, append, human_tests, read_reviews, reviews_file, standing
from bank.reviews.record import Verdict
from bank.reviews.standing import words_of
from kernelseek_tui.cli.bank.one_bank import BANK, one_bank, refuse_packaged
from kernelseek_tui.cli.bank.shared import JSON, count, dump
from kernelseek_tui.cli.terminal import is_terminal
from kernelseek_tui.plain import line

_VERDICT = click.Choice(["pass", "fail"])


def _verdicts(command: Callable[..., None]) -> Callable[..., None]:
    for test in reversed(CHECKLIST):
        name = test.id.replace("-", "_")
        command = click.option(f"--{test.id}", name, type=_VERDICT, help=f"{test.title}.")(command)
    return command


@dataclass(frozen=True, slots=True)
class _Reviewer:
    """Who reviews, where it is recorded, and what was said on the command line."""

    by: str
    ai: bool
    note: str
    file: Path


@click.command()
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every entry that NAME has not reviewed in full.")
@click.option("--status", is_flag=True, help="List the entries without a whole review of their present text.")
@click.option("--by", metavar="NAME", default="", help="Who reviews.")
@click.option("--ai", is_flag=True, help="A model took part in the verdicts.")
@_verdicts
@click.option("--note", default="", help="A sentence kept with the review.")
@click.option("--lint-ok", metavar="LINT", default="", help="Explain a warning of one entry instead.")
@click.option("--reason", default="", help="With --lint-ok: why the warning may stand.")
@click.option("--print", "only_print", is_flag=True, help="With --lint-ok: print the line, write nothing.")
@BANK
@JSON
def review(
    ids: tuple[str, ...],
    everything: bool,
    status: bool,
    by: str,
    ai: bool,
    note: str,
    lint_ok: str,
    reason: str,
    only_print: bool,
    named: str | None,
    as_json: bool,
    **verdicts: Verdict | None,
) -> None:
    """Make the tests of an entry that need a reader, and record who made them.

    On a terminal it walks through the tests and says for each what to do; else every verdict is given by
    option, for all entries named alike. An entry of one architecture is not swapped to another, and without
    waived warnings there is no wording to judge; such verdicts are left out. One line for each entry is added
    to reviews.jsonl beside the bank. A review holds for the text it was made of. What a reviewer says again
    replaces what the same reviewer said before. Without --bank, KERNELSEEK_BANK names the bank,
    else it is the shipped one.

    \b
    kernelseek bank review kq-host-001 --by Ada
    kernelseek bank review --all --by Ada
    kernelseek bank review --status
    kernelseek bank review kq-host-001 --by Ada --blind fail --swap-operator pass \\
        --swap-architecture pass --bound pass --moves pass --note 'two readers named one edit'
    kernelseek bank review kq-host-001 --by Ada --lint-ok Q07 --reason 'the repeats are the point'
    """
    given = {name.replace("_", "-"): verdict for name, verdict in verdicts.items() if verdict}
    _usage(ids, everything, status, by, given, lint_ok, reason, only_print)
    folder = one_bank(named)
    bank = Bank.load(folder)
    if lint_ok:
        if not only_print:
            refuse_packaged(folder)
        _explain(bank, bank.get(ids[0]), lint_ok, reason, by, only_print, as_json)
        return
    file = reviews_file(folder)
    if status:
        _status(_live(bank, ids), read_reviews(file, _tell), as_json)
        return
    refuse_installed(ENTRIES if folder is None else folder)
    refuse_packaged(folder)
    before = read_reviews(file, _tell)
    entries = _live(bank, ids)
    if everything:
        entries = [entry for entry in entries if not _done(entry, before, by.strip())]
    reviewer = _Reviewer(by.strip(), ai, note.strip(), file)
    recorded = _walk(entries, reviewer) if not given else _record(entries, reviewer, given)
    if as_json:
        click.echo(dump([one.model_dump(mode="json") for one in recorded]))
    click.echo(line(f"{count(len(recorded), 'review')} recorded in {file}"), err=True)


def _usage(
    ids: tuple[str, ...],
    everything: bool,
    status: bool,
    by: str,
    given: dict[str, Verdict],
    lint_ok: str,
    reason: str,
    only_print: bool,
) -> None:
    if status:
        if everything or given or lint_ok:
            raise click.UsageError("--status only lists; leave out --all, the verdicts and --lint-ok.")
        return
    if not by.strip() or not by.isprintable():
        raise click.UsageError("say who reviews, on one line: --by NAME.")
    if bool(reason or only_print) and not lint_ok:
        raise click.UsageError("--reason and --print are for --lint-ok.")
    if lint_ok:
        if len(ids) != 1 or everything or given:
            raise click.UsageError("--lint-ok takes one entry and no verdicts.")
        if not reason.strip():
            raise click.UsageError("say why the warning may stand: --reason TEXT.")
        return
    if bool(ids) == everything:
        raise click.UsageError("name entries, or give --all for those that you have not reviewed.")
    if not given and not _on_a_terminal():
        needed = " ".join(f"--{test.id}" for test in CHECKLIST)
        raise click.UsageError(f"without a terminal every verdict is an option: {needed}.")


def _on_a_terminal() -> bool:
    return is_terminal(sys.stdin)


def _live(bank: Bank, ids: Sequence[str]) -> list[Question]:
    chosen = [bank.get(name) for name in dict.fromkeys(ids)]
    return chosen or [entry for entry in bank.entries if entry.status != "deprecated"]


def _done(entry: Question, reviews: list[Review], by: str) -> bool:
    own = standing(entry, [one for one in reviews if one.by == by])
    return own.state in ("reviewed", "failed")


def _record(entries: list[Question], reviewer: _Reviewer, given: dict[str, Verdict]) -> list[Review]:
    for entry in entries:  # all or nothing: a missing verdict is seen before the first line is written
        missing = [f"--{test.id}" for test in human_tests(entry) if test.id not in given]
        if missing:
            raise click.UsageError(f"{entry.id} has no verdict on {' '.join(missing)}.")
    return [
        _append(entry, reviewer, {test.id: given[test.id] for test in human_tests(entry)}, reviewer.note)
        for entry in entries
    ]


def _append(entry: Question, reviewer: _Reviewer, tests: dict[str, Verdict], note: str) -> Review:
    made = Review.model_validate(
        {
            "entry": entry.id,
            "text": text_hash(entry.question),
            "date": datetime.now(UTC).date(),
            "by": reviewer.by,
            "ai_assisted": reviewer.ai,
            "tests": tests,
            "note": note,
        }
    )
    append(reviewer.file, made, _tell)
    return made


def _walk(entries: list[Question], reviewer: _Reviewer) -> list[Review]:
    """Ask for each entry's verdicts. An entry is kept once its last question is answered."""
    recorded: list[Review] = []
    try:
        for number, entry in enumerate(entries, 1):
            _say(f"\n{number} of {len(entries)}: {entry.id}")
            tests = _ask(entry)
            if tests is None:
                break
            if tests:
                note = reviewer.note or click.prompt("note", default="", show_default=False, err=True)
                recorded.append(_append(entry, reviewer, tests, note))
    except click.Abort:
        _say(f"\n{count(len(recorded), 'review')} recorded before the interruption, and kept")
        raise
    return recorded


_ANSWERS: dict[str, Verdict] = {"p": "pass", "f": "fail"}


def _ask(entry: Question) -> dict[str, Verdict] | None:
    """The verdicts; none of them when the entry is skipped, None when the reviewer stops."""
    answers: dict[str, Verdict] = {}
    tests = human_tests(entry)
    for number, test in enumerate(tests, 1):
        width = min(shutil.get_terminal_size().columns, 100)
        _say("\n" + click.wrap_text(f"{number}/{len(tests)} {test.title}. {test.todo}", width) + "\n")
        for text in test.shown(entry):
            _say(f"    {line(text)}")
        answer = click.prompt(
            "[p]ass, [f]ail, [s]kip the entry, [q]uit",
            type=click.Choice([*_ANSWERS, "s", "q"]),
            show_choices=False,
            err=True,
        )
        if answer not in _ANSWERS:
            return {} if answer == "s" else None
        answers[test.id] = _ANSWERS[answer]
    return answers


def _say(text: str) -> None:
    click.echo(text, err=True)


def _tell(text: str) -> None:
    click.echo(line(text), err=True)


def _status(entries: list[Question], reviews: list[Review], as_json: bool) -> None:
    found = [(entry, standing(entry, reviews)) for entry in entries]
    passed = [at for _, at in found if at.state == "reviewed"]
    left = [(entry, at) for entry, at in found if at.state != "reviewed"]
    with_ai_only = sum(at.with_ai_only for at in passed)
    if as_json:
        items = [
            {
                "id": entry.id,
                "state": at.state,
                "tests": at.tests,
                "reviews": [one.model_dump(mode="json") for one in at.reviews],
            }
            for entry, at in left
        ]
        counts = {"entries": len(found), "passed": len(passed), "passed_with_ai_only": with_ai_only}
        click.echo(dump({**counts, "left": items}))
        return
    for entry, at in left:
        click.echo(line(f"{entry.id:<18}{words_of(at)}"))
    said = f"{len(passed)} of {count(len(found), 'entry', 'entries')} passed every test"
    click.echo(f"{said}, {with_ai_only} of them with AI only; {len(left)} left", err=True)


def _explain(
    bank: Bank, entry: Question, lint: str, reason: str, by: str, only_print: bool, as_json: bool
) -> None:
    excuse = excuse_for(bank, entry, lint, reason, by)
    text, file = yaml_line(lint, excuse), bank.files[entry.id]
    if not only_print:
        write_excuse(bank, entry, lint, excuse)
    if as_json:
        click.echo(
            dump({"id": entry.id, "lint": lint, "line": text, "file": file, "written": not only_print})
        )
    elif only_print:
        click.echo(text)
    else:
        click.echo(line(f"{entry.id}: {lint} explained in {file}"), err=True)
