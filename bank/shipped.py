"""The shipped bank as one JSON file, made from `entries/*.yaml` by `python -m bank.forms`.

    {"schema": "1.0", "version": …, "source": …, "files": {…}, "entries": […]}

`schema` is the version of this layout and of an entry's keys: another major number is refused. `version` is
the bank's. `source` tells from which YAML the file was made. `files` names each YAML file with the number of
its entries, which stand in that order.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bank.errors import BankError
from bank.files import read_bytes
from bank.question import Question

ENTRIES = Path(__file__).parent / "entries"
SHIPPED = Path(__file__).parent / "bank.json"
CHECKOUT = ENTRIES.parents[1]
"""The repository, unless this is an installed package: then the folder of all packages."""
SCHEMA = "1.0"
_MOST = 64 << 20


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore")  # a later minor version may say more

    layout: str = Field(alias="schema")  # a model has a method of that name
    source: str
    files: dict[str, int]
    entries: tuple[Question, ...]


def source_hash(folder: Path) -> str:
    """Sixteen hex digits over names and bytes of a folder's YAML files; empty where it has none.

    Raises `OSError`.
    """
    content = sha256()
    files = sorted(folder.glob("*.yaml"))
    for file in files:
        data = read_bytes(file)
        content.update(f"{file.name}\0{len(data)}\0".encode() + data)
    return content.hexdigest()[:16] if files else ""


def as_json(entries: Sequence[Question], files: Mapping[str, str], version: str, source: str) -> str:
    """The text of the JSON file, one entry a line. `files` gives each entry's YAML file."""
    counts: dict[str, int] = {}
    for entry in entries:
        name = Path(files[entry.id]).name
        counts[name] = counts.get(name, 0) + 1
    lines = ",\n".join(
        json.dumps(entry.model_dump(mode="json", by_alias=True), ensure_ascii=False) for entry in entries
    )
    head = {"schema": SCHEMA, "version": version, "source": source, "files": counts}
    heads = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items())
    return f'{{{heads},\n"entries": [\n{lines}\n]}}\n'


def read_shipped(
    folder: Path = ENTRIES, file: Path = SHIPPED
) -> tuple[tuple[Question, ...], dict[str, str]] | None:
    """The entries and each one's YAML file, from the JSON file.

    None when the YAML beside it is no longer what the file was made from, or there is no file: then the YAML
    counts. A package without the YAML is read from the JSON alone. Raises `BankError`.
    """
    try:
        text = read_bytes(file, _MOST).decode("utf-8")
        source = source_hash(folder)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BankError("cannot be read, install the package again", file=str(file)) from error
    form = _parse(text, file)
    if source and source != form.source:
        return None
    names = [name for name, count in form.files.items() for _ in range(count)]
    if len(names) != len(form.entries):
        raise BankError("is damaged, install the package again", file=str(file))
    places = zip(form.entries, names, strict=True)
    return form.entries, {entry.id: str(folder / name) for entry, name in places}


def _parse(text: str, file: Path) -> _Form:
    try:
        form = _Form.model_validate_json(text)
    except ValidationError as error:
        _refuse_other(_layout(text), file)  # entries of another layout are not damaged
        raise BankError("is damaged, install the package again", file=str(file)) from error
    _refuse_other(form.layout, file)
    return form


def _layout(text: str) -> str:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return SCHEMA
    said = found.get("schema") if isinstance(found, dict) else None
    return said if isinstance(said, str) else SCHEMA


def _refuse_other(layout: str, file: Path) -> None:
    if layout.split(".")[0] != SCHEMA.split(".")[0]:
        what = f"has the schema {layout[:20]}, this version reads {SCHEMA}: install the package again"
        raise BankError(what, file=str(file))
