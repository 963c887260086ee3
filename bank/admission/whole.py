"""Q17 and Q21: entries that ask the same, and ids that must stay."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz, process

from bank.admission.context import Context
from bank.admission.finding import Level, LintFinding
from bank.likeness import NEAR, SAME, content_likeness
from bank.question import Question
from bank.words import content_words

PER_ENTRY, IN_ALL = 50, 500
"""So many findings of Q17 are told of one entry, and of a bank before it is one of each entry."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries and how alike their questions are, from 0 to 100. `second` comes later in the bank."""

    first: Question
    second: Question
    likeness: float


def _live(entries: Sequence[Question]) -> tuple[list[Question], list[str]]:
    # What replaced a deprecated entry may well ask nearly the same.
    live = [entry for entry in entries if entry.status != "deprecated"]
    return live, [content_words(entry.question) for entry in live]


def _alike(one: str, others: Sequence[str], least: float) -> Iterator[tuple[int, float]]:
    """Which of the others are as like a text as `least` or more, by `content_likeness`, in their order."""
    # It is never above this part of it, which is compared with all of them at once.
    found = process.extract(one, others, scorer=fuzz.token_set_ratio, score_cutoff=least, limit=None)
    for at in sorted(at for _, _, at in found):
        likeness = content_likeness(others[at], one)
        if likeness >= least:
            yield at, likeness


def closest(entries: Sequence[Question]) -> Pair | None:
    """The two entries whose questions are most alike, the first of several; None where there are no two."""
    live, content = _live(entries)
    best: Pair | None = None
    for order, entry in enumerate(live[:-1]):
        if best is not None and best.likeness == 100:
            break
        for at, likeness in _alike(content[order], content[order + 1 :], best.likeness if best else 0):
            if best is None or likeness > best.likeness:
                best = Pair(entry, live[order + 1 + at], likeness)
    return best


def duplicates(entries: Sequence[Question], context: Context | None = None) -> Iterator[LintFinding]:
    """Q17: two entries that ask the same. The finding stands at the later one.

    Of a bank in which everything is like everything not all is told: of an entry the first `PER_ENTRY`, after
    `IN_ALL` of them one of each entry, and how many more there are. The worst of an entry is always told.
    """
    live, content = _live(entries)
    frames: dict[tuple[str, str, str, str], list[int]] = {}
    left = IN_ALL
    for order, entry in enumerate(live):
        near = list(_alike(content[order], content[:order], NEAR))
        same = frames.setdefault(_frame(entry), [])
        twins = sorted(set(same) - {at for at, _ in near})
        same.append(order)
        most = min(PER_ENTRY, max(left, 1))
        found = len(near) + len(twins)
        left -= min(found, most)
        # An error goes before what is only near, so that none is cut off.
        told = sorted(sorted(near, key=lambda pair: pair[1] < SAME)[:most])
        findings = [_near(live[at], entry, likeness) for at, likeness in told]
        findings += [_framed(live[at], entry) for at in twins[: most - len(told)]]
        if found > most:
            last = findings[-1]
            more = f"{last.message}, and it is like {found - most} more"
            findings[-1] = replace(last, message=more)
        yield from findings


def _near(first: Question, later: Question, likeness: float) -> LintFinding:
    level: Level = "error" if likeness >= SAME else "warning"
    message = f"asks nearly what {first.id} asks (similarity {likeness:.0f} of 100)"
    return LintFinding(later.id, "Q17", level, first.id, message)


def _framed(first: Question, later: Question) -> LintFinding:
    message = f"asks for the same number as {first.id}, in the same group and layers"
    return LintFinding(later.id, "Q17", "warning", later.measurement.number, message)


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
