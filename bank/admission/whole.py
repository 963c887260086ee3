"""Q17 and Q21: entries that ask the same, and ids that must stay."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from bank.admission.context import Context
from bank.admission.finding import Level, LintFinding
from bank.likeness import NEAR, SAME, content_likeness
from bank.question import Question
from bank.words import content_words


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries and how alike their questions are, from 0 to 100. `second` comes later in the bank."""

    first: Question
    second: Question
    likeness: float


def _pairs(entries: Sequence[Question]) -> Iterator[Pair]:
    # What replaced a deprecated entry may well ask nearly the same.
    live = [entry for entry in entries if entry.status != "deprecated"]
    content = [content_words(entry.question) for entry in live]
    for (one, first), (two, second) in combinations(enumerate(live), 2):
        yield Pair(first, second, content_likeness(content[one], content[two]))


def closest(entries: Sequence[Question]) -> Pair | None:
    """The two entries whose questions are most alike; None where there are no two."""
    return max(_pairs(entries), key=lambda pair: pair.likeness, default=None)


def duplicates(entries: Sequence[Question], context: Context | None = None) -> Iterator[LintFinding]:
    """Q17: two entries that ask the same. The finding stands at the later one."""
    for pair in _pairs(entries):
        first, second = pair.first, pair.second
        if pair.likeness >= NEAR:
            level: Level = "error" if pair.likeness >= SAME else "warning"
            message = f"asks nearly what {first.id} asks (similarity {pair.likeness:.0f} of 100)"
            yield LintFinding(second.id, "Q17", level, first.id, message)
        elif _frame(first) == _frame(second):
            message = f"asks for the same number as {first.id}, in the same group and layers"
            yield LintFinding(second.id, "Q17", "warning", second.measurement.number, message)


def _frame(entry: Question) -> tuple[str, str, str, str]:
    return (entry.group, entry.measurement.number.lower(), entry.moves.from_, entry.moves.to)


def links(entries: Sequence[Question], context: Context | None = None) -> Iterator[LintFinding]:
    """Q21: no published id is gone, a deprecated entry names its heir, and every link leads somewhere."""
    known = {entry.id for entry in entries}
    for entry in entries:
        if entry.status == "deprecated" and not entry.related:
            yield LintFinding(entry.id, "Q21", "error", "related", "a deprecated entry links to another")
        for link in entry.related:
            if link.id not in known or link.id == entry.id:
                yield LintFinding(entry.id, "Q21", "error", link.id, f"no other entry has the id {link.id}")
    if context is None or context.published is None:
        return
    for gone in sorted(set(context.published) - known):
        message = f"{gone} was published and is gone, bring it back as deprecated with a related link"
        yield LintFinding("", "Q21", "error", gone, message)
    new = sorted(known - set(context.published))
    if new:
        message = "not yet in ids.txt, add what is published with `kernelseek bank lint --record-ids`"
        yield LintFinding(
            "", "Q21", "warning", ", ".join(new), f"{len(new)} of {len(known)} ids are {message}"
        )
