"""Finds sessions by id: one kept on this machine, or a bundled one."""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from sessions.archive.manifest import SUFFIX, Manifest, read_manifest
from sessions.errors import RefusedInput
from sessions.home import JOURNAL, is_session_id, session_folder, sessions_folder

BUNDLED = Path(__file__).parent / "bundled"


def own_sessions() -> list[Path]:
    """The folders in the sessions folder, in the order of their names, which begin with a time.

    Links and folders without an id for a name are among them: `why_not` says what is wrong with one.
    """
    try:
        found = [path for path in sessions_folder().iterdir() if not path.name.startswith(".")]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RefusedInput(f"{sessions_folder()} cannot be read: {error.strerror or error}.") from error
    return sorted(path for path in found if path.is_symlink() or path.is_dir())


def why_not(folder: Path) -> str:
    """What keeps a folder from being a session of ours, without reading its journal; empty for nothing."""
    if folder.is_symlink():
        return "it is a link, and sessions are folders"
    if not is_session_id(folder.name):
        return "its name is no session id"
    journal = folder / JOURNAL
    if journal.is_symlink():
        return f"its {JOURNAL} is a link, and journals are files"
    if not journal.is_file():
        return f"it holds no {JOURNAL}"
    return ""


def own_session_folder(session: str) -> Path:
    """The folder of a session kept on this machine. Raises `RefusedInput` where there is none to be used."""
    folder = session_folder(session)
    if not os.path.lexists(folder):
        if bundled(session) is not None:
            raise RefusedInput(
                f"{session} is a bundled session, which stays as it is; export it to have a copy."
            )
        raise RefusedInput(f"There is no session {session}; `kernelseek sessions list` shows what there is.")
    wrong = why_not(folder)
    if wrong:
        raise RefusedInput(f"The session {session} cannot be used: {wrong}.")
    return folder


def find_session(named: str) -> Path:
    """The journal or transcript that a session's id, a bundled one's id or a path means.

    Raises `RefusedInput` where there is nothing of that name.
    """
    if is_session_id(named):
        found = by_id(named)
        if found is not None:
            return found
    path = Path(named)
    if os.path.lexists(path):
        return path
    raise RefusedInput(
        f"There is no session or file {named}; `kernelseek sessions list` shows what there is."
    )


def by_id(session: str) -> Path | None:
    """The journal of a session kept here, else the file of a bundled one; None for an id of neither."""
    if not is_session_id(session):
        return None
    folder = session_folder(session)
    if os.path.lexists(folder):
        return own_session_folder(session) / JOURNAL
    one = bundled(session)
    return BUNDLED / one.file if one is not None else None


def bundled(session: str) -> Manifest | None:
    """The manifest of a bundled session; None for an unknown id."""
    path = BUNDLED / f"{session}{SUFFIX}"
    return read_manifest(path) if is_session_id(session) and path.is_file() else None


def all_bundled() -> Iterator[Manifest]:
    """The manifests of all bundled sessions, by id."""
    for path in sorted(BUNDLED.glob(f"*{SUFFIX}")):
        yield read_manifest(path)


def owner_of(folder: Path) -> int | None:
    """The process that owns a session; None where nobody does, 0 where it left no id."""
    try:
        file = os.open(folder / f"{JOURNAL}.lock", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None  # no lock, no owner
    try:
        left = os.read(file, 32).decode("ascii", "replace").strip()
        pid = int(left) if left.isdigit() else 0
        # Trying the lock keeps an owner out that comes in the same instant: only where one may be alive.
        if pid and not lives(pid):
            return None
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return pid
    finally:
        os.close(file)
    return None


def lives(pid: int) -> bool:
    """Whether there is a process of that id now."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OverflowError:
        return False
    except PermissionError:
        pass  # another user's
    return True
