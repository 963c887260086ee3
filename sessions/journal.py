"""The writer of a session's journal, `events.jsonl`: one process, one line an event, nothing lost.

An event is one `write`, so a killed process leaves whole lines, and what was shown was written before.
`fsync` is asked for at once after a question or an evaluation, else within a second, so a power loss
costs at most that second. A thread of the journal's own does the latter: a caller that waits for its agent
would not come by to do it, and it is the last event before a long silence that matters.
"""

import fcntl
import os
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from sessions import events as ev
from sessions.clean import Cleaner, clipped
from sessions.errors import LockedSession, StorageError
from sessions.home import JOURNAL, session_folder
from sessions.readers.lines import MAX_LINE
from sessions.redaction import secret_values
from sessions.repair import Repair, repair

SYNC_SECONDS = 1.0
_AT_ONCE = (ev.QuestionAsked, ev.Evaluation)

_OWN_ID = re.compile(r"e(\d+)\Z")


class Journal:
    """The journal of one session, owned by this process while it is open.

    Opening repairs a torn end (see `repair`), reports that as a `ReaderProblem` event (also one that an
    owner killed in between did not come to report), and goes on numbering where the file stopped. Raises
    `LockedSession` when another process owns the session and `StorageError` when the folder cannot be
    written. `path` is the file; `known` holds the ids in it.
    """

    def __init__(
        self,
        folder: Path,
        secrets: tuple[str, ...] | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.path = folder / JOURNAL
        self.repaired: Repair | None = None
        self._cleaner = Cleaner(secret_values(environment) if secrets is None else secrets)
        self._lock = threading.Lock()
        self._due = threading.Event()
        self._closing = threading.Event()
        self._syncer: threading.Thread | None = None
        self._sync_error: OSError | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock_file = own_session(folder / f"{JOURNAL}.lock", folder.name)
        except OSError as error:
            raise _storage(self.path, "opened", error) from error
        try:
            self.repaired = repair(self.path)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            self._size = os.fstat(self._file).st_size
            _sync_folder(folder)
        except OSError as error:
            os.close(self._lock_file)
            raise _storage(self.path, "opened", error) from error
        self.known: set[str] = set(self.repaired.ids)
        self._last = max((int(own[1]) for name in self.known if (own := _OWN_ID.match(name))), default=0)
        for what in self.repaired.untold:
            self.append(ev.ReaderProblem(id="", line=self.repaired.lines, what=what))

    @classmethod
    def of(cls, session: str) -> "Journal":
        """The journal of a session in the program's own folder."""
        return cls(session_folder(session))

    def next_id(self) -> str:
        """A fresh event id of this journal."""
        with self._lock:
            self._last += 1
            return f"e{self._last}"

    def holds(self, name: str) -> bool:
        """An event of this id is in it, were it under what is left of an id that held a secret."""
        return name in self.known or self._cleaner.tie(name) in self.known

    def append(self, event: ev.AnyEvent) -> ev.AnyEvent:
        """Write an event and return it as it was written; an empty id becomes the next one.

        Secrets are taken out of its texts, halves of surrogate pairs mended, and texts clipped with a remark
        where the line would be longer than a reader takes: show and fold what comes back. When this returns
        the event is in the file. Raises `StorageError` when it could not be written: the
        file is then as before and the same event may be appended again. Raises `ValueError` for an id that
        the journal holds.
        """
        if not event.id:
            event = event.model_copy(update={"id": self.next_id()})
        event = self._cleaner.event(event)
        event, data = _line_of(event)
        with self._lock:
            if event.id in self.known:
                raise ValueError(f"the journal already holds an event {event.id!r}")
            self._write(data, isinstance(event, _AT_ONCE))
            self.known.add(event.id)
            own = _OWN_ID.match(event.id)
            self._last = max(self._last, int(own[1])) if own else self._last
        if not isinstance(event, _AT_ONCE):
            self._sync_soon()
        return event

    def flush(self) -> None:
        """Have everything written so far survive a power loss. Raises `StorageError` when that fails."""
        self._due.clear()
        try:
            _sync(self._file)
        except OSError as error:
            raise _storage(self.path, "made durable", error) from error

    def close(self) -> None:
        """Sync and give the session free. Closing again does nothing."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._due.set()
        if self._syncer is not None:
            self._syncer.join()
        try:
            self.flush()
        finally:
            os.close(self._file)
            os.close(self._lock_file)

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, data: bytes, at_once: bool) -> None:
        if self._sync_error is not None:
            error, self._sync_error = self._sync_error, None
            raise _storage(self.path, "made durable", error) from error
        if self._closing.is_set():
            raise StorageError(f"{self.path} is closed; open the session again to write to it.")
        try:
            if os.fstat(self._file).st_size != self._size:  # what an earlier failure left
                os.ftruncate(self._file, self._size)
            written = os.write(self._file, data)
            while written < len(data):  # a nearly full disk takes a part
                written += os.write(self._file, data[written:])
            if at_once:
                _sync(self._file)
        except OSError as error:
            with suppress(OSError):  # tried again before the next write; meanwhile the end is torn
                os.ftruncate(self._file, self._size)
            raise _storage(self.path, "written", error) from error
        self._size += len(data)

    def _sync_soon(self) -> None:
        if self._syncer is None:
            self._syncer = threading.Thread(target=self._keep_synced, name="journal-sync", daemon=True)
            self._syncer.start()
        self._due.set()

    def _keep_synced(self) -> None:
        while not self._closing.is_set():
            self._due.wait()
            if self._closing.wait(SYNC_SECONDS):
                return  # `close` syncs
            if self._due.is_set():
                self._due.clear()
                try:
                    _sync(self._file)
                except OSError as error:
                    self._sync_error = error  # told at the next append, by the thread that can act on it


def _line_of(event: ev.AnyEvent) -> tuple[ev.AnyEvent, bytes]:
    """The event as it fits in a line, and the line."""
    longest = MAX_LINE // 16
    while len(data := ev.dump_event(event).encode("utf-8")) >= MAX_LINE:
        if longest < 64:
            raise StorageError(f"An event of {len(data)} bytes cannot be written: no line may be that long.")
        event = clipped(event, longest)
        longest //= 16
    return event, data + b"\n"


def own_session(path: Path, session: str) -> int:
    """Lock `path` for this process; closing what is returned frees it, and so does the end of the process.

    Raises `LockedSession` when another process has it.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        left = os.read(file, 32).decode("ascii", "replace").strip()
        os.close(file)
        pid = int(left) if left.isdigit() else None
        owner = f"process {pid}" if pid else "another process"
        raise LockedSession(
            f"Session {session} is owned by {owner}; end that first, or look at it with `kernelseek replay`.",
            pid,
        ) from None
    os.ftruncate(file, 0)
    os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
    return file


def _sync(file: int) -> None:
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:  # on macOS fsync stops at the drive's cache
        fcntl.fcntl(file, full)
    else:
        os.fsync(file)


def _sync_folder(folder: Path) -> None:
    """Make the file's own name durable."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _storage(path: Path, what: str, error: OSError) -> StorageError:
    why = error.strerror or str(error)
    return StorageError(f"{path} could not be {what} ({why}); make room or fix the folder, then try again.")
