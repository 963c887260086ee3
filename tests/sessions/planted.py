"""Events of every kind with one text in every place that can hold one, found from their own fields."""

from collections.abc import Iterator
from datetime import UTC, datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from sessions import events as ev


def planted(text: str) -> list[ev.AnyEvent]:
    """One event of each kind, and one of a kind that nobody knows."""
    events: list[Any] = [_model(model, text) for model in ev.KNOWN]
    unknown = {"kind": text, "id": text, "parent": text, "agent": text, text: {text: [text, {text: text}]}}
    return [*events, ev.UnknownEvent.model_validate(unknown)]


def strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)


def _model(model: type[BaseModel], text: str) -> BaseModel:
    fields = model.model_fields
    return model.model_validate(
        {name: _value(field.annotation, text) for name, field in fields.items() if name != "schema_version"}
    )


def _value(kind: Any, text: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _value(next(one for one in inner if one is not NoneType), text)
    if origin is Literal:
        return inner[0]
    if origin is tuple:
        return (_value(inner[0], text), _value(inner[0], text))
    if origin is dict:
        return {text: text} if inner[1] is str else {text: [text, {text: text}]}
    if issubclass(kind, BaseModel):
        return _model(kind, text)
    if issubclass(kind, Enum):
        return next(iter(kind))
    return {str: text, int: 1, float: 0.5, bool: True, datetime: datetime(2026, 11, 29, tzinfo=UTC)}[kind]
