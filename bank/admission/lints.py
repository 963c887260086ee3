"""The table of lints, and its use on an entry, a bank, and a text somebody typed."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path

from bank.admission import metadata, whole, wording
from bank.admission.finding import Lint, LintFinding
from bank.question import Category, Group, Measurement, Moves, Provenance, Question, text_hash
from bank.reading import read_entries
from sessions.vocabulary import DecisionKind, Layer

WORDING: tuple[Lint, ...] = (
    Lint("Q02", "error", "an agent answers one question well", wording.interrogative),
    Lint("Q03", "warning", "a question is cheap: tens of tokens", wording.length),
    Lint("Q04", "error", "a question serves every operator", wording.operator_words),
    Lint("Q05", "error", "a question serves where nothing else exists yet", wording.upstream_words),
    Lint("Q06", "error", "a question serves every device", wording.architecture_words, leak=True),
    Lint("Q07", "warning", "numbers are answers", wording.numerals, leak=True),
    Lint(
        "Q08", "error", "another implementation is a mark to stop at, a bound is not", wording.reference_words
    ),
    Lint("Q09", "warning", "yes and no are opinions", wording.yes_no_opening, leak=True),
    Lint("Q10", "warning", "the answer is a number", wording.no_quantity),
    Lint("Q11", "error", "direction helps, a ready answer stops the search", wording.leading, leak=True),
    Lint("Q12", "warning", "the cure is the agent's to find", wording.fix_verbs, leak=True),
)
METADATA: tuple[Lint, ...] = (
    Lint("Q13", "error", "what cannot be measured cannot be answered", metadata.measurement),
    Lint("Q14", "error", "an answer that changes nothing need not be asked for", metadata.outcomes),
    Lint("Q15", "error", "large gains came from another layer or a refused limit", metadata.movement),
    Lint("Q16", "error", "a question answered already costs an agent's time", metadata.answered_when),
    Lint("Q18", "error", "what was taken from a source says so", metadata.sources),
)
LINTS: tuple[Lint, ...] = WORDING + METADATA
"""Every lint that looks at one entry. Q01 (schema) is applied on reading; Q19 (copied text) would need the
sources' own words, which are not kept."""

WHOLE: tuple[tuple[str, str, Callable[[Sequence[Question]], Iterable[LintFinding]]], ...] = (
    ("Q17", "two ways of asking the same crowd out a third thing", whole.duplicates),
    ("Q20", "every moment needs a choice of questions", whole.coverage),
    ("Q21", "journals name entries by id for ever", whole.links),
)
"""Every lint that looks at the whole bank: id, why, check."""


def _run(lint: Lint, entry: Question) -> Iterable[LintFinding]:
    for hit in lint.check(entry):
        yield LintFinding(entry.id, lint.id, hit.level or lint.level, hit.words, hit.message)


def lint_entry(entry: Question) -> list[LintFinding]:
    """Every rule one entry breaks on its own, `lint_ok` not yet applied."""
    return [finding for lint in LINTS for finding in _run(lint, entry)]


def _explained(entry: Question, findings: list[LintFinding]) -> list[LintFinding]:
    """Takes out the warnings that `lint_ok` explains.

    An excuse for a text that has changed since, for what does not fire, or for an error, is itself an error.
    """
    current = text_hash(entry.question)
    valid = {lint for lint, excuse in entry.lint_ok.items() if excuse.text == current}
    kept = [found for found in findings if not (found.level == "warning" and found.lint in valid)]
    for lint in entry.lint_ok:
        levels = {finding.level for finding in findings if finding.lint == lint}
        if not levels:
            message = f"lint_ok explains {lint}, which does not fire, remove it"
        elif levels == {"error"}:
            message = f"lint_ok explains warnings, and {lint} is an error here"
        elif lint not in valid:
            message = f"lint_ok for {lint} was given for another text, review it and set text: {current!r}"
        else:
            continue
        kept.append(LintFinding(entry.id, "lint_ok", "error", lint, message))
    return kept


def admit(entries: Sequence[Question]) -> list[LintFinding]:
    """Every unexplained finding, entry by entry in the bank's order, those of the bank as a whole last."""
    over_all = [finding for _, _, check in WHOLE for finding in check(entries)]
    findings: list[LintFinding] = []
    for entry in entries:
        own = lint_entry(entry) + [finding for finding in over_all if finding.entry == entry.id]
        findings += _explained(entry, own)
    return findings + [finding for finding in over_all if not finding.entry]


def admit_path(path: Path) -> tuple[list[LintFinding], int]:
    """Lint a folder or file: findings, what cannot be read among them as Q01 or Q21, and how many entries.

    Raises `BankError` only when the path is neither a folder of YAML nor a file.
    """
    reading = read_entries(path)
    damaged = [
        LintFinding(problem.entry, problem.lint, "error", problem.key, str(problem))
        for problem in reading.problems
    ]
    return damaged + admit(reading.entries), len(reading.entries) + len(reading.problems)


def _typed(text: str) -> Question:
    return Question.model_construct(
        id="",
        group=Group.LIMITS,
        question=text.strip(),
        decision_kinds=(DecisionKind.PLATEAU,),
        category=(Category.HYPOTHESIS_CHECK,),
        moves=Moves.model_construct(from_=Layer.KERNEL, to=Layer.PROCESS),
        needs_upstream=False,
        architectures=(),
        measurement=Measurement(method="", tools=("harness",), number="", unit=""),
        outcomes=(),
        answered_when="",
        provenance=Provenance(kind="written", date=date.min, author="", ai_assisted=False),
        lint_ok={},
    )


def lint_text(text: str) -> list[LintFinding]:
    """Every wording rule (Q02 to Q12) a bare text breaks, with `entry` empty."""
    entry = _typed(text)
    return [finding for lint in WORDING for finding in _run(lint, entry)]


def lint_wording(text: str) -> list[LintFinding]:
    """Signs that a person's own question carries its answer; warnings all, nothing is ever blocked.

    For a composer: only the lints marked `leak` are applied, since a person may well name an operator, a
    library or a file to their own agent.
    """
    entry = _typed(text)
    return [
        LintFinding("", found.lint, "warning", found.words, found.message)
        for lint in WORDING
        if lint.leak
        for found in _run(lint, entry)
    ]
