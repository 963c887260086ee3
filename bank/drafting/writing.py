"""An entry as YAML in the bank's own style, and its addition to a file whose text stays byte for byte."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from bank.admission.places import replace_text
from bank.drafting.sentences import printable
from bank.errors import BankError
from bank.question import Question
from bank.reading import MAX_BYTES, load_yaml

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORD = re.compile(r"[a-z_]+")


def as_yaml(entry: Question, comments: Iterable[str] = ()) -> str:
    """The entry as one item of a list, `comments` above it. What has its default is left out.

    Texts are single-quoted and on one line, so nothing in them is read as YAML; a comment is one line, too.
    """
    data = entry.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    data.setdefault("status", entry.status)
    lines = [f"# {line}".rstrip() for line in (printable(comment) for comment in comments)]
    first = True
    for name in _KEYS:
        if name not in data:
            continue
        text = "\n".join(_field(name, data[name]))
        lines.append(f"{'- ' if first else '  '}{text}")
        first = False
    return "\n".join(lines) + "\n"


_KEYS = tuple(field.alias or name for name, field in Question.model_fields.items())


def _field(name: str, value: Any) -> Iterator[str]:
    if name == "measurement":
        yield f"{name}:"
        for key, item in value.items():
            yield f"    {key}: {_flow(item)}"
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield f"{name}:"
        for item in value:
            yield f"    - {_flow(item)}"
    else:
        yield f"{name}: {_flow(value)}"


def _flow(value: Any) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{_key(key)}: {_flow(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_flow, value)) + "]"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case None:
            return "null"
        case _:
            return _quoted(str(value))


def _key(key: str) -> str:
    return key if _WORD.fullmatch(key) else _quoted(key)


def _quoted(text: str) -> str:
    return "'" + printable(text).replace("'", "''") + "'"


def appended(path: Path, entry: str) -> str:
    """The text of `path` with one entry behind it; the entry alone where there is no such file.

    Raises `BankError` where the file is no list of entries to which one can be added at its end.
    """
    old = ""
    before: list[Any] = []
    if path.exists():
        if not path.is_file():
            raise BankError("is not a regular file, name a file of entries with -o", file=str(path))
        before = _items(path)
        old = path.read_bytes().decode("utf-8")
    gap = "" if not old.strip() else "\n" if old.endswith("\n") else "\n\n"
    new = old + gap + entry
    if len(new.encode()) > MAX_BYTES:
        raise BankError(f"would be larger than {MAX_BYTES >> 20} MiB, name another file", file=str(path))
    try:
        after = yaml.load(new, Loader=_LOADER)
    except yaml.YAMLError:
        after = None
    if not isinstance(after, list) or after[:-1] != before:
        raise BankError(
            "is not a plain list of entries that one can be added to at its end, name another file with -o",
            file=str(path),
        )
    return new


def append(path: Path, entry: str) -> None:
    """Write what `appended` gives, atomically. Raises what it raises, and `StorageError`."""
    replace_text(path, appended(path, entry))


def _items(path: Path) -> list[Any]:
    data = load_yaml(path)
    if data is None:
        return []
    if not isinstance(data, list):
        raise BankError("is not a list of entries, name a file of entries with -o", file=str(path))
    return data
