"""Removing what copilots that died left in people's projects."""

import json
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from kernelseek_tui.attach.attachment import dead
from kernelseek_tui.attach.kept import records
from kernelseek_tui.attach.living import boxes, client_over
from kernelseek_tui.attach.merge import tags_in
from kernelseek_tui.attach.settings import FILE, FOLDER, ProjectSettings, SettingsError
from kernelseek_tui.hooks.mailbox import ROOM, Mailbox, is_locked
from sessions.home import JOURNAL


def clean(home: Path, folders: Iterable[Path], in_use: Iterable[Path] = ()) -> tuple[list[str], list[str]]:
    """Take out the hooks of dead copilots; sentences on what was done, and on what could not be.

    Looks at every project that `home` has a record of and at `folders` and those above them, where our hooks
    are told by their tags: the state folder they came from may be gone. Living copilots' hooks stay.
    `in_use`: folders in which a client runs, also one of which we know nothing.
    """
    used = set(in_use)
    done: list[str] = []
    failed: list[str] = []
    known, nameless = records(home)
    for project in _projects(known, folders):
        for owner in _homes(project, home):
            try:
                done += ProjectSettings(project, owner).remove(dead, in_use=project in used)
            except SettingsError as error:
                failed.append(str(error))
    failed += [
        f"{path} is damaged and does not say which project it is of: run this again in that project's "
        "folder, or remove the file."
        for path in nameless
        if path.exists()  # else one of the projects above was its
    ]
    if not failed:
        _forget(home)
    return done, failed


def _projects(known: Iterable[Path], folders: Iterable[Path]) -> list[Path]:
    found: dict[Path, None] = dict.fromkeys(known)
    for folder in folders:
        for place in (folder.absolute(), *folder.absolute().parents):
            if (place / FOLDER / FILE).is_file():
                found[place] = None
    return list(found)


def _homes(project: Path, home: Path) -> list[Path]:
    """The state folders to undo from: ours, and others that still have their record of this project."""
    found: dict[Path, None] = {}
    with suppress(OSError, ValueError, RecursionError):
        for tag in tags_in(json.loads((project / FOLDER / FILE).read_bytes())):
            if tag.home != home and (tag.home / ROOM / "settings").is_dir():
                found[tag.home] = None
    return [*found, home]


def _forget(home: Path) -> None:
    """Remove what is kept of sessions whose copilot is dead, or left.

    While the client lives, the word that its copilot is gone stays: in the middle of a turn it still runs
    hooks that are not in its settings any more, and those must not take the session for one that is held.
    """
    for box in boxes(home):
        if box.bound():
            if _steered(box, home):
                continue
            box.unbind()
            for left in (box.queue, box.taken):
                shutil.rmtree(left, ignore_errors=True)
        if box.marked("detached") and client_over(box):
            shutil.rmtree(box.folder, ignore_errors=True)


def _steered(box: Mailbox, home: Path) -> bool:
    """Whether the copilot lives: it holds the session's lock, or its own journal's (clients it started)."""
    try:
        binding = box.binding()
    except (ValueError, OSError):
        binding = None
    if binding is None or binding.lock:
        return box.alive()
    return is_locked(home / "sessions" / binding.copilot / f"{JOURNAL}.lock")
