"""The bank as pages for people: one a group, one a family of devices, one for comparisons, and an index."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bank.bank import Bank
from bank.forms.markdown import entry_lines
from bank.question import Architecture, Group, Question
from bank.titles import FAMILIES, PURPOSES, TITLES, UPSTREAM, UPSTREAM_PURPOSE, WHEN
from sessions.vocabulary import Layer

INDEX = "README.md"
_GENERATED = "<!-- Made from bank/entries/*.yaml by `python -m bank.forms`; change those, not this. -->"


@dataclass(frozen=True)
class Page:
    """A page's file name, its title, what it is for, and its entries."""

    name: str
    title: str
    purpose: str
    entries: tuple[Question, ...]


def pages_of(bank: Bank) -> list[Page]:
    """The pages that have entries. One for several families stands on the page of each."""
    entries = bank.entries
    core = [entry for entry in entries if entry.core]
    pages = [
        Page(f"{group}.md", TITLES[group], PURPOSES[group], tuple(e for e in core if e.group == group))
        for group in Group
    ]
    compared = tuple(entry for entry in entries if entry.needs_upstream and not entry.architectures)
    pages.append(Page("needs-another-implementation.md", UPSTREAM, UPSTREAM_PURPOSE, compared))
    for family in Architecture:
        own = tuple(entry for entry in entries if family in entry.architectures)
        pages.append(Page(f"{family}.md", FAMILIES[family], f"devices of the family {family}", own))
    return [page for page in pages if page.entries]


def page_files(bank: Bank) -> dict[str, str]:
    """Every page's text by its file name, the index among them. The same bank gives the same files."""
    pages = pages_of(bank)
    # of several pages the first
    places = {entry.id: page.name for page in reversed(pages) for entry in page.entries}
    files = {page.name: "\n".join(_page(page, places)) + "\n" for page in pages}
    return {INDEX: "\n".join(_index(bank, pages)) + "\n", **files}


def _page(page: Page, places: dict[str, str]) -> Iterator[str]:
    live = [entry for entry in page.entries if entry.status != "deprecated"]
    gone = [entry for entry in page.entries if entry.status == "deprecated"]
    yield from (f"# {page.title}", "", _GENERATED, "")
    yield f"{_count(len(live), 'question')} for {page.purpose}. [All pages]({INDEX})."
    for entry in live:
        yield ""
        yield from entry_lines(entry, places)
    if gone:
        yield from ("", "---", "", "Deprecated: no longer asked, kept because journals name them.")
    for entry in gone:
        yield ""
        yield from entry_lines(entry, places)


def _index(bank: Bank, pages: Sequence[Page]) -> Iterator[str]:
    live = bank.select()
    yield from ("# The question bank", "", _GENERATED, "")
    yield f"{_count(len(live), 'question')}, bank {bank.version}. What the bank is, how an entry is read and"
    yield "how another bank is used: [docs/bank.md](../bank.md). An agent gets only the question; what stands"
    yield "below it is for people and for the ranking."
    yield from ("", "| page | questions | what they are about |", "| --- | ---: | --- |")
    for page in pages:
        number = sum(entry.status != "deprecated" for entry in page.entries)
        yield f"| [{page.title}]({page.name}) | {number} | {page.purpose} |"
    shared = sum(len(entry.architectures) > 1 for entry in live)
    if shared:
        yield from ("", f"{_count(shared, 'question')} for more than one family: on the page of each.")
    yield from ("", "| of these | questions |", "| --- | ---: |")
    yield f"| core: for every device, with nothing to compare with | {len(bank.select(core=True))} |"
    yield f"| need another implementation | {len(bank.select(upstream=True))} |"
    yield f"| for some families of devices | {sum(bool(entry.architectures) for entry in live)} |"
    mined = [entry for entry in live if entry.provenance.kind == "mined" and entry.sources]
    yield f"| mined from a public source, named with the lesson | {len(mined)} |"
    for status in ("experimental", "test", "stable"):
        yield f"| {status} | {sum(entry.status == status for entry in live)} |"
    yield from ("", "| ask when | kind | questions |", "| --- | --- | ---: |")
    for kind, when in WHEN.items():
        yield f"| {when} | `{kind}` | {len(bank.select(kind=kind))} |"
    yield from ("", "| layer | questions that move there | or have an answer that leads there |")
    yield "| --- | ---: | ---: |"
    for layer in Layer:
        moved = sum(entry.moves.to == layer for entry in live)
        yield f"| {layer} | {moved} | {len(bank.select(layer=layer)) - moved} |"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
