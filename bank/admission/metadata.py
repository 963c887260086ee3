"""Q13 to Q16 and Q18: what stands beside the text of a question."""

import re
from collections.abc import Iterator

from bank.admission.finding import Hit
from bank.question import Question
from bank.words import vocabulary, word_pattern

_REF = re.compile(r"https?://\S+|[\w.-]+/[\w.-]+#\d+")


def measurement(entry: Question) -> Iterator[Hit]:
    """Q13: a method, ordinary tools, and a number with a unit."""
    asked = entry.measurement
    for key, value in (("method", asked.method), ("number", asked.number), ("unit", asked.unit)):
        if not value:
            yield Hit(f"measurement.{key}", f"measurement.{key} is empty, say what is measured")
    known = vocabulary("tools")["tools"]
    for tool in asked.tools:
        if tool not in known:
            yield Hit(tool, f"{tool!r} is not in the list of ordinary tools, use one that is or extend it")


def outcomes(entry: Question) -> Iterator[Hit]:
    """Q14: at least two answers that lead to different places."""
    ends = [(outcome.next, outcome.verdict) for outcome in entry.outcomes]
    if len(ends) < 2:
        yield Hit(f"{len(ends)} outcomes", "an answer leads to one place only, give at least two outcomes")
    elif len(set(ends)) < len(ends):
        yield Hit("outcomes", "two outcomes lead to the same place, the answer would change nothing")
    if (None, None) in ends:
        yield Hit("outcomes", "an outcome names neither a next layer nor a verdict")


def movement(entry: Question) -> Iterator[Hit]:
    """Q15: moves to another layer, or refuses closure."""
    if entry.moves.from_ == entry.moves.to and not entry.refuses_closure:
        yield Hit(f"moves: {entry.moves.to}", "it stays in its layer and does not refuse closure")


def answered_when(entry: Question) -> Iterator[Hit]:
    """Q16: names what an answer leaves behind, and what ties it to now."""
    text = entry.answered_when
    if not word_pattern("evidence", "artefacts").search(text):
        yield Hit(text[:40], "answered_when names no artefact (a table, a trace, a log, ...)")
    if not word_pattern("evidence", "freshness").search(text):
        yield Hit(text[:40], "answered_when names no freshness (current build, hash, date, ...)")


def sources(entry: Question) -> Iterator[Hit]:
    """Q18: a mined entry names a public source, and so does one for a family of devices."""
    if not entry.sources and (entry.provenance.kind == "mined" or entry.architectures):
        kind = "an entry for one architecture" if entry.architectures else "a mined entry"
        yield Hit("sources", f"{kind} names at least one source")
    for source in entry.sources:
        if not _REF.fullmatch(source.ref):
            yield Hit(source.ref, "a source is an address or owner/repo#number")
