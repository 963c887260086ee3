"""Q17, Q20 and Q21: what only shows over the whole bank."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from bank.admission.finding import Level, LintFinding
from bank.likeness import NEAR, SAME, content_likeness
from bank.question import Group, Question
from bank.words import content_words
from sessions.vocabulary import DecisionKind, Layer

PER_GROUP, PER_LAYER = 3, 2
PER_KIND, GROUPS_PER_KIND = 8, 4
KINDS = (
    DecisionKind.SCOPE,
    DecisionKind.PLATEAU,
    DecisionKind.CLAIMED_LIMIT,
    DecisionKind.CLAIMED_COMPLETION,
)
"""What a bank needs to answer every detector with a choice. The figures are a first guess."""


def duplicates(entries: Sequence[Question]) -> Iterator[LintFinding]:
    """Q17: two entries that ask the same. The finding stands at the later one."""
    content = {entry.id: content_words(entry.question) for entry in entries}
    for first, second in combinations(entries, 2):
        score = content_likeness(content[first.id], content[second.id])
        if score >= NEAR:
            level: Level = "error" if score >= SAME else "warning"
            message = f"asks nearly what {first.id} asks (similarity {score:.0f} of 100)"
            yield LintFinding(second.id, "Q17", level, first.id, message)
        elif _frame(first) == _frame(second):
            message = f"asks for the same number as {first.id}, in the same group and layers"
            yield LintFinding(second.id, "Q17", "warning", second.measurement.number, message)


def _frame(entry: Question) -> tuple[str, str, str, str]:
    return (entry.group, entry.measurement.number.lower(), entry.moves.from_, entry.moves.to)


def coverage(entries: Sequence[Question]) -> Iterator[LintFinding]:
    """Q20: every group, layer and common decision kind has something to offer."""
    live = [entry for entry in entries if entry.status != "deprecated"]
    for group in Group:
        yield from _few(group, sum(entry.group == group for entry in live), PER_GROUP, "entries")
    for layer in Layer:
        if layer is not Layer.KERNEL:  # questions lead away from the kernel
            count = sum(entry.moves.to == layer for entry in live)
            yield from _few(f"layer {layer}", count, PER_LAYER, "entries")
    for kind in KINDS:
        serving = [entry for entry in live if kind in entry.decision_kinds]
        yield from _few(kind, len(serving), PER_KIND, "entries")
        yield from _few(kind, len({entry.group for entry in serving}), GROUPS_PER_KIND, "groups")


def _few(what: str, count: int, least: int, noun: str) -> Iterator[LintFinding]:
    if count < least:
        yield LintFinding("", "Q20", "warning", what, f"{what} has {count} {noun}, fewer than {least}")


def links(entries: Sequence[Question]) -> Iterator[LintFinding]:
    """Q21: a deprecated entry says what came after it, and every link leads somewhere."""
    known = {entry.id for entry in entries}
    for entry in entries:
        if entry.status == "deprecated" and not entry.related:
            yield LintFinding(entry.id, "Q21", "error", "related", "a deprecated entry links to another")
        for link in entry.related:
            if link.id not in known or link.id == entry.id:
                yield LintFinding(entry.id, "Q21", "error", link.id, f"no other entry has the id {link.id}")
