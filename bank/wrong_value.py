"""What is wrong with a value of a file, in words of the file and not of the library that found it."""

from collections.abc import Mapping
from typing import Any

_LONGEST = 60


def shown(value: object) -> str:
    """A key or an id as a sentence names it: short, and of a list, a mapping or a huge number only that."""
    if value is None:
        return "null"
    if isinstance(value, int) and value.bit_length() > 64:  # Python refuses to write out the largest
        return "a huge number"
    if isinstance(value, (list, dict, set, tuple)):
        return "a list" if isinstance(value, list) else "a mapping"
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def wrong(detail: Mapping[str, Any]) -> str:
    """Why a value was refused, of one of pydantic's errors: "it is not one of …", "it is no date …"."""
    kind: str = detail["type"]
    about: Mapping[str, Any] = detail.get("ctx") or {}
    if kind in ("enum", "literal_error"):
        return f"it is not one of {about['expected']}"
    if kind == "value_error":
        return str(about["error"])
    if kind in ("too_short", "too_long"):
        few = kind == "too_short"
        number = about["min_length" if few else "max_length"]
        return f"it has {'less' if few else 'more'} than {number} in its list"
    if kind == "string_too_long":
        return f"it is longer than {about['max_length']} characters"
    if kind == "string_too_short":
        return "it is empty"
    if kind == "string_pattern_mismatch":
        return next(words for head, words in _FORMS if about["pattern"].startswith(head))
    if kind in ("greater_than", "greater_than_equal"):
        return f"it is not {'above' if kind == 'greater_than' else 'at least'} {next(iter(about.values()))}"
    return next((words for head, words in _KINDS if kind.startswith(head)), "it is no value for this key")


_FORMS = (
    ("^kq-", "an id is kq-, small letters, a hyphen and three digits, as in kq-host-123"),
    ("^[0-9a-f]{8}", "it is not eight hex digits, as the review command writes them"),
    ("", "it holds characters that an id may not have"),
)
"""How the schema's patterns begin, and what they want."""

_KINDS = (
    ("invalid_key", "a key is no text, put it in quotes"),
    ("string_unicode", "it is no UTF-8"),
    ("string", "it is no text, put it in quotes"),
    ("model", "it is not a mapping of keys to values"),
    ("dict", "it is not a mapping of keys to values"),
    ("tuple", "it is not a list"),
    ("list", "it is not a list"),
    ("date", "it is no date such as 2026-11-30"),
    ("bool", "it is neither true nor false"),
    ("int", "it is no whole number"),
    ("float", "it is no number"),
    ("finite_number", "it is no number"),
    ("missing", "it is missing"),
)
"""The heads of pydantic's names of errors, the first that fits."""
