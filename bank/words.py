"""The vocabularies: plain data files, compiled to patterns once."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from bank.reading import load_yaml

VOCABULARIES = Path(__file__).parent / "vocabularies"
_NEVER = re.compile(r"(?!)")


@cache
def vocabulary(name: str) -> dict[str, Any]:
    """The data of `vocabularies/<name>.yaml`."""
    data: dict[str, Any] = load_yaml(VOCABULARIES / f"{name}.yaml")
    return data


@cache
def word_set(name: str, key: str = "words") -> frozenset[str]:
    """The plain items of one list."""
    return frozenset(str(word) for word in vocabulary(name)[key])


@cache
def word_pattern(name: str, key: str = "words") -> re.Pattern[str]:
    """Matches any item of a list as a whole word; a space in it also matches a hyphen."""
    return _compile((_escape(word) for word in vocabulary(name).get(key, ())), re.IGNORECASE)


@cache
def begun_pattern(name: str, key: str) -> re.Pattern[str]:
    """As `word_pattern`, and an item that ends in a star matches every word that begins so."""
    items = (_escape(word).replace(r"\*", r"\w*") for word in vocabulary(name).get(key, ()))
    return _compile(items, re.IGNORECASE)


@cache
def form_pattern(name: str, key: str = "forms") -> re.Pattern[str]:
    """Matches any regular expression of a list, starting at a word boundary."""
    return _compile(vocabulary(name).get(key, ()), re.IGNORECASE)


@cache
def exact_pattern(name: str) -> re.Pattern[str]:
    """Matches the `exact` items of a list, case and all."""
    return _compile((_escape(word) for word in vocabulary(name).get("exact", ())), 0)


def _escape(word: Any) -> str:
    return re.escape(str(word)).replace(r"\ ", r"[\s-]+")


def _compile(items: Any, flags: int) -> re.Pattern[str]:
    # longest first, so that the words shown are the whole name
    ordered = sorted(items, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(ordered)})(?!\w)", flags) if ordered else _NEVER


_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")


def content_words(text: str) -> str:
    """The words of a text that say what it is about, lower case, in order; for fuzzy comparison."""
    stop = word_set("stopwords")
    return " ".join(word for word in (w.lower() for w in _WORD.findall(text)) if word not in stop)
