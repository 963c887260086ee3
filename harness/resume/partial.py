"""Keeps what an evaluation has finished in a file, so that a broken one is gone on with.

    <folder>/<name>.jsonl    a line for each finished step (`harness.resume.lines`), flushed to the disk
    <folder>/key             the key of evaluations without an owner

The name is made of the key and of all that the numbers depend on. Why, and what this is safe against:
docs/decisions/0014-resume.md.
"""

import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from harness.correctness.gate import StartError
from harness.errors import RefusedRecord
from harness.record.files import read_record
from harness.record.record import ScenarioRecord
from harness.record.samples import SameAgainstSame
from harness.resume.lines import (
    MAX_AGE,
    CheckedLine,
    EndingLine,
    Found,
    Line,
    TimedLine,
    decode,
    encode,
    now,
    seal,
    unseal,
)

MAX_BYTES = 64 << 20
KEY_BYTES = 32
KEY_FILE = "key"


@dataclass(frozen=True, slots=True)
class Keeping:
    """How an evaluation keeps what it has finished.

    `key` None: the one in the folder, which whoever has the same user id can read. `expected` is the
    signature of a line that has to be there ("": none has to): where lines were taken away or exchanged,
    none is used. `fresh`: none is used in any case. `told(signature)` is called when a line is on the disk.
    """

    folder: Path
    key: bytes | None = None
    expected: str = ""
    fresh: bool = False
    told: Callable[[str], None] = lambda _: None


class Partial:
    """The file of one evaluation, locked by its judge. `found` is what a broken run left in it.

    Nothing here stops an evaluation: where the file cannot be had, read or written, `notes` says so and the
    evaluation goes on without.
    """

    def __init__(self, keeping: Keeping, identity: Mapping[str, object], started: datetime) -> None:
        self.found = Found()
        self.notes: list[str] = []
        self._keeping, self._started = keeping, started
        self._descriptor: int | None = None
        self._key, self._name, self._head = b"", "", ""
        try:
            keeping.folder.mkdir(parents=True, exist_ok=True)
            _sweep(keeping.folder)
            self._key = keeping.key or file_key(keeping.folder)
            text = json.dumps(identity, sort_keys=True)
            self._name = hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()[:32]
            self._path = keeping.folder / f"{self._name}.jsonl"
            self._open()
        except OSError as error:
            self._give_up(f"it cannot be opened: {error.strerror or error}")

    def checked(
        self,
        record: ScenarioRecord,
        seed: int,
        start: Mapping[str, StartError],
        start_ns: int,
        candidate_ns: int,
    ) -> None:
        """Keep a scenario that was found right."""
        self._append(
            CheckedLine(
                at=now(),
                run=self._started,
                record=record.model_copy(update={"seed": ""}),
                sealed=seal(seed, self._key, self._name, record.id, self._started.isoformat()),
                start={name: asdict(errors) for name, errors in start.items()},
                start_ns=start_ns,
                candidate_ns=candidate_ns,
            )
        )

    def timed(self, record: ScenarioRecord, aa: SameAgainstSame | None) -> None:
        """Keep a scenario that was timed."""
        bare = record.model_copy(update={"seed": ""})
        self._append(TimedLine(at=now(), run=self._started, record=bare, aa=aa))

    def ending(self, eval_id: str, path: Path) -> None:
        """Say that the record is about to be written there."""
        line = EndingLine(at=now(), run=self._started, eval_id=eval_id, path=str(path.absolute()))
        self._append(line)

    def seed_of(self, line: CheckedLine) -> int:
        """The seed a scenario was checked with."""
        return unseal(line.sealed, self._key, self._name, line.record.id, line.run.isoformat())

    def remove(self) -> None:
        """The record is written: nothing is left to go on with."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
        self.close()

    def close(self) -> None:
        """Let go of the file, which stays."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        self._descriptor = os.open(self._path, flags, 0o600)
        found = os.fstat(self._descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_BYTES:
            self._give_up("it is no plain file of ours; remove it")
            return
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._give_up("another judge works on the same evaluation")
            return
        with os.fdopen(os.dup(self._descriptor), "rb") as file:
            file.seek(0)
            data = file.read(MAX_BYTES)
        self.found = decode(data, self._key, self._name, now())
        self._head = self.found.head
        if self.found.dropped:
            words = ", ".join(f"{count} {why}" for why, count in sorted(self.found.dropped.items()))
            self.notes.append(f"Lines of a broken evaluation were not used: {words}.")
        if self._keeping.fresh or self._used_up():
            self._start_anew()
        elif self._keeping.expected and self._keeping.expected not in self.found.macs:
            self.notes.append("What a broken evaluation had finished was changed, so all is done again.")
            self._start_anew()
        elif data and not data.endswith(b"\n"):
            os.write(self._descriptor, b"\n")  # a torn line must not take the next one with it

    def _used_up(self) -> bool:
        """Whether the record that these lines were for is there: then a judge died just after it."""
        ending = self.found.ending
        if ending is None:
            return False
        try:
            return read_record(Path(ending.path)).eval_id == ending.eval_id
        except RefusedRecord:
            return False

    def _start_anew(self) -> None:
        assert self._descriptor is not None
        os.ftruncate(self._descriptor, 0)
        self.found.forget()
        self._head = ""

    def _append(self, line: Line) -> None:
        if self._descriptor is None:
            return
        data, head = encode(line, self._key, self._name, self._head)
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
            os.fsync(self._descriptor)
        except OSError as error:
            self._give_up(f"it cannot be written: {error.strerror}")
            return
        self._head = head
        self._keeping.told(head)

    def _give_up(self, why: str) -> None:
        self.close()
        self.notes.append(f"What is finished is not kept for a later run: {why} ({self._keeping.folder}).")


def file_key(folder: Path) -> bytes:
    """The folder's own key, made where there is none. It shows damage; whoever is this user can read it.

    Raises `OSError`.
    """
    path = folder / KEY_FILE
    for _ in range(2):
        with contextlib.suppress(FileNotFoundError):
            key = path.read_bytes()
            if len(key) == KEY_BYTES:
                return key
            path.unlink()
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=f".{KEY_FILE}.")  # mkstemp makes it 0600
        try:
            os.write(descriptor, secrets.token_bytes(KEY_BYTES))
            os.fsync(descriptor)
            with contextlib.suppress(FileExistsError):  # another judge was quicker: its key is read
                os.link(name, path)
        finally:
            os.close(descriptor)
            Path(name).unlink(missing_ok=True)
    return path.read_bytes()


def _sweep(folder: Path) -> None:
    """Remove what is too old to be of use to anybody."""
    for path in folder.glob("*.jsonl"):
        with contextlib.suppress(OSError):
            if time.time() - path.lstat().st_mtime > MAX_AGE.total_seconds():
                path.unlink()
