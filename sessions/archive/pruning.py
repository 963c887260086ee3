"""Which sessions may go, and how one goes: whole, and only while nobody owns it."""

import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sessions.archive.finding import lives
from sessions.archive.listing import Row
from sessions.archive.writing import storage
from sessions.errors import RefusedInput
from sessions.home import JOURNAL, sessions_folder
from sessions.journal import own_session

LEFT = (".pruning-", ".importing-")
"""Folders that a killed `prune` or `import` leaves begin with these."""

RESUMED = frozenset({"rehearsal", "claude", "claude-code"})
"""Agents whose sessions can be gone on with."""

_AGE = re.compile(r"(\d{1,5})([hdw])")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7}


@dataclass(frozen=True, slots=True)
class Kept:
    """A session that the rules would let go, and why it stays."""

    row: Row
    why: str


def age_of(text: str) -> timedelta:
    """`30d`, `12h` or `2w`. Raises `ValueError` for anything else."""
    found = _AGE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is no age: write a number and h, d or w, such as 30d.")
    return timedelta(hours=int(found[1]) * _HOURS[found[2]])


def choose(
    rows: Iterable[Row],
    now: datetime,
    *,
    older_than: timedelta | None = None,
    keep: int | None = None,
    noted: bool = False,
    resumable: bool = False,
) -> tuple[list[Row], list[Kept]]:
    """(what goes, what stays although its age or place says it goes), each with the longest unwritten first.

    A session goes when it was last written `older_than` ago and is not among the `keep` newest, of whichever
    is given. Never one that is live, one with a person's note only with `noted`, and one that
    `steer --resume` could go on with only with `resumable`.
    """
    mine = [row for row in rows if row.where != "bundled" and row.written is not None]
    mine.sort(key=lambda row: (row.written or now, row.id))
    over = mine if keep is None else mine[: max(0, len(mine) - keep)]
    goes: list[Row] = []
    stays: list[Kept] = []
    for row in over:
        if older_than is not None and row.written is not None and now - row.written < older_than:
            continue
        why = _why_stays(row, noted=noted, resumable=resumable)
        if why:
            stays.append(Kept(row, why))
        else:
            goes.append(row)
    return goes, stays


def may_resume(row: Row) -> bool:
    """`steer --resume` could go on with it: its workspace is there and it did not end with its goal met."""
    if row.where != "here" or not row.workspace or (row.ended and row.exit_code == 0):
        return False
    if row.agent not in RESUMED:
        return False
    return Path(row.workspace).is_dir()


def remove(row: Row) -> None:
    """Remove a session's folder. Raises `LockedSession` when it is owned, `StorageError` when it cannot go.

    It is out of the list at once; what a kill leaves of it is removed by the next `prune`.
    """
    folder = row.path.parent
    if folder.parent != sessions_folder() or folder.is_symlink():
        raise RefusedInput(f"{folder} is no folder of a session here, so it stays.")
    away = folder.with_name(f"{LEFT[0]}{folder.name}")
    try:
        lock = own_session(folder / f"{JOURNAL}.lock", folder.name)
        try:
            folder.rename(away)
        finally:
            os.close(lock)
        shutil.rmtree(away)
    except OSError as error:
        raise storage(folder, error) from error


def sweep() -> int:
    """Remove what a killed `prune` or `import` left; returns how many folders those were."""
    try:
        found = [path for path in sessions_folder().iterdir() if path.name.startswith(LEFT)]
    except OSError:
        return 0
    left = [path for path in found if not path.is_symlink() and not _maker_lives(path)]
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
    return len(left)


def _why_stays(row: Row, *, noted: bool, resumable: bool) -> str:
    if row.owner is not None:
        return f"live, owned by process {row.owner or 'unknown'}"
    if row.notes and not noted:
        return "has a person's note (--noted)"
    if may_resume(row) and not resumable:
        return "can be resumed (--resumable)"
    return ""


def _maker_lives(path: Path) -> bool:
    """The import that fills the folder still runs; its process id is in the name."""
    pid = path.name.removeprefix(LEFT[1]).split("-", 1)[0]
    return path.name.startswith(LEFT[1]) and pid.isdigit() and lives(int(pid))
