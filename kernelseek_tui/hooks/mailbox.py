"""The folder through which a copilot and the hooks of one session talk. Standard library only: a hook starts
at every tool call.

    attached/<client's session id>/
        binding.json     `Binding`: this session is steered, written by its copilot
        copilot.lock     locked (flock) while the copilot lives
        queue/*.json     questions that wait, oldest first
        taken/*.json     questions that a hook has taken; a rename, so only one can
        told.jsonl       what hooks did, a line each, for the copilot
        stop.json        how often the stop was refused (`kernelseek_tui.hooks.counts`)
        seen             how far the transcript was read at the last stop, in bytes
        idle             there while the session waits for a prompt
        detached         the binding that was, once the copilot left, or was cleaned up after
        waiter.lock      locked by the one process that may wake the idle session
"""

import fcntl
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOM = "attached"
MAX_DELIVERED = 8000
"""Characters one hook hands over as context: of more than 10,000 the client shows the model a preview alone
(tried: 9,990 arrived, 10,010 did not). A refused stop and a wake arrive whole."""

MAX_QUESTION = 100_000
"""Characters of the longest question that may wait: so much was seen to arrive whole at a turn's end."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


@dataclass(frozen=True, slots=True)
class Binding:
    """That a session is steered. `copilot` is our session's id.

    `client_pid` is the client's process, 0 where it is not known. `goal`: its stops are held against the
    workspace's goal. `lock`: the copilot holds `copilot.lock`, so that its death can be seen. `root`,
    `workspace` (its id), `candidate` and `manifest_sha256` are of the workspace that it is held to
    (`kernelseek_tui.hooks.bound`); empty where it was in none that could be read.
    """

    copilot: str
    cwd: str
    client_pid: int = 0
    goal: bool = True
    lock: bool = True
    root: str = ""
    workspace: str = ""
    candidate: str = ""
    manifest_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question on its way. `id` is its event in the copilot's journal."""

    id: str
    text: str


class Mailbox:
    """The folder of one session. Raises `ValueError` for an id that could leave the room."""

    def __init__(self, home: Path, session: str) -> None:
        if not _ID.fullmatch(session):
            raise ValueError(f"{session[:80]!r} is no session id")
        self.session = session
        self.folder = home / ROOM / session
        self.queue = self.folder / "queue"
        self.taken = self.folder / "taken"
        self.told = self.folder / "told.jsonl"
        self.lock = self.folder / "copilot.lock"
        self.waiter = self.folder / "waiter.lock"

    # The copilot's side.

    def bind(self, binding: Binding) -> None:
        """Have the hooks serve this session. Raises `OSError`."""
        for folder in (self.folder, self.queue, self.taken):
            folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        write_whole(self.folder / "binding.json", json.dumps(asdict(binding)))
        self.mark("detached", False)

    def unbind(self) -> None:
        """Have the hooks leave this session alone; what waits is not delivered any more.

        Does nothing where the folder is gone or cannot be written: there is nobody to tell.
        """
        with suppress(OSError):
            try:
                # Needs no room on a full disk, and leaves no moment with neither.
                (self.folder / "binding.json").replace(self.folder / "detached")
            except FileNotFoundError:
                if self.folder.is_dir():
                    self.mark("detached", True)

    def put(self, question: Question) -> None:
        """Let a question wait for the next hook. Raises `OSError`."""
        name = f"{time.time_ns():020d}.json"
        write_whole(self.queue / name, json.dumps(asdict(question)))

    def withdraw(self, question: str) -> bool:
        """Take a waiting question back; False where a hook was faster, or where the folder is gone."""
        try:
            return any(one.id == question for one in self._claim(lambda found: found.id == question))
        except OSError:
            return False

    # The hooks' side.

    def binding(self) -> Binding | None:
        """The binding; None where there is none. Raises `ValueError` or `OSError` for one that is damaged."""
        return self._binding_in("binding.json")

    def last_binding(self) -> Binding | None:
        """The binding, or the one there was before the copilot left; None for none that can be read."""
        for name in ("binding.json", "detached"):
            with suppress(ValueError, OSError):
                if (found := self._binding_in(name)) is not None:
                    return found
        return None

    def _binding_in(self, name: str) -> Binding | None:
        try:
            found = json.loads((self.folder / name).read_bytes())
        except FileNotFoundError:
            return None
        if not isinstance(found, dict):
            raise ValueError(f"{name} holds no object")
        known = {key: found[key] for key in Binding.__slots__ if key in found}
        try:
            return Binding(**known)
        except TypeError as error:
            raise ValueError(f"{name} is damaged: {error}") from error

    def bound(self) -> bool:
        """Whether the session is steered, be the binding damaged or not."""
        return (self.folder / "binding.json").exists()

    def alive(self) -> bool:
        """Whether a process holds the copilot's lock."""
        return is_locked(self.lock)

    def waits(self) -> bool:
        """Whether a question waits."""
        with suppress(OSError):
            return any(not path.name.startswith(".") for path in self.queue.iterdir())
        return False

    def take(self, *, whole: bool = True) -> list[Question]:
        """Claim what waits, oldest first, as much as one hook may say. Nobody else gets these.

        `whole`: this hook may also say a question alone that is longer than `MAX_DELIVERED`; one that may
        not leaves such a question to one that may.
        """
        room, full = MAX_DELIVERED, False

        def fits(question: Question) -> bool:
            nonlocal room, full
            size = length(question.text)
            if size > MAX_DELIVERED and not whole:
                return False
            full = full or (room < MAX_DELIVERED and size > room)
            room -= size
            return not full

        return list(self._claim(fits))

    def tell(self, what: str, **more: Any) -> None:
        """Leave a line for the copilot. Raises `OSError`."""
        line = json.dumps({"what": what, "time": time.time(), **more}) + "\n"
        file = os.open(self.told, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, line.encode())
        finally:
            os.close(file)

    def mark(self, name: str, there: bool) -> None:
        """Make or remove the marker file `idle` or `detached`."""
        path = self.folder / name
        if there:
            path.touch()
        else:
            path.unlink(missing_ok=True)

    def marked(self, name: str) -> bool:
        """Whether the marker is there."""
        return (self.folder / name).exists()

    def _claim(self, wanted: Callable[[Question], bool]) -> Iterator[Question]:
        names = sorted(path.name for path in self.queue.iterdir() if not path.name.startswith("."))
        for name in names:
            path, mine = self.queue / name, self.taken / name
            try:
                question = _question(path)
            except FileNotFoundError:
                continue  # another hook has it
            except ValueError as error:
                with suppress(FileNotFoundError):
                    path.rename(mine)
                    self.tell("unreadable", file=name, why=str(error))
                continue
            if not wanted(question):
                continue
            try:
                path.rename(mine)  # atomic: of two hooks one finds the file gone
            except FileNotFoundError:
                continue
            yield question


def length(text: str) -> int:
    """Characters of a text as the client counts them, in halves of UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _question(path: Path) -> Question:
    found = json.loads(path.read_bytes())
    if not isinstance(found, dict) or not isinstance(found.get("id"), str):
        raise ValueError("no question")
    if not isinstance(found.get("text"), str):
        raise ValueError("no text")
    return Question(found["id"], found["text"])


def bound_here(home: Path, folder: Path) -> bool:
    """Whether a living copilot steers some session at or under `folder`."""
    try:
        sessions = [path.name for path in (home / ROOM).iterdir()]
    except OSError:
        return False
    for session in sessions:
        if not _ID.fullmatch(session):
            continue
        box = Mailbox(home, session)
        with suppress(ValueError, OSError):
            binding = box.binding()
            if binding is not None and Path(binding.cwd).is_relative_to(folder) and box.alive():
                return True
    return False


@contextmanager
def locked(path: Path, patience: float = 0.0) -> Iterator[bool]:
    """Hold the lock of a file; yields False where another process has it for longer than `patience` s."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    end = time.monotonic() + patience
    try:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= end:
                    yield False
                    return
                time.sleep(0.05)
            else:
                yield True
                return
    finally:
        os.close(file)


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock of the file."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def write_whole(path: Path, text: str) -> None:
    """Write by atomic rename, so that a reader sees all of it or nothing."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
