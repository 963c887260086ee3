"""The words of a search: what each counts as, by its endings, by the synonyms, or as a typing error."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from bank.words import vocabulary, word_set

ERRORS: Mapping[int, int] = {9: 2, 5: 1}
"""Letters of a word, and the errors forgiven from so many on: a wrong, missing or added letter, a swap.

In words of four, one error makes most words of the bank into another (`host`, `cost`, `lost`, `most`).
"""
_BEGUN = 92.0  # a word that begins with the asked one, or has another ending
_SYNONYM = 60.0  # below the word itself in a lesson
SHORT = 4  # letters: below that only the word itself counts
_LEAST_STEM = 3
_IDLE = 5  # letters: few words look like a longer one
_FURTHER = 2.0  # less for each synonym behind the first: the vocabulary puts the closest first
WORD = re.compile(r"[a-z0-9]+(?:-[0-9]+)?", re.IGNORECASE)
_STOP_WORDS = """a an and are at be between by do does for from has have how if in into is it its of on one or
than that the then there they this to was what when where which who will with you your"""
STOP = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase of a query: the bank's words it counts as, and phrases by their stems, with scores.

    `mistyped`: no entry has it and it is no known word; `words` differ from it by a typing error.
    """

    asked: str
    words: Mapping[str, float]
    phrases: Mapping[str, tuple[str, float]]  # stems -> as it is shown, score
    mistyped: bool = False


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; those that say nothing are left out unless there is no other."""
    words = [word.lower() for word in WORD.findall(text)]
    return [word for word in words if word not in STOP] or words


@cache
def stem_of(word: str) -> str:
    """The word without its ending, to compare with other stems only; a few unlike words share one."""
    for ending in ("ing", "ed", "es", "s", "e"):
        short = word.removesuffix(ending)
        if short != word and len(short) >= _LEAST_STEM and not (ending == "s" and word.endswith("ss")):
            return short + "y" if short.endswith("i") and ending in ("ed", "es") else short
    return word


def stems_of(text: str) -> str:
    """The stems of all words in order, a space before and behind each, so that `in` finds whole words."""
    return f" {' '.join(stem_of(word.lower()) for word in WORD.findall(text))} "


@cache
def _synonyms() -> dict[str, tuple[str, tuple[str, ...]]]:
    """By the stems of a key: the key, and what it counts as."""
    found: dict[str, list[str]] = vocabulary("synonyms")["synonyms"]
    return {stems_of(str(key)): (str(key), tuple(map(str, means))) for key, means in found.items()}


def says_nothing(word: str) -> bool:
    """A short word that tells nothing of what a question is about: only the word itself finds it."""
    return word in STOP or (len(word) <= _IDLE and word in word_set("stopwords"))


def terms_of(words: Sequence[str], known: set[str]) -> list[Term]:
    """The query's words, those that stand together as a key of the synonyms as one.

    `known` are the words that the bank has.
    """
    terms, at = [], 0
    while at < len(words):
        pair = " ".join(words[at : at + 2])
        if at + 1 < len(words) and stems_of(pair) in _synonyms():
            terms.append(Term(pair, {}, {stems_of(pair): (pair, 100.0)} | _meant(pair)))
            at += 2
        else:
            terms.append(_single(words[at], known))
            at += 1
    return terms


def _meant(asked: str) -> dict[str, tuple[str, float]]:
    _, means = _synonyms().get(stems_of(asked), ("", ()))
    return {stems_of(words): (words, _SYNONYM - _FURTHER * at) for at, words in enumerate(means)}


def _single(asked: str, known: set[str]) -> Term:
    meant = _meant(asked)
    if len(asked) < SHORT or asked.startswith("kq-"):
        return Term(asked, {asked: 100.0} if asked in known else {}, meant)
    stem = stem_of(asked)
    alike = {
        word: 100.0 if word == asked else _BEGUN
        for word in known
        if word == asked
        or (
            len(word) >= SHORT
            and not says_nothing(word)
            and (word.startswith(asked) or stem_of(word) == stem)
        )
    }
    if alike or meant or asked in word_set("synonyms", "real") or says_nothing(asked):
        return Term(asked, alike, meant)
    errors = next((most for letters, most in ERRORS.items() if len(asked) >= letters), 0)
    keys = {key for key, _ in _synonyms().values() if " " not in key}
    # the first letter is seldom mistyped, and most words that differ there are others
    near = sorted(
        word
        for word in known | keys
        if len(word) >= min(ERRORS) and word[0] == asked[0] and not says_nothing(word)
    )
    close = (
        process.extract(asked, near, scorer=OSA.distance, score_cutoff=errors, limit=None) if errors else []
    )
    least = min((distance for _, distance, _ in close), default=0)
    taken = {word: 100.0 * (1 - distance / len(asked)) for word, distance, _ in close if distance == least}
    phrases = {stems: value for word in taken for stems, value in _meant(word).items()}
    return Term(asked, taken, phrases, mistyped=bool(taken))
