"""Reads bank files: YAML to entries, and one sentence for each thing that is not one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from rapidfuzz import process

from bank.errors import BankError
from bank.files import MAX_BYTES as MAX_BYTES
from bank.files import named, place_of
from bank.plain_yaml import load_yaml as load_yaml
from bank.question import Question
from bank.wrong_value import shown, wrong
from sessions.vocabulary import Layer

MAX_ENTRIES = 1_000
"""A bank is read by people. Comparing every entry with every other takes seconds at this size."""


@dataclass
class BankReading:
    """What a folder held. `files` gives each entry's file; `problems` come in reading order."""

    entries: list[Question] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    problems: list[BankError] = field(default_factory=list)


def read_entries(path: Path) -> BankReading:
    """Read a folder of `*.yaml`, or one such file; nothing is raised but for a path that is neither."""
    lies = place_of(path)
    if lies == "folder":
        files = sorted(path.glob("*.yaml"))
        if not files:
            raise BankError("holds no *.yaml file, name a folder of bank entries", file=named(path))
    elif lies == "file":
        files = [path]
    else:
        raise BankError("is neither a file nor a folder, name a folder of bank entries", file=named(path))
    reading = BankReading()
    for file in files:
        _read_file(file, reading)
        if len(reading.entries) + len(reading.problems) > MAX_ENTRIES:
            raise BankError(f"holds more than {MAX_ENTRIES} entries, divide it into folders", file=str(path))
    return reading


def _read_file(file: Path, reading: BankReading) -> None:
    try:
        items = load_yaml(file)
    except BankError as error:
        reading.problems.append(error)
        return
    _read_items(items, str(file), reading)


def _read_items(items: Any, file: str, reading: BankReading) -> None:
    if not isinstance(items, list):
        reading.problems.append(BankError("is not a list of entries", file=file))
        return
    for number, item in enumerate(items[: MAX_ENTRIES + 1], 1):
        name = shown(item.get("id", number)) if isinstance(item, dict) else str(number)
        try:
            entry = Question.model_validate(item)
        except ValidationError as error:
            reading.problems.append(_refusal(error, item, file, name))
            continue
        if entry.id in reading.files:
            what = f"the id is taken by an entry of {reading.files[entry.id]}, ids are never reused"
            reading.problems.append(BankError(what, file=file, entry=name, key="id", lint="Q21"))
            continue
        reading.files[entry.id] = file
        reading.entries.append(entry)


_VERDICT = "where the claim itself is settled write `verdict: stand` or `verdict: reopen` in place of `next`"


def _refusal(error: ValidationError, item: Any, file: str, name: str) -> BankError:
    first = error.errors(include_url=False)[0]
    loc = [shown(part) for part in first["loc"] if part != "[key]"]
    key = ".".join(loc)
    if first["type"] == "extra_forbidden":
        near = process.extractOne(loc[-1], _keys_at(loc[:-1]), score_cutoff=60)
        advice = f"did you mean {near[0]!r}?" if near else "remove it"
        what = f"unknown key {key!r}, {advice}"
    elif first["type"] == "missing":
        what = f"the key {key!r} is missing"
    elif not isinstance(item, dict):
        what = "is not a mapping of keys to values"
    elif len(loc) == 3 and (loc[0], loc[2]) == ("outcomes", "next"):
        layers = ", ".join(layer.value for layer in Layer)
        what = f"the key {key!r} is wrong: a layer stands there, one of {layers}; {_VERDICT}"
    else:
        what = f"the key {key!r} is wrong: {wrong(first)}"
    more = error.error_count() - 1
    return BankError(f"{what} (and {more} more)" if more else what, file=file, entry=name, key=key)


def _keys_at(path: Sequence[str]) -> list[str]:
    """The keys the schema knows at a place, by the names used in files."""
    model: type[BaseModel] = Question
    for part in path:
        if part.isdigit():
            continue
        found = next((f for n, f in model.model_fields.items() if part in (n, f.alias)), None)
        nested = _model_in(found.annotation) if found is not None else None
        if nested is None:
            return []
        model = nested
    return [known.alias or name for name, known in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) is Literal:
        return None
    return next((model for arg in get_args(annotation) if (model := _model_in(arg)) is not None), None)
