"""Reads bank files: YAML to entries, and one sentence for each thing that is not one."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError
from rapidfuzz import process
from yaml.nodes import MappingNode

from bank.errors import BankError
from bank.question import Question
from sessions.vocabulary import Layer

MAX_BYTES = 2 << 20
MAX_ENTRIES = 1_000
"""A bank is read by people. Comparing every entry with every other takes a second at this size."""

# libyaml's loader reads the bank about ten times faster; wheels of PyYAML carry it, source builds may not.
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """Safe YAML in which a key given twice is refused instead of silently overwritten."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            name = str(key.value)
            if name in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {name!r} is given twice", key.start_mark
                )
            seen.add(name)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return mapping


@dataclass
class BankReading:
    """What a folder held. `files` gives each entry's file; `problems` come in reading order."""

    entries: list[Question] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    problems: list[BankError] = field(default_factory=list)


def load_yaml(path: Path) -> Any:
    """Plain data from one YAML file. Raises `BankError` that names the line."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BankError(f"is larger than {MAX_BYTES >> 20} MiB, no bank of questions is", file=str(path))
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise BankError(f"cannot be read ({reason})", file=str(path)) from error
    return _parsed(text, str(path))


def _parsed(text: str, file: str) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise BankError(f"is not valid YAML{line} ({error.problem})", file=file) from error
    except yaml.YAMLError as error:
        raise BankError(f"is not valid YAML ({error})", file=file) from error
    except ValueError as error:  # what looks like a date or a number and cannot be one
        raise BankError(f"holds a value that cannot be read ({_plain(error)})", file=file) from error
    except RecursionError as error:
        raise BankError("is nested too deeply to be read", file=file) from error


def _plain(error: ValueError) -> str:
    # Python's own advice on long numbers names a function of the interpreter.
    return str(error).split(";")[0].split(":")[0]


def read_entries(path: Path) -> BankReading:
    """Read a folder of `*.yaml`, or one such file; nothing is raised but for a path that is neither."""
    if path.is_dir():
        files = sorted(path.glob("*.yaml"))
        if not files:
            raise BankError("holds no *.yaml file, name a folder of bank entries", file=str(path))
    elif path.is_file():
        files = [path]
    else:
        raise BankError("is neither a file nor a folder, name a folder of bank entries", file=str(path))
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
        name = str(item.get("id", number)) if isinstance(item, dict) else str(number)
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
    loc = [str(part) for part in first["loc"]]
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
        what = f"the key {key!r} is wrong: {first['msg'][:1].lower()}{first['msg'][1:]}"
    more = error.error_count() - 1
    return BankError(f"{what} (and {more} more)" if more else what, file=file, entry=name, key=key)


def _keys_at(path: list[str]) -> list[str]:
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
