"""An event as a journal may hold it: whole Unicode, no secrets, and short enough to be read back."""

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, get_origin

from pydantic import BaseModel

from sessions.events import Event, Evidence, UnknownEvent
from sessions.redaction import redact_secrets, uncoloured, with_escaped

MAX_DEPTH = 60  # of lists and objects in a tool's input; readers and writers of JSON stop at a few hundred

_LONE = re.compile("[\ud800-\udfff]")
_OWN_ID = re.compile(r"e[0-9]{1,9}\Z")

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


@dataclass(frozen=True, slots=True)
class _Way:
    """What is done to texts, to numbers in a tool's input and to ids; of longer lists `most` items stay."""

    text: Callable[[str], str]
    number: Callable[[Any], Any]
    tie: Callable[[str], str] = mend
    most: int = 1 << 40


class Cleaner:
    """Cleans events for one journal. `secrets` are values that must not appear, whatever their shape."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        values = sorted(with_escaped(secrets), key=len, reverse=True)
        self._secrets = frozenset(values)
        self._pattern = re.compile("|".join(map(re.escape, values))) if values else None

    def text(self, text: str) -> str:
        """One text, mended and without secrets; without its colours where one of them broke a secret up."""
        text = self._taken_out(_LONE.sub("\ufffd", text))
        plain = uncoloured(text)
        if plain is not None and (clean := self._taken_out(plain)) != plain:
            return clean
        return text

    def tie(self, name: str) -> str:
        """As `text`, for what ties events together: two names that differ still do, and no name moves."""
        if _OWN_ID.match(name):
            return name
        clean = self.text(name)
        if clean == mend(name):
            return clean
        return f"{clean}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"

    def event(self, event: M) -> M:
        """The event with every text cleaned; the same object where nothing had to be."""
        return _changed(event, _Way(self.text, self._number, self.tie))

    def _taken_out(self, text: str) -> str:
        if self._pattern is not None:
            text = self._pattern.sub("[secret]", text)
        return redact_secrets(text)

    def _number(self, value: Any) -> Any:
        return "[secret]" if str(value) in self._secrets else value


def clipped(event: M, longest: int) -> M:
    """The event with texts of about `longest` characters at most: head and tail stay, a remark between."""

    def clip(text: str) -> str:
        if len(text) <= longest:
            return text
        half = longest // 2
        return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[len(text) - half :]}"

    return _changed(event, _Way(clip, lambda value: value, most=longest))


def _changed(model: M, way: _Way) -> M:
    kept, ties = _literals(type(model)), _ties(type(model))
    update = {}
    for name, value in {**model.__dict__, **(model.model_extra or {})}.items():
        if name in kept or value is None:
            continue
        new = way.tie(value) if name in ties else _value(value, way)
        if new is not value and new != value:
            update[name] = new
    if model.model_extra and any(way.text(name) != name for name in model.model_extra):
        return _renamed(model, update, way.text)
    return model.model_copy(update=update) if update else model


def _renamed(model: M, update: dict[str, Any], text: Callable[[str], str]) -> M:
    """A model of a kind we do not know, with the names of its own fields cleaned as well."""
    given = {name: value for name, value in model.__dict__.items() if name in model.model_fields_set}
    new = {**given, **(model.model_extra or {}), **update}
    known = type(model).model_fields
    return type(model).model_validate(
        keyed((name if name in known else text(name), value) for name, value in new.items())
    )


def keyed(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """The pairs as an object; of keys that have become the same, none is lost."""
    found: dict[Any, Any] = {}
    for key, value in pairs:
        name, number = key, 1
        while name in found:
            number += 1
            name = f"{key}-{number}"
        found[name] = value
    return found


def _value(value: Any, way: _Way, depth: int = 0) -> Any:
    if isinstance(value, str):
        return value if isinstance(value, Enum) else way.text(value)
    if isinstance(value, BaseModel):
        return _changed(value, way)
    if depth > MAX_DEPTH:
        return "(nested too deeply, left out)" if isinstance(value, list | dict) else value
    if isinstance(value, tuple):  # of one of our own models: read back as it is
        return tuple(_value(item, way, depth + 1) for item in value)
    if isinstance(value, list):
        return [_inner(item, way, depth + 1) for item in value[: way.most]]
    if isinstance(value, dict):
        return keyed(
            (way.text(key) if isinstance(key, str) else key, _inner(item, way, depth + 1))
            for key, item in list(value.items())[: way.most]
        )
    return value


def _inner(value: Any, way: _Way, depth: int) -> Any:
    """A value of a tool's own input, where a number may be a secret as well."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return way.number(value)
    return _value(value, way, depth)


@cache
def _literals(model: type[BaseModel]) -> frozenset[str]:
    """Fields that hold one of a few fixed words, which is no text."""
    return frozenset(
        name for name, field in model.model_fields.items() if get_origin(field.annotation) is Literal
    )


@cache
def _ties(model: type[BaseModel]) -> frozenset[str]:
    """Fields that hold the id of an event. An `id` of anything else, a scenario's say, is a text."""
    if issubclass(model, Event | UnknownEvent):
        return frozenset({"id", "parent"})
    return frozenset({"event"}) if issubclass(model, Evidence) else frozenset()
