"""Re-added lines: lines that an edit puts in and that were deleted from the same file earlier.

Two shares, always named together, because published figures seldom say which they are (the study cites about
30 % of added lines; arXiv 2611.03517): raw, every added line; and filtered, after `FILTER`.
"""

import re
from dataclasses import dataclass, field

from sessions import events as ev

FILTER = (
    "white space normalised, at least 8 characters with a letter, lines moved within the same edit left out"
)
SHORTEST = 8
_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(slots=True)
class Share:
    """How many of `added` lines were `again` there."""

    added: int = 0
    again: int = 0

    @property
    def share(self) -> float | None:
        """From 0 to 1; absent where nothing was added."""
        return self.again / self.added if self.added else None


@dataclass(frozen=True, slots=True)
class EditShare:
    """One edit's added lines, raw and filtered."""

    event: str
    path: str
    raw: Share
    filtered: Share


@dataclass(slots=True)
class Readded:
    """Follows a session: `take` every event. `diffs` of `edits` said what they changed."""

    raw: Share = field(default_factory=Share)
    filtered: Share = field(default_factory=Share)
    edits: int = 0
    diffs: int = 0
    _gone: dict[str, set[str]] = field(default_factory=dict)
    _gone_normal: dict[str, set[str]] = field(default_factory=dict)

    def take(self, event: ev.AnyEvent) -> EditShare | None:
        """What the newest event, if it is an edit with a diff, adds of what was there before."""
        if not isinstance(event, ev.Edit):
            return None
        self.edits += 1
        removed, added = changed_lines(event.diff)
        if not removed and not added:
            return None
        self.diffs += 1
        gone = self._gone.setdefault(event.path, set())
        raw = Share(len(added), sum(line in gone for line in added))
        normal = self._gone_normal.setdefault(event.path, set())
        out = {line for line in map(_normal, removed) if line}
        come = {line for line in map(_normal, added) if line}
        kept = [line for line in map(_normal, added) if line and line not in out]
        filtered = Share(len(kept), sum(line in normal for line in kept))
        gone.update(removed)
        normal.update(out - come)
        for total, one in ((self.raw, raw), (self.filtered, filtered)):
            total.added += one.added
            total.again += one.again
        return EditShare(event.id, event.path, raw, filtered)


def changed_lines(diff: str) -> tuple[list[str], list[str]]:
    """The removed and the added lines of a unified diff. Hunks are counted out, so that a removed line that
    begins with `--` is no header.
    """
    removed: list[str] = []
    added: list[str] = []
    old = new = 0
    for line in diff.split("\n"):
        if old <= 0 and new <= 0:
            hunk = _HUNK.match(line)
            if hunk is not None:
                old, new = (1 if count is None else int(count[:9]) for count in hunk.groups())
            continue
        if line.startswith("-"):
            removed.append(line[1:])
            old -= 1
        elif line.startswith("+"):
            added.append(line[1:])
            new -= 1
        elif not line.startswith("\\"):
            old, new = old - 1, new - 1
    return removed, added


def _normal(line: str) -> str:
    """The line for comparing, empty where it is too short to tell anything."""
    words = " ".join(line.split())
    return words if len(words) >= SHORTEST and _LETTER.search(words) else ""
