"""An agent's files: read and written inside its workspace only, each change with its diff."""

import difflib
import hashlib
import stat
from dataclasses import dataclass
from pathlib import Path

MAX_FILE_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that a tool wrote. `path` is relative to the workspace."""

    path: str
    diff: str
    candidate: bool
    sha256: str


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool returned, and the file it changed."""

    output: str
    is_error: bool = False
    interrupted: bool = False
    change: FileChange | None = None


class RefusedError(Exception):
    """The tool would not do it; the message is what the agent gets."""


class Files:
    """The files of `workspace`; `candidate` is the name of the one that is judged."""

    def __init__(self, workspace: Path, candidate: str) -> None:
        self.workspace = workspace.resolve()
        self._candidate = self.workspace / candidate

    def inside(self, given: object) -> Path:
        """The file meant, links followed. Raises `RefusedError` for one outside the workspace."""
        try:
            path = (self.workspace / str(given)).resolve()
        except (OSError, RuntimeError, ValueError) as error:  # a circle of links, a zero byte
            raise RefusedError(f"{given!r} is not a path of the workspace.") from error
        if not path.is_relative_to(self.workspace):
            raise RefusedError(f"{given} is outside the workspace.")
        return path

    def read(self, path: Path, errors: str = "strict") -> str:
        """The text of a file, line ends as they are. Raises `OSError`, `ValueError`, `RefusedError`."""
        found = path.stat()
        # A pipe or a device would keep a reader waiting for ever.
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
            raise RefusedError(f"{path.name} is not a regular file.")
        if found.st_size > MAX_FILE_BYTES and stat.S_ISREG(found.st_mode):
            raise RefusedError(
                f"{path.name} has {found.st_size} bytes, more than a tool reads at once ({MAX_FILE_BYTES}); "
                "use a command that shows a part of it."
            )
        return path.read_bytes().decode("utf-8", errors)

    def read_if_there(self, path: Path) -> str:
        """The text of a file that is about to be overwritten; empty where there is none."""
        return self.read(path, errors="replace") if path.exists() else ""

    def save(self, path: Path, before: str, after: str) -> ToolOutcome:
        """Write `after` and say what changed."""
        path.write_bytes(after.encode())
        name = str(path.relative_to(self.workspace))
        lines = difflib.unified_diff(
            before.splitlines(), after.splitlines(), f"a/{name}", f"b/{name}", lineterm=""
        )
        change = FileChange(
            path=name,
            diff="\n".join(lines),
            candidate=path == self._candidate,
            sha256=hashlib.sha256(after.encode()).hexdigest(),
        )
        return ToolOutcome(f"The file {name} has been updated.", change=change)


def shorten(text: str, limit: int) -> str:
    """`text` without its last newlines; of more than `limit` characters the middle is left out, and said."""
    text = text.rstrip("\n")
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"
