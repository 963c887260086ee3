"""Whether a file that was read still is what was read: it may grow, and do nothing else."""

from pathlib import Path

_KNOWN = 4096
"""Bytes before the place read to that must be the same for a file to be the same one."""


class WatchedFile:
    """Remembers how far a file was read and the bytes before that place. Never raises for what it finds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._position = 0
        self._end = b""
        self.read_to(None)

    def read_to(self, position: int | None) -> None:
        """It was read up to `position` (bytes; None: its end). What has changed by then stays changed."""
        if self.changed():
            return
        try:
            found = self.path.stat().st_size if position is None else position
            end = self._before(found)
        except OSError:
            return  # gone since: `changed` says so
        self._position, self._end = found, end

    def changed(self) -> str:
        """`removed`, `truncated`, `replaced`, or empty where the file holds all that was read, or more."""
        try:
            size = self.path.stat().st_size
            if size < self._position:
                return "truncated"
            return "" if self._before(self._position) == self._end else "replaced"
        except (FileNotFoundError, NotADirectoryError):
            return "removed"
        except OSError:
            return "made unreadable"

    def _before(self, position: int) -> bytes:
        start = max(0, position - _KNOWN)
        with self.path.open("rb") as file:
            file.seek(start)
            return file.read(position - start)
