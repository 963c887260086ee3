"""An annotator's label file: theirs alone, locked while it is open, whole at every moment."""

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path

from sessions.errors import LockedSession, RefusedInput, StorageError
from sessions.home import home
from sessions.labels import Label, read_labels, write_labels

FOLDER = "labels"


def default_path(annotator: str) -> Path:
    """Where an annotator's labels lie when nobody says: `KERNELSEEK_HOME/labels/NAME.jsonl`."""
    safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in annotator).strip(".") or "annotator"
    return home() / FOLDER / f"{safe}.jsonl"


class LabelFile:
    """The labels of one annotator, of any number of transcripts.

    Opening takes the file for this process. Raises `RefusedInput` for a file that is none, or another
    annotator's (nobody's labels are shown to the next one), `LockedSession` while another process labels
    into it, `StorageError` where it cannot be kept.
    """

    def __init__(self, path: Path, annotator: str) -> None:
        self.path = path
        self.annotator = annotator
        self._lock = _lock(path)
        try:
            self.labels: list[Label] = self._read()
        except BaseException:  # whatever happened, the file's lock is given back
            self.close()
            raise

    def _read(self) -> list[Label]:
        if not self.path.exists():
            return []
        labels = read_labels(self.path)
        others = sorted({label.annotator for label in labels} - {self.annotator})
        if others:
            raise RefusedInput(
                f"{self.path} holds labels by {', '.join(others)}, which {self.annotator} must not see; "
                "give a file of your own with --labels."
            )
        return labels

    def save(self, labels: Sequence[Label]) -> None:
        """Replace the file's labels. Raises `StorageError`; the file is as before then."""
        write_labels(self.path, labels)
        self.labels = list(labels)

    def reference(self, transcript: Path) -> str:
        """How a transcript is named in the file: relative to its folder, so that both may move together."""
        return Path(os.path.relpath(transcript.resolve(), self.path.resolve().parent)).as_posix()

    def close(self) -> None:
        """Give the file free."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _lock(path: Path) -> int | None:
    """Lock a file beside `path` for this process; the lock goes with the process, however it ends."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StorageError(
            f"Labels cannot be kept in {path.parent} ({error.strerror or error}); "
            "choose another file with --labels."
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise LockedSession(f"{path} is being labelled into by another process; end that first.") from None
    return file
