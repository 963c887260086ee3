"""Free text over a bank's entries as it is typed: `bank.search`, and the beginnings of words."""

import re
from collections.abc import Sequence

from bank.question import Question
from bank.search import by_id, search
from bank.terms import words_of

BEGUN = 4
"""Letters below which a word may be unfinished: `bank.search` takes those for whole words."""


def unfinished(query: str) -> bool:
    """Its last word may be the beginning of one."""
    words = words_of(query)
    return bool(words) and len(words[-1]) < BEGUN and not query[-1].isspace()


def named(entries: Sequence[Question], query: str) -> frozenset[int]:
    """The places of the entries that the query names by id, or by a part of it."""
    meant = {one.id for one in by_id(entries, query)}
    return frozenset(place for place, one in enumerate(entries) if one.id in meant)


def find(entries: Sequence[Question], query: str) -> list[int]:
    """The places of the entries that match, best first.

    An unfinished word alone finds what has a word that begins so in id or question; behind others it waits
    for more letters.
    """
    if unfinished(query) and not by_id(entries, query):
        *words, last = words_of(query)
        if not words:
            begun = re.compile(rf"\b{re.escape(last)}", re.IGNORECASE)
            return [
                place for place, one in enumerate(entries) if begun.search(f"{one.id} {one.question[:4_000]}")
            ]
        query = " ".join(words)
    places = {one.id: place for place, one in enumerate(entries)}
    return [places[found.entry.id] for found in search(entries, query)]
