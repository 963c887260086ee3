"""Unified diffs of what edit tools did, from what a transcript keeps of them."""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from sessions.readers.base import count_of

MAX_COMPARED = 2_000  # lines; beyond, the old block is shown removed and the new one added

# Exporters replace long texts by a remark such as "<2879 chars — see diff>"; that is no content.
_CUT = re.compile(r"<\d+ chars\b[^>]*>\Z")

_OLD = ("old_string", "oldString", "old_str", "oldText", "old")
_NEW = (
    *("new_string", "newString", "new_str", "newText", "new"),
    *("content", "contents", "file_text", "new_source"),
)


def edit_diff(path: str, call: Mapping[str, Any], result: object) -> str:
    """The diff of one edit call, or an empty string where the transcript does not say.

    `result` is the client's structured result; its `structuredPatch` is exact and goes first. Line numbers
    of a diff made from old and new text count within that text.
    """
    if isinstance(result, Mapping):
        hunks = result.get("structuredPatch")
        if isinstance(hunks, list) and hunks:
            return _header(path) + "".join(_hunk(hunk) for hunk in hunks if isinstance(hunk, Mapping))
    edits = call.get("edits", call.get("edit"))
    parts = edits if isinstance(edits, list) else [edits if isinstance(edits, Mapping) else call]
    bodies = [body for part in parts if isinstance(part, Mapping) and (body := _changed(part))]
    return _header(path) + "".join(bodies) if bodies else ""


def _header(path: str) -> str:
    name = path.replace("\n", " ")
    return f"--- {name}\n+++ {name}\n"


def _hunk(hunk: Mapping[str, Any]) -> str:
    found = hunk.get("lines")
    lines = [line for line in found if isinstance(line, str)] if isinstance(found, list) else []
    start, old, to, new = (
        count_of(hunk.get(key)) for key in ("oldStart", "oldLines", "newStart", "newLines")
    )
    return f"@@ -{start},{old} +{to},{new} @@\n" + "".join(f"{line}\n" for line in lines)


def _changed(part: Mapping[str, Any]) -> str:
    old = _first(part, _OLD) or ""
    new = _first(part, _NEW)
    if new is None or _CUT.match(old) or _CUT.match(new):
        return ""
    before, after = old.split("\n") if old else [], new.split("\n") if new else []
    if not before or not after or len(before) + len(after) > MAX_COMPARED:
        return _block(before, after)
    made = difflib.unified_diff(before, after, lineterm="")
    return "".join(f"{line}\n" for line in list(made)[2:])


def _block(before: Iterable[str], after: Iterable[str]) -> str:
    removed, added = [f"-{line}\n" for line in before], [f"+{line}\n" for line in after]
    start = (1 if removed else 0, 1 if added else 0)
    return "".join([f"@@ -{start[0]},{len(removed)} +{start[1]},{len(added)} @@\n", *removed, *added])


def _first(part: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    return next((part[key] for key in keys if isinstance(part.get(key), str)), None)
