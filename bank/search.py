"""Finds entries by ids, and by words of the question, what is measured, the lessons and the group's name.

An id, or a part of one, finds the entries that have it. A word of a query counts as the bank's words that
begin with it or differ in the ending; a word or phrase of `vocabularies/synonyms.yaml` counts as what stands
there, too, for less. A longer word that is none of these and no word that we know counts as those that differ
by a typing error. An entry scores by its best match for each word; rare words count more than common ones.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz, process

from bank.params import fill
from bank.question import Question
from bank.terms import SHORT, STOP, WORD, Term, says_nothing, stem_of, terms_of
from bank.titles import FAMILIES, PURPOSES, TITLES

Field = Literal["id", "question", "number", "method", "lesson", "group"]

HALF = 0.5
"""An entry needs this share of the query's weight to be shown; words that no entry has are not counted."""

_WEIGHTS: Mapping[Field, float] = {
    "id": 1.0,
    "question": 1.0,
    "number": 0.9,
    "method": 0.85,
    "lesson": 0.75,
    "group": 0.6,
}
_NEAR = 65.0  # of 100: how much a word must look like another to be offered
_TOKEN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Match:
    """Where an entry matched: the text, and each word of the query with the word or synonym it met there."""

    field: Field
    text: str
    words: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An entry with its score, from above 0 to 100, and its matches, the best place first."""

    entry: Question
    score: float
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    field: Field
    text: str
    words: frozenset[str]
    stems: str  # of all words in order, a space before and behind each


def by_id(entries: Sequence[Question], query: str) -> list[Question]:
    """The entries whose id, or a part of it, stands in the query, deprecated or not, in the bank's order.

    A part begins where a part of the id does and has a hyphen (`kq-host`, `host-003`), or is the number.
    """
    parts = [token.lower() for token in _TOKEN.findall(query)]
    return [entry for entry in entries if any(_in_id(part, entry.id) for part in parts)]


def search(entries: Sequence[Question], query: str) -> list[Found]:
    """The entries that match, best first, in the bank's order among equals; none for an empty query.

    Those that are named by id, or by a part of it, stand first and score 100.
    """
    ids, rest = _parted(entries, query)
    named = [
        Found(
            entry,
            100.0,
            (Match("id", entry.id, tuple((part, part) for part in ids if _in_id(part, entry.id))),),
        )
        for entry in by_id(entries, " ".join(ids))
    ]
    taken = {found.entry.id for found in named}
    index = _index(entries)
    best = {term.asked: [_best(term, own) for own in index] for term in terms_of(rest, _known(index))}
    # as the inverse document frequency of text retrieval
    numbers = {asked: sum(one is not None for one in met) for asked, met in best.items()}
    weight = {asked: math.log(1 + (len(index) + 1) / (n + 1)) for asked, n in numbers.items() if n}
    found = [
        one
        for at, entry in enumerate(entries)
        if entry.id not in taken and (one := _scored(entry, index[at], at, best, weight)) is not None
    ]
    return named + sorted(found, key=lambda one: -one.score)


def nearest(entries: Sequence[Question], query: str, limit: int = 3) -> list[str]:
    """Words of these entries, or ids, that look most like the query's, to try instead."""
    known = sorted(
        {entry.id for entry in entries}
        | {word for word in _known(_index(entries)) if len(word) >= SHORT and not says_nothing(word)}
    )
    close = [
        match
        for word in _parted(entries, query)[1]
        for match in process.extract(word, known, scorer=fuzz.ratio, score_cutoff=_NEAR, limit=limit)
    ]
    ordered = sorted(close, key=lambda match: -match[1])
    return list(dict.fromkeys(word for word, _, _ in ordered))[:limit]


def unknown(entries: Sequence[Question], query: str) -> list[str]:
    """The words of a query that find nothing, neither themselves nor by a synonym or a typing error."""
    index = _index(entries)
    terms = terms_of(_parted(entries, query)[1], _known(index))
    return [term.asked for term in terms if all(_best(term, own) is None for own in index)]


def told(entries: Sequence[Question], query: str) -> list[str]:
    """What a person should know of the words of a query that no entry has, one clause each."""
    index, said = _index(entries), []
    for term in terms_of(_parted(entries, query)[1], _known(index)):
        met = {best[2] for own in index if (best := _best(term, own)) is not None}
        if not met:
            near = nearest(entries, term.asked)
            said.append(
                f"no entry speaks of {term.asked!r}" + (f"; nearest: {', '.join(near)}" if near else "")
            )
        elif term.mistyped:
            said.append(
                f"no entry has {term.asked!r}; taken for {', '.join(sorted(met & set(term.words)) or met)}"
            )
        elif not term.words and term.asked not in met:
            # in the order of the vocabulary, which puts the closest first
            shown = [words for words, _ in term.phrases.values() if words in met]
            said.append(f"no entry has {term.asked!r}; looked for {', '.join(shown)}")
    return said


def _in_id(part: str, entry_id: str) -> bool:
    if "-" in part:
        return f"-{part}" in f"-{entry_id}"
    return len(part) == 3 and part.isdigit() and entry_id.endswith(f"-{part}")


def _parted(entries: Sequence[Question], query: str) -> tuple[list[str], list[str]]:
    """The parts of ids in a query, and its other words."""
    ids, rest = [], []
    for token in _TOKEN.findall(query.lower()):
        if any(_in_id(token, entry.id) for entry in entries):
            ids.append(token)
        elif token.startswith("kq-"):
            rest.append(token)  # an id that is not there is no word either
        else:
            rest += WORD.findall(token)
    meant = [word for word in rest if word not in STOP]
    return list(dict.fromkeys(ids)), list(dict.fromkeys(meant or ([] if ids else rest)))


_kept: tuple[tuple[Question, ...], list[list[_Place]]] = ((), [])


def _index(entries: Sequence[Question]) -> list[list[_Place]]:
    """What is searched, entry by entry; kept for the entries searched last, who searches does so again."""
    global _kept
    held, index = _kept
    if len(held) != len(entries) or any(one is not other for one, other in zip(held, entries, strict=True)):
        index = [[_place(field, text) for field, text in _texts(entry)] for entry in entries]
        _kept = tuple(entries), index
    return index


def _texts(entry: Question) -> Iterator[tuple[Field, str]]:
    asked = entry.measurement
    yield "question", fill(entry.question, {})
    yield "number", f"{asked.number}, in {asked.unit}"
    yield "method", f"{asked.method} ({', '.join(asked.tools)})"
    for source in entry.sources:
        yield "lesson", f"{source.lesson} ({source.ref})"
    yield "group", f"{TITLES[entry.group]}: {PURPOSES[entry.group]}"
    for family in entry.architectures:
        yield "group", FAMILIES[family]


def _place(field: Field, text: str) -> _Place:
    words = [word.lower() for word in WORD.findall(text)]
    return _Place(field, text, frozenset(words), f" {' '.join(map(stem_of, words))} ")


def _known(index: Sequence[Sequence[_Place]]) -> set[str]:
    return {word for own in index for place in own for word in place.words}


def _best(term: Term, own: Sequence[_Place]) -> tuple[float, int, str] | None:
    """The best match of a term among an entry's places: score, place, what was met."""
    best: tuple[float, int, str] | None = None
    for number, place in enumerate(own):
        weight = _WEIGHTS[place.field]
        for word in place.words & term.words.keys():
            if best is None or weight * term.words[word] > best[0]:
                best = weight * term.words[word], number, word
        for stems, (words, score) in term.phrases.items():
            if (best is None or weight * score > best[0]) and stems in place.stems:
                best = weight * score, number, words
    return best


def _scored(
    entry: Question,
    own: Sequence[_Place],
    at: int,
    best: Mapping[str, Sequence[tuple[float, int, str] | None]],
    weight: Mapping[str, float],
) -> Found | None:
    met = {asked: one for asked in weight if (one := best[asked][at]) is not None}
    total = sum(weight.values())
    if not met or sum(weight[asked] for asked in met) < HALF * total:
        return None
    score = sum(weight[asked] * one[0] for asked, one in met.items()) / total
    matches: dict[int, list[tuple[str, str]]] = {}
    for asked, (_, number, word) in sorted(met.items(), key=lambda item: -item[1][0]):
        matches.setdefault(number, []).append((asked, word))
    return Found(
        entry,
        round(score, 1),
        tuple(Match(own[n].field, own[n].text, tuple(words)) for n, words in matches.items()),
    )
