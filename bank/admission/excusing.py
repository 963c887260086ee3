"""Writes a `lint_ok` into an entry's file: a few signs are inserted, everything else stays as it is."""

from dataclasses import dataclass
from pathlib import Path

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from bank.admission.context import Context
from bank.admission.lints import lint_entry, over_all
from bank.admission.places import locked, refuse_installed, replace_text
from bank.bank import Bank
from bank.errors import BankError
from bank.question import Excuse, Question, text_hash

_BEFORE = ("sources", "provenance", "related", "status", "answered_when", "measurement", "question")


@dataclass(frozen=True, slots=True)
class Excused:
    """An excuse as YAML: the whole line for an entry that has no `lint_ok` yet, and where it belongs."""

    line: str
    file: Path


def yaml_line(lint: str, excuse: Excuse) -> str:
    """The line to paste into an entry that has no `lint_ok`, without indentation."""
    return f"lint_ok: {{{_item(lint, excuse)}}}"


def _item(lint: str, excuse: Excuse) -> str:
    values = (("reason", excuse.reason), ("by", excuse.by), ("text", excuse.text))
    return f"{lint}: {{{', '.join(f'{key}: {_quoted(value)}' for key, value in values)}}}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def excuse_for(bank: Bank, entry: Question, lint: str, reason: str, by: str) -> Excuse:
    """An excuse of a warning for the entry's present text.

    Raises `BankError` when the lint does not fire, is an error here, or a text is empty or not one line.
    """
    for name, value in (("reason", reason), ("name", by)):
        if not value.strip() or not value.isprintable():
            raise BankError(f"the {name} is empty or not one line of text", entry=entry.id)
    together = [found for found in over_all(bank.entries, Context()) if found.entry == entry.id]
    levels = {found.level for found in [*lint_entry(entry), *together] if found.lint == lint}
    if not levels:
        raise BankError(f"{lint} does not fire, there is nothing to explain", entry=entry.id)
    if levels == {"error"}:
        raise BankError(f"{lint} is an error here and cannot be waived, change the entry", entry=entry.id)
    return Excuse(reason=reason.strip(), by=by.strip(), text=text_hash(entry.question))


def write_excuse(bank: Bank, entry: Question, lint: str, excuse: Excuse) -> Excused:
    """Put the excuse into the entry's file; one for the same lint is replaced.

    Raises `BankError` when the bank is an installed package's, or the entry is laid out so that nothing can
    be inserted safely; the sentence holds the line to paste. Raises `StorageError` when it cannot be written.
    """
    file = Path(bank.files[entry.id])
    excused = Excused(yaml_line(lint, excuse), file)
    refuse_installed(file)
    with locked(file.resolve().parent):
        _write(file, entry, lint, excuse, excused)
    return excused


def _write(file: Path, entry: Question, lint: str, excuse: Excuse, excused: Excused) -> None:
    try:
        with file.open(encoding="utf-8", newline="") as stream:  # line ends stay as they are
            text = stream.read()
    except (OSError, UnicodeDecodeError) as error:
        raise BankError("can no longer be read", file=str(file)) from error
    changed = _inserted(text, entry.id, lint, excuse)
    if changed is None or not _as_wanted(text, changed, entry.id, lint, excuse):
        raise BankError(
            f"is laid out so that nothing can be inserted safely, paste this: {excused.line}",
            file=str(file),
            entry=entry.id,
        )
    replace_text(file, changed)


def _as_wanted(before: str, after: str, entry_id: str, lint: str, excuse: Excuse) -> bool:
    # The proof is in the reading: nothing but this one excuse may be different.
    try:
        old, new = yaml.safe_load(before), yaml.safe_load(after)
    except yaml.YAMLError:
        return False
    for item in old:
        if item["id"] == entry_id:
            item["lint_ok"] = {**(item.get("lint_ok") or {}), lint: excuse.model_dump()}
    return bool(new == old)


def _inserted(text: str, entry_id: str, lint: str, excuse: Excuse) -> str | None:
    entry = _mapping_of(text, entry_id)
    if entry is None or entry.flow_style:
        return None
    new_line = "\r\n" if "\r\n" in text else "\n"
    at = {key.value: (key, value) for key, value in entry.value}
    if "lint_ok" in at:
        return _into(text, at["lint_ok"][1], lint, _item(lint, excuse), new_line)
    keys = [key for key in _BEFORE if key in at and at[key][0].start_mark.line > entry.start_mark.line]
    if not keys:
        return None
    mark = at[keys[0]][0].start_mark
    start = _above_comments(text, mark.index - mark.column)
    return f"{text[:start]}{' ' * mark.column}{yaml_line(lint, excuse)}{new_line}{text[start:]}"


def _above_comments(text: str, start: int) -> int:
    # A comment above a key belongs to it.
    while start:
        before = text.rfind("\n", 0, start - 1) + 1
        if not text[before:start].lstrip().startswith("#"):
            break
        start = before
    return start


def _into(text: str, there: Node, lint: str, item: str, new_line: str) -> str | None:
    if not isinstance(there, MappingNode):
        return None
    for key, value in there.value:
        if key.value == lint:  # an older excuse
            end = value.end_mark.index
            return text[: key.start_mark.index] + item + text[end:] if value.flow_style else None
    if there.flow_style:
        start = there.start_mark.index + 1
        return text[:start] + item + (", " if there.value else "") + text[start:]
    mark = there.start_mark
    return text[: mark.index] + item + new_line + " " * mark.column + text[mark.index :]


def _mapping_of(text: str, entry_id: str) -> MappingNode | None:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    for item in root.value if isinstance(root, SequenceNode) else ():
        if isinstance(item, MappingNode):
            for key, value in item.value:
                if key.value == "id" and isinstance(value, ScalarNode) and value.value == entry_id:
                    return item
    return None
