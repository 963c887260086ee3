"""One entry as Markdown, for people who read the bank on the web."""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from bank.params import fill
from bank.question import Question
from bank.titles import WHEN, evidence_words, leads_to, related_words

_ACTS = re.compile(r"([\\`*\[\]<>|])|(?<!\w)_|_(?!\w)")
_ISSUE = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)")


def escape(text: str) -> str:
    """Text that Markdown shows as it is, also in a table."""
    return _ACTS.sub(lambda match: "\\" + match.group(), text)


def address(ref: str) -> str:
    """The address of a source: an `owner/name#number` is an issue or pull request on GitHub."""
    found = _ISSUE.fullmatch(ref)
    return f"https://github.com/{found[1]}/issues/{found[2]}" if found else ref


def link(ref: str) -> str:
    """A source as a Markdown link: an address is shown by host and path."""
    parts = urlsplit(ref)
    shown = f"{parts.netloc}{parts.path}".rstrip("/") if parts.netloc else ref
    target = address(ref).replace("(", "%28").replace(")", "%29")
    return f"[{escape(shown)}]({target})"


def entry_lines(entry: Question, pages: dict[str, str]) -> Iterator[str]:
    """The entry under a heading of its id. `pages` gives the page on which a related entry stands."""
    asked = entry.measurement
    yield from (f"## {entry.id}", "", f"**{escape(fill(entry.question, {}))}**", "")
    yield f"- **Ask when** {'; '.join(WHEN[kind] for kind in entry.decision_kinds)}."
    yield f"- **Settle it with** {_code(asked.tools)}: {escape(asked.method)}."
    yield f"- **The number:** {escape(asked.number)}, in {escape(asked.unit)}."
    yield "- **It leads to:**"
    for outcome in entry.outcomes:
        yield f"  - {escape(outcome.if_)}: {leads_to(outcome.verdict, outcome.next)}"
    yield f"- **Answered when** there is: {escape(entry.answered_when)}."
    closure = ", and refuses to close early" if entry.refuses_closure else ""
    yield f"- **Moves** from {entry.moves.from_} to {entry.moves.to}{closure}."
    if entry.architectures:
        yield f"- **For** {', '.join(family.value for family in entry.architectures)} only."
    if entry.needs_upstream:
        yield "- **Needs** another implementation to compare with."
    if entry.params:
        yield f"- **Filled in** from the session: {_code(entry.params)}."
    if entry.related:
        yield f"- **Related:** {', '.join(_related(entry, pages))}."
    if entry.sources:
        yield "- **Comes from:**"
        for source in entry.sources:
            yield f"  - {link(source.ref)}: {escape(source.lesson)}"
    if entry.evidence:
        yield "- **Asked in a session:**"
        for seen in entry.evidence:
            yield f"  - {escape(evidence_words(seen))}"
    origin = entry.provenance
    written = "with AI assistance" if origin.ai_assisted else "without AI assistance"
    yield f"- **Status:** {entry.status}; {origin.kind} {origin.date}, {written}."


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word.replace('`', '')}`" for word in words)


def _related(entry: Question, pages: dict[str, str]) -> Iterator[str]:
    for other in entry.related:
        page = pages.get(other.id)
        yield related_words(other.type, f"[{other.id}]({page}#{other.id})" if page else other.id)
