"""Finds entries by words: in the question, what is measured, the lessons it comes from, and its group's name.

A word of a query counts as the bank's words that begin with it or have its stem; where there is none, as
those that differ by a typing error. An entry scores by its best match for each word, and rare words count
more than common ones.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from bank.params import fill
from bank.question import Question
from bank.titles import FAMILIES, PURPOSES, TITLES

Field = Literal["id", "question", "number", "method", "lesson", "group"]

ERRORS: Mapping[int, int] = {9: 2, 5: 1}
"""Letters of a word, and the errors forgiven from so many on: a wrong, missing or added letter, a swap.

In words of four, one error makes most words of the bank into another (`host`, `cost`, `lost`, `most`).
"""
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
_BEGUN = 92.0  # a word that begins with the asked one, or is it without an ending of so many letters:
_ENDING = 3
_SHORT = 4  # letters: below that only the word itself counts
_WORD = re.compile(r"[a-z0-9]+(?:-[0-9]+)?", re.IGNORECASE)
_STOP_WORDS = """a an and are at be between by do does for from has have how if in into is it its of on one or
than that the then there they this to was what when where which who will with you your"""
_STOP = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True, slots=True)
class Match:
    """Where an entry matched: the text, and each word of the query with the word it met there."""

    field: Field
    text: str
    words: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An entry with its score, from above 0 to 100, and its matches, the best place first."""

    entry: Question
    score: float
    matches: tuple[Match, ...]


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; those that say nothing are left out unless there is no other."""
    words = [word.lower() for word in _WORD.findall(text)]
    return [word for word in words if word not in _STOP] or words


def search(entries: Sequence[Question], query: str) -> list[Found]:
    """The entries that match, best first, in the bank's order among equals; none for an empty query."""
    asked = list(dict.fromkeys(words_of(query)))
    places = [list(_places(entry)) for entry in entries]
    held = [{word for _, _, words in own for word in words} for own in places]
    known = sorted({word for words in held for word in words})
    like = {word: alike for word in asked if (alike := _alike(word, known))}
    weight = {word: _rarity(alike, held) for word, alike in like.items()}
    total = sum(weight.values())
    found = [
        _scored(entry, own, like, weight, total) for entry, own in zip(entries, places, strict=True) if total
    ]
    return sorted((one for one in found if one is not None), key=lambda one: -one.score)


def nearest(entries: Sequence[Question], query: str, limit: int = 3) -> list[str]:
    """Words of these entries that look most like the query's, to try instead."""
    known = sorted(word for word in _known(entries) if len(word) >= _SHORT and word not in _STOP)
    close = [
        match
        for word in words_of(query)
        for match in process.extract(word, known, scorer=fuzz.ratio, score_cutoff=60, limit=limit)
    ]
    ordered = sorted(close, key=lambda match: -match[1])
    return list(dict.fromkeys(word for word, _, _ in ordered))[:limit]


def unknown(entries: Sequence[Question], query: str) -> list[str]:
    """The words of a query that no entry has."""
    known = sorted(_known(entries))
    return [word for word in dict.fromkeys(words_of(query)) if not _alike(word, known)]


def _known(entries: Sequence[Question]) -> set[str]:
    return {word for entry in entries for _, _, words in _places(entry) for word in words}


def _places(entry: Question) -> Iterator[tuple[Field, str, set[str]]]:
    asked = entry.measurement
    texts: list[tuple[Field, str]] = [
        ("id", entry.id),
        ("question", fill(entry.question, {})),
        ("number", f"{asked.number}, in {asked.unit}"),
        ("method", f"{asked.method} ({', '.join(asked.tools)})"),
        *(("lesson", f"{source.lesson} ({source.ref})") for source in entry.sources),
        ("group", f"{TITLES[entry.group]}: {PURPOSES[entry.group]}"),
        *(("group", FAMILIES[family]) for family in entry.architectures),
    ]
    for field, text in texts:
        words = {word.lower() for word in _WORD.findall(text)}
        yield field, text, words | {text} if field == "id" else words


def _alike(asked: str, known: Sequence[str]) -> dict[str, float]:
    """The bank's words that count as the asked one, with how alike they are, up to 100."""
    if len(asked) < _SHORT:
        return {word: 100.0 for word in known if word == asked}
    alike = {}
    for word in known:
        begun = word.startswith(asked) or (asked.startswith(word) and len(asked) - len(word) <= _ENDING)
        if begun and len(word) >= _SHORT:
            alike[word] = 100.0 if word == asked else _BEGUN
    if alike:
        return alike
    errors = next((most for letters, most in ERRORS.items() if len(asked) >= letters), 0)
    close = process.extract(asked, known, scorer=OSA.distance, score_cutoff=errors, limit=None)
    return {word: 100.0 * (1 - distance / len(asked)) for word, distance, _ in close}


def _rarity(alike: Mapping[str, float], held: Sequence[set[str]]) -> float:
    # as the inverse document frequency of text retrieval
    number = sum(not words.isdisjoint(alike) for words in held)
    return math.log(1 + (len(held) + 1) / (number + 1))


def _scored(
    entry: Question,
    places: Sequence[tuple[Field, str, set[str]]],
    like: Mapping[str, Mapping[str, float]],
    weight: Mapping[str, float],
    total: float,
) -> Found | None:
    best: dict[str, tuple[float, int, str]] = {}  # asked word -> score, place, word met
    for number, (field, _, words) in enumerate(places):
        for asked, alike in like.items():
            for met in words & alike.keys():
                score = _WEIGHTS[field] * alike[met]
                if score > best.get(asked, (0.0, 0, ""))[0]:
                    best[asked] = (score, number, met)
    if sum(weight[asked] for asked in best) < HALF * total:
        return None
    score = sum(weight[asked] * best[asked][0] for asked in best) / total
    matches: dict[int, list[tuple[str, str]]] = {}
    for asked, (_, number, met) in sorted(best.items(), key=lambda item: -item[1][0]):
        matches.setdefault(number, []).append((asked, met))
    return Found(
        entry,
        round(score, 1),
        tuple(Match(places[n][0], places[n][1], tuple(words)) for n, words in matches.items()),
    )
