"""`kernelseek bank search`."""

from typing import Any

import click

from bank.params import fill
from bank.search import Found, by_id, nearest, search, told
from bank.sources import load_banks
from kernelseek_tui.cli.bank.shared import BANKS, JSON, count, dump, filters, selected
from kernelseek_tui.plain import line, one_line


@click.command("search")
@click.argument("words", nargs=-1, required=True, metavar="WORDS...")
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True, help="How many.")
@filters
@BANKS
@JSON
def search_entries(
    words: tuple[str, ...], limit: int, banks: tuple[str, ...], as_json: bool, **chosen: Any
) -> None:
    """Find entries by id, or by words of question, number, method, lesson, group; typing errors are forgiven.

    \b
    kernelseek bank search register spills
    kernelseek bank search bandwith --kind claimed_limit
    kernelseek bank search kq-host
    kernelseek bank search launch overhead --json | jq '.[].id'

    The best match stands first, with where it matched. An entry is shown when it has at least half of the
    words, rare ones counting more and those that find nothing not at all; words of the field that no entry
    has find by synonyms, and stderr says which. A deprecated entry is found by its id.

    Ends 0 when nothing matches, too:
    with one sentence on stderr that names near words, and with [] for --json.
    """
    query = " ".join(words)
    loaded = load_banks(banks)
    entries = selected(loaded, chosen)
    if chosen["status"] is None:  # who names an entry that is no longer asked wants to see it
        every = selected(loaded, chosen | {"status": "deprecated"})
        entries += tuple(by_id(every, query))
    found = search(entries, query)
    if as_json:
        click.echo(dump([_object(one) for one in found[:limit]]))
    for number, one in enumerate(() if as_json else found[:limit], 1):
        click.echo("\n".join(_lines(number, one)))
    if not found:
        click.echo(line(_nothing(query, loaded.entries, entries)), err=True)
        return
    for words_told in told(loaded.entries, query):
        click.echo(line(words_told), err=True)
    if len(found) > limit:
        click.echo(f"{len(found) - limit} more; --limit shows them", err=True)


def _nothing(query: str, every: Any, entries: Any) -> str:
    outside = len(search(every, query)) if len(entries) < len(every) else 0
    if outside:
        outside_words = f"{count(outside, 'entry', 'entries')} that the filters leave out"
        return f"Nothing here matches {one_line(query, 60)!r}, but {outside_words} would."
    near = nearest(every, query)
    hint = f"; words that look like it: {', '.join(near)}" if near else "; try another word for it"
    return f"Nothing matches {one_line(query, 60)!r}{hint}."


def _object(found: Found) -> dict[str, object]:
    return {
        "id": found.entry.id,
        "group": found.entry.group.value,
        "status": found.entry.status,
        "question": found.entry.question,
        "score": found.score,
        "matches": [
            {
                "field": match.field,
                "text": match.text,
                "words": [{"asked": asked, "met": met} for asked, met in match.words],
            }
            for match in found.matches
        ],
    }


def _lines(number: int, found: Found) -> list[str]:
    entry = found.entry
    lines = [f"{number}. {line(fill(entry.question, {}))}"]
    gone = "  deprecated, no longer asked" if entry.status == "deprecated" else ""
    lines.append(f"   {entry.id}  {entry.group}  {found.score:.0f}{gone}")
    for match in found.matches:
        met = ", ".join(word if word == asked else f"{asked} ~ {word}" for asked, word in match.words)
        text = "" if match.field == "question" else f": {one_line(match.text, 150)}"
        lines.append(line(f"   - in the {match.field} ({met}){text}"))
    return lines
