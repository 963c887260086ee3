"""The table of lints, and its use on an entry, a bank, and a text somebody typed."""

from collections.abc import Iterable, Sequence
from datetime import date

from bank.admission import metadata, whole, wording
from bank.admission.context import Context
from bank.admission.copied import copied
from bank.admission.coverage import coverage
from bank.admission.finding import Lint, LintFinding
from bank.likeness import NEAR, SAME
from bank.question import Category, Group, Measurement, Moves, Provenance, Question, text_hash
from sessions.vocabulary import DecisionKind, Layer

TABLE: tuple[Lint, ...] = (
    Lint(
        "Q01",
        "error",
        "not an entry: damaged YAML, an unknown or missing key, a value that is none",
        "a misspelt key would be lost in silence",
    ),
    Lint(
        "Q02",
        "error",
        "not one sentence that ends in its only question mark",
        "an agent answers one question well",
        wording.interrogative,
    ),
    Lint(
        "Q03",
        "warning",
        f"more than about {wording.WARN_TOKENS} tokens",
        "a question is cheap: tens of tokens",
        wording.length,
        otherwise=f"error above {wording.ERROR_TOKENS} tokens",
    ),
    Lint(
        "Q04",
        "error",
        "a word that names an operator or its shapes",
        "a question serves every operator",
        wording.operator_words,
    ),
    Lint(
        "Q05",
        "error",
        "a library, compiler, tool or project by others",
        "a question serves where nothing else exists yet",
        wording.upstream_words,
    ),
    Lint(
        "Q06",
        "error",
        "a word of one architecture, or a parameter that there is not",
        "a question serves every device; only an entry with `architectures` speaks of one",
        wording.architecture_words,
        leak=True,
    ),
    Lint(
        "Q07",
        "warning",
        "a decimal, or a number above ten",
        "numbers are answers, or one device's constants",
        wording.numerals,
        leak=True,
    ),
    Lint(
        "Q08",
        "error",
        "another implementation as the mark",
        "another implementation is a mark to stop at, a bound is not; only an entry with `needs_upstream` "
        "compares",
        wording.reference_words,
        otherwise="warning where `needs_upstream` is set for nothing",
    ),
    Lint(
        "Q09",
        "warning",
        "a first word that asks for yes or no",
        "yes and no are opinions",
        wording.yes_no_opening,
        leak=True,
    ),
    Lint(
        "Q10",
        "warning",
        "no form that asks for a quantity",
        "the answer is a number",
        wording.no_quantity,
    ),
    Lint(
        "Q11",
        "error",
        "a form that carries the asker's own answer",
        "direction helps, a ready answer stops the search",
        wording.leading,
        leak=True,
    ),
    Lint(
        "Q12",
        "warning",
        "a verb that names an edit",
        "the cure is the agent's to find",
        wording.fix_verbs,
        otherwise="error where it cannot be a noun",
        leak=True,
    ),
    Lint(
        "Q13",
        "error",
        "no method, no ordinary tool, no number or no unit",
        "what cannot be measured cannot be answered",
        metadata.measurement,
    ),
    Lint(
        "Q14",
        "error",
        "fewer than two outcomes that lead to different places",
        "an answer that changes nothing need not be asked for",
        metadata.outcomes,
    ),
    Lint(
        "Q15",
        "error",
        "stays in its layer and does not refuse closure",
        "large gains came from another layer or a refused limit",
        metadata.movement,
    ),
    Lint(
        "Q16",
        "error",
        "`answered_when` names no artefact, or nothing that ties it to now",
        "a question answered already costs an agent's time",
        metadata.answered_when,
    ),
    Lint(
        "Q17",
        "warning",
        f"content words as like as {NEAR} of 100 to another entry's, or the same number asked for in "
        "the same group and layers",
        "two ways of asking the same crowd out a third thing",
        over_all=whole.duplicates,
        otherwise=f"error from {SAME}",
    ),
    Lint(
        "Q18",
        "error",
        "a mined or per-architecture entry without a source, or a source that is no address",
        "what was taken from a source, or holds for one device only, says where it was seen",
        metadata.sources,
    ),
    Lint(
        "Q19",
        "error",
        "eight words in a row that a lesson or a given source text has too",
        "sources are other people's: every lesson and question is in our own words",
        over_all=copied,
    ),
    Lint(
        "Q20",
        "warning",
        "a complete bank with too little of something: groups, kinds, layers, families, sources",
        "every moment needs a choice of questions",
        over_all=coverage,
    ),
    Lint(
        "Q21",
        "error",
        "an id used twice, a published id that is gone, a deprecated entry without a link, a link to nothing",
        "journals name entries by id for ever",
        over_all=whole.links,
        otherwise="warning for ids not yet recorded",
    ),
)
"""Every admission rule, in order."""

LINTS: tuple[Lint, ...] = tuple(lint for lint in TABLE if lint.check)
"""Those that look at one entry."""

WHOLE: tuple[Lint, ...] = tuple(lint for lint in TABLE if lint.over_all)
"""Those that look at the whole bank."""

_WORDING = tuple(lint for lint in LINTS if lint.id <= "Q12")


def _run(lint: Lint, entry: Question) -> Iterable[LintFinding]:
    for hit in lint.check(entry) if lint.check else ():
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


def over_all(entries: Sequence[Question], context: Context) -> list[LintFinding]:
    """What the rules over the whole bank find, `lint_ok` not yet applied."""
    return [finding for lint in WHOLE if lint.over_all for finding in lint.over_all(entries, context)]


def admit(entries: Sequence[Question], context: Context | None = None) -> list[LintFinding]:
    """Every unexplained finding, entry by entry in the bank's order, those of the bank as a whole last.

    Without a `context` the entries are not held to the figures of a complete bank, to a list of published
    ids or to texts of others.
    """
    together: dict[str, list[LintFinding]] = {}
    for finding in over_all(entries, context or Context()):
        together.setdefault(finding.entry, []).append(finding)
    findings: list[LintFinding] = []
    for entry in entries:
        findings += _explained(entry, lint_entry(entry) + together.get(entry.id, []))
    return findings + together.get("", [])


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
    return [finding for lint in _WORDING for finding in _run(lint, entry)]


def lint_wording(text: str) -> list[LintFinding]:
    """Signs that a person's own question carries its answer; warnings all, nothing is ever blocked.

    For a composer: only the lints marked `leak` are applied, since a person may well name an operator, a
    library or a file to their own agent.
    """
    entry = _typed(text)
    return [
        LintFinding("", found.lint, "warning", found.words, found.message)
        for lint in _WORDING
        if lint.leak
        for found in _run(lint, entry)
    ]
