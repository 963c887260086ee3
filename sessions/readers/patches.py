"""What a patch in Codex's own notation (`*** Begin Patch`) changes: files, each with a unified diff."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sessions.readers.base import mapping_of, name_of, text_of
from sessions.readers.diffs import edit_diff

Changes = tuple[tuple[str, str], ...]
"""Path and diff of each file; the diff is empty where the record does not say."""

_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = re.compile(r"\*\*\* Move to: (.+)")
_WHOLE = re.compile(r"\*\*\* Begin Patch\b.*?(?:^\*\*\* End Patch\b|\Z)", re.DOTALL | re.MULTILINE)
# A shell line that does nothing but apply a patch, perhaps in another folder.
_SHELL = re.compile(r"\s*(?:cd\s+\S+\s*(?:&&|;)\s*)?apply_?patch\b(?=.*\*\*\* Begin Patch)", re.DOTALL)


@dataclass(slots=True)
class _File:
    path: str
    hunks: list[list[str]] = field(default_factory=list)

    def add(self, line: str) -> None:
        if not self.hunks:
            self.hunks.append([])
        self.hunks[-1].append(line)


def patch_in(command: str) -> str | None:
    """The patch that a shell line applies, None where the line does something else."""
    if not _SHELL.match(command):
        return None
    found = _WHOLE.search(command)
    return found.group() if found else None


def patched(text: str) -> Changes:
    """The files that a patch changes. Line numbers count within each hunk: the notation has none."""
    return tuple((file.path, _diff(file)) for file in _files(text))


def _files(text: str) -> Iterator[_File]:
    current: _File | None = None
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        begun = _FILE.fullmatch(line)
        if begun:
            if current is not None:
                yield current
            current = _File(begun.group(2).strip())
        elif current is None:
            continue
        elif moved := _MOVE.fullmatch(line):
            current.path = moved.group(1).strip()
        elif line.startswith("*** End Patch"):
            break
        elif line.startswith("@@"):
            current.hunks.append([])
        elif line.startswith(("+", "-", " ")):
            current.add(line)
        elif not line:
            current.add(" ")  # an empty line of context that lost its space
    if current is not None:
        yield current


def _diff(file: _File) -> str:
    hunks = []
    for lines in file.hunks:
        while lines and lines[-1] == " ":
            lines.pop()
        if lines:
            old = sum(not line.startswith("+") for line in lines)
            new = sum(not line.startswith("-") for line in lines)
            hunks.append(
                {
                    "oldStart": int(old > 0),
                    "oldLines": old,
                    "newStart": int(new > 0),
                    "newLines": new,
                    "lines": lines,
                }
            )
    return edit_diff(file.path, {}, {"structuredPatch": hunks}) if hunks else ""


def changes_of(value: object) -> Changes:
    """The changes as the client lists them: by path, or a list of objects with a path."""
    if isinstance(value, dict):
        return tuple((path, _change(path, mapping_of(change))) for path, change in value.items() if path)
    listed = value if isinstance(value, list) else []
    found = ((name_of(mapping_of(one).get("path")), mapping_of(one)) for one in listed)
    return tuple((path, _change(path, change)) for path, change in found if path)


def _change(path: str, change: Mapping[str, Any]) -> str:
    if len(change) == 1:  # {"update": {...}}
        (kind, inner), *_ = change.items()
        if isinstance(inner, dict):
            change = {"type": kind, **inner}
    kind = change.get("kind", change.get("type"))
    kind = name_of(kind.get("type") if isinstance(kind, dict) else kind)
    text = text_of(change.get("unified_diff") or change.get("diff") or change.get("content"))
    if not text:
        return ""
    if kind == "add" and not text.startswith(("@@", "--- ")):
        return edit_diff(path, {"content": text}, None)
    if kind == "delete" and not text.startswith(("@@", "--- ")):
        return edit_diff(path, {"old_string": text, "new_string": ""}, None)
    name = path.replace("\n", " ")
    return text if text.startswith("--- ") else f"--- {name}\n+++ {name}\n{text}"
