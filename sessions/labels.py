"""Labels of moments in transcripts: one format (docs/labels.md), read, written and merged.

A label says what one annotator saw at one place. Files are JSON Lines, a label a line, or one JSON list; the
shape with `positives` and `negatives` is read too, its `second` readings as labels of a second annotator.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sessions.errors import RefusedInput, StorageError
from sessions.replacing import replace_file
from sessions.vocabulary import Act, Category, DecisionKind, Form, Layer, Truth

SCHEMA_VERSION = 1
FIRST, SECOND = "first", "second"
"""What the annotators of the older shape are called."""

Kind = DecisionKind | Literal["none"]
Entry = Annotated[int, Field(ge=0)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Where(_Strict):
    """A place. `entry` is the line, from 0, of the transcript's main file or of `part`, a subagent's file.

    `event` is the event's id as `inspect` prints it, absent where nobody read the file as events; `also` are
    more entries of the same moment.
    """

    entry: Entry
    event: str | None = None
    part: str | None = None
    also: tuple[Entry, ...] = ()


class Label(_Strict):
    """What `annotator` saw at one place. What was not asked or not known is absent.

    `file` is the transcript, relative to the label file's folder where that is possible, and `sha256` that of
    its bytes when it was labelled. `evidence` are entries that speak for or against what was said there.
    `not_kind` are kinds that must not be flagged at a place of kind `none`; without it no claim and no
    explained anomaly may be.
    """

    schema_version: Literal[1] = 1
    id: str | None = None
    file: str = Field(min_length=1)
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    where: Where
    kind: Kind
    layer: Layer | None = None
    act: Act | None = None
    form: Form | None = None
    category: Category | None = None
    truth: Truth | None = None
    certainty: int | None = Field(default=None, ge=1, le=3)
    evidence: tuple[Entry, ...] = ()
    not_kind: tuple[DecisionKind, ...] = ()
    annotator: str = Field(min_length=1)
    when: datetime | None = None
    note: str = ""


def read_labels(path: Path) -> list[Label]:
    """The labels of a file, in its order. Raises `RefusedInput` with what is wrong, and where."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise RefusedInput(f"{path} holds no labels: it is not UTF-8 text (byte {error.start}).") from error
    document = _document(text)
    if document is None:
        lines = text.split("\n")  # no other break: text in a label may hold U+2028
        return [_label(_parsed(line, at, path), f"line {at}", path) for at, line in _full(lines)]
    if isinstance(document, list):
        return [_label(item, f"label {at}", path) for at, item in enumerate(document)]
    return list(_older(document, path))


def write_labels(path: Path, labels: Iterable[Label]) -> None:
    """Write JSON Lines by atomic rename: a reader, and we after a crash, see all of it or what was there.

    Raises `StorageError`; what was there stays.
    """
    path = path.resolve()  # a link stays a link
    lines = [label.model_dump_json(exclude_none=True, exclude_defaults=False) + "\n" for label in labels]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, lines)
    except OSError as error:
        why = error.strerror or error
        raise StorageError(
            f"The labels could not be written to {path} ({why}); make room or choose another file."
        ) from error


def merge(*files: Sequence[Label]) -> list[Label]:
    """The labels of several files in one, by file and place. Of an annotator's labels of one moment the
    newest stays: a moment is known by its id, and without one by its place.
    """
    kept: dict[tuple[object, ...], Label] = {}
    for label in (label for labels in files for label in labels):
        place = label.id or (label.where.part, label.where.entry, label.where.event)
        key = (label.annotator, label.sha256 or label.file, place)
        before = kept.get(key)
        if before is None or _when(label) >= _when(before):
            kept[key] = label
    return sorted(kept.values(), key=lambda label: (label.file, label.where.entry, label.annotator))


def same_file(one: Label, other: Label) -> bool:
    """Both are about the same transcript: the same bytes or, where one does not say, the same path's end."""
    if one.sha256 is not None and other.sha256 is not None:
        return one.sha256 == other.sha256
    return same_path(one.file, other.file)


def same_path(one: str, other: str) -> bool:
    """Two paths that may be relative to different folders end alike, as far as the shorter goes."""
    parts = [[part for part in PurePosixPath(path).parts if part not in ("..", "/")] for path in (one, other)]
    shared = min(len(part) for part in parts)
    return shared > 0 and parts[0][-shared:] == parts[1][-shared:]


def _when(label: Label) -> datetime:
    when = label.when
    if when is None:
        return datetime.min.replace(tzinfo=UTC)
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _document(text: str) -> Any:
    """The file as one JSON list or one object of the older shape; None: lines."""
    start = text.lstrip()[:1]
    if start not in ("[", "{"):
        return None
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return whole if isinstance(whole, list) or "positives" in whole or "negatives" in whole else None


def _full(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    return ((at, line) for at, line in enumerate(lines) if line.strip())


def _parsed(line: str, at: int, path: Path) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RefusedInput(f"{path}, line {at} is no label: it is not JSON.") from error


def _label(value: Any, at: str, path: Path) -> Label:
    version = value.get("schema_version", SCHEMA_VERSION) if isinstance(value, dict) else SCHEMA_VERSION
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise RefusedInput(
            f"{path}, {at} is a label of version {version}; this program reads version {SCHEMA_VERSION}."
        )
    try:
        return Label.model_validate(value)
    except ValidationError as error:
        raise RefusedInput(f"{path}, {at} is no label: {_wrong(error)}.") from error


def _wrong(error: ValidationError) -> str:
    first = error.errors()[0]
    field = ".".join(str(step) for step in first["loc"] if not str(step).startswith(("function", "literal")))
    return f"{field}: {first['msg'].lower()}" if field else first["msg"].lower()


def _older(document: dict[str, Any], path: Path) -> Iterator[Label]:
    """The labels of the shape with `positives` and `negatives`: the first annotator's, then the second's.

    A positive whose verdict is that it is no moment after all is of kind `none`, and not of its own kind.
    """
    for group in ("positives", "negatives"):
        rows = document.get(group, [])
        if not isinstance(rows, list):
            raise RefusedInput(f"{path} holds no labels: {group} is not a list.")
        for at, row in enumerate(rows):
            name = f"{group}[{at}]"
            if not isinstance(row, dict):
                raise RefusedInput(f"{path}, {name} is no label: it is not an object.")
            entries = _entries(row.get("where"), name, path)
            if not entries:
                raise RefusedInput(f"{path}, {name} is no label: where names no entry, line or row.")
            kind = row.get("kind", "none" if group == "negatives" else None)
            tempting = group == "positives" and row.get("verdict") == Truth.NOT_A_MOMENT
            place = {
                "id": row.get("id"),
                "file": row.get("file"),
                "where": {"entry": entries[0], "also": entries[1:]},
            }
            yield _label(
                place
                | {
                    "kind": "none" if tempting else kind,
                    "truth": row.get("verdict"),
                    "evidence": _entries(row.get("evidence"), name, path),
                    "not_kind": (kind,) if tempting else row.get("not_kind", ()),
                    "annotator": FIRST,
                    "note": _words(row),
                },
                name,
                path,
            )
            second = row.get("second")
            if isinstance(second, dict):
                yield _label(
                    place
                    | {
                        "kind": second.get("kind"),
                        "truth": second.get("verdict") or _verdict_of(second.get("kind")),
                        "certainty": second.get("certainty"),
                        "annotator": SECOND,
                    },
                    f"{name}.second",
                    path,
                )


def _verdict_of(kind: object) -> str | None:
    return Truth.NOT_A_MOMENT.value if kind == "none" else None


def _entries(value: Any, at: str, path: Path) -> list[int]:
    """Entries and rows count from 0, lines from 1."""
    if value is None:
        return []
    if not isinstance(value, dict):
        raise RefusedInput(f"{path}, {at} is no label: a place is not an object.")
    found: list[int] = []
    for unit, start in (("entry", 0), ("line", 1), ("row", 0)):
        numbers = value.get(unit, [])
        numbers = numbers if isinstance(numbers, list) else [numbers]
        for number in numbers:
            if type(number) is not int or number < start:  # true is a number to Python
                raise RefusedInput(f"{path}, {at} is no label: {unit} {number!r} is no number from {start}.")
            found.append(number - start)
    return found


def _words(row: dict[str, Any]) -> str:
    """What happened and how it came out, in the first annotator's words."""
    words = (row.get(key) for key in ("what", "tempting_text", "why_not", "truth", "verdict_why", "note"))
    return " / ".join(word for word in words if isinstance(word, str) and word)
