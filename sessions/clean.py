"""An event as a journal may hold it: whole Unicode, no secrets, and short enough to be read back."""

import re
from collections.abc import Callable, Iterable
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, get_origin

from pydantic import BaseModel

from sessions.redaction import redact_secrets, with_escaped

MAX_DEPTH = 60  # of lists and objects in a tool's input; readers and writers of JSON stop at a few hundred

_LONE = re.compile("[\ud800-\udfff]")
# What ties events together. Their own characters are mended, but no word is taken out of them.
_NAMES = frozenset({"id", "parent", "kind", "event"})

M = TypeVar("M", bound=BaseModel)


def mend(value: Any) -> Any:
    """Halves of surrogate pairs, which no UTF-8 file can hold, as U+FFFD; in lists and objects, too."""
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [mend(item) for item in value]
    if isinstance(value, dict):
        return {mend(key): mend(item) for key, item in value.items()}
    return value


class Cleaner:
    """Cleans events for one journal. `secrets` are values that must not appear, whatever their shape."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        values = sorted(with_escaped(secrets), key=len, reverse=True)
        self._secrets = frozenset(values)
        self._pattern = re.compile("|".join(map(re.escape, values))) if values else None

    def text(self, text: str) -> str:
        """One text, mended and without secrets."""
        text = _LONE.sub("\ufffd", text)
        if self._pattern is not None:
            text = self._pattern.sub("[secret]", text)
        return redact_secrets(text)

    def event(self, event: M) -> M:
        """The event with every text cleaned; the same object where nothing had to be."""
        return _changed(event, self.text, self._number)

    def _number(self, value: Any) -> Any:
        return "[secret]" if str(value) in self._secrets else value


def clipped(event: M, longest: int) -> M:
    """The event with texts of about `longest` characters at most: head and tail stay, a remark between."""

    def clip(text: str) -> str:
        if len(text) <= longest:
            return text
        half = longest // 2
        return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[len(text) - half :]}"

    return _changed(event, clip, lambda value: value, longest)


def _changed(model: M, text: Callable[[str], str], number: Callable[[Any], Any], most: int = 1 << 40) -> M:
    kept = _literals(type(model))
    update = {}
    for name, value in {**model.__dict__, **(model.model_extra or {})}.items():
        if name in kept:
            continue
        new = mend(value) if name in _NAMES else _value(value, text, number, most)
        if new is not value and new != value:
            update[name] = new
    return model.model_copy(update=update) if update else model


def _value(
    value: Any, text: Callable[[str], str], number: Callable[[Any], Any], most: int, depth: int = 0
) -> Any:
    if isinstance(value, str):
        return value if isinstance(value, Enum) else text(value)
    if isinstance(value, BaseModel):
        return _changed(value, text, number, most)
    if depth > MAX_DEPTH:
        return "(nested too deeply, left out)" if isinstance(value, list | dict) else value
    if isinstance(value, tuple):  # of one of our own models: read back as it is
        return tuple(_value(item, text, number, most, depth + 1) for item in value)
    if isinstance(value, list):
        items = value[:most]
        return [_inner(item, text, number, most, depth + 1) for item in items]
    if isinstance(value, dict):
        pairs = list(value.items())[:most]
        return {
            text(key) if isinstance(key, str) else key: _inner(item, text, number, most, depth + 1)
            for key, item in pairs
        }
    return value


def _inner(
    value: Any, text: Callable[[str], str], number: Callable[[Any], Any], most: int, depth: int
) -> Any:
    """A value of a tool's own input, where a number may be a secret as well."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number(value)
    return _value(value, text, number, most, depth)


@cache
def _literals(model: type[BaseModel]) -> frozenset[str]:
    """Fields that hold one of a few fixed words, which is no text."""
    return frozenset(
        name for name, field in model.model_fields.items() if get_origin(field.annotation) is Literal
    )
