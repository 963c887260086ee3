"""How much of what the agent reads is its own source: bytes of tool results, live.

Own source is the candidate and every file the session wrote. What a call read of it is counted where the
call says so: a file tool on such a path, a shell command that only reads and names it among its files (of
several files each counts an equal part), the echo of an edit. What cannot be placed counts as not own, so the
share is a lower bound but for one thing: a name without folders is taken for any path that ends in it. The
study compares 26 % for the agent that was asked with 82 % for the one that was equipped (arXiv 2611.03517).
"""

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from sessions import events as ev
from sessions.commands import split
from sessions.layers import command_text, edited_path, is_candidate
from sessions.seen import ToolRun
from sessions.state import SessionState
from sessions.vocabulary import Activity

_PATH_KEYS = ("file_path", "filePath", "path", "notebook_path", "filename", "file")


@dataclass(slots=True)
class ReadingShare:
    """Follows a session: `take` every event right after the state took it in."""

    own: float = 0.0
    total: int = 0
    results: int = 0
    _wrote: dict[str, set[str]] = field(default_factory=dict)
    _counted: set[int] = field(default_factory=set)

    @property
    def share(self) -> float | None:
        """From 0 to 1; absent while nothing was read."""
        return self.own / self.total if self.total else None

    def take(self, state: SessionState, event: ev.AnyEvent) -> None:
        """Take in the newest event."""
        if isinstance(event, ev.Edit):
            self._write(event.path)
        elif isinstance(event, ev.ToolCall):
            run = state.tools[-1]
            self._remember(run)
            if run.result is not None:  # the result stood before its call
                self._read(state, run)
        elif isinstance(event, ev.ToolResult):
            found = state.run_of(event.call)
            if found is not None and found.result is event:
                self._read(state, found)

    def _remember(self, run: ToolRun) -> None:
        call = run.call
        path = edited_path(call.tool, call.input)
        if path is not None:
            self._write(path)
        elif (command := command_text(call.tool, call.input)) is not None:
            for one in split(command):
                for written in one.writes:
                    self._write(written)

    def _write(self, path: str) -> None:
        path = _bare(path)
        if path:
            self._wrote.setdefault(PurePosixPath(path).name, set()).add(path)

    def _read(self, state: SessionState, run: ToolRun) -> None:
        if run.index in self._counted or run.result is None:
            return
        self._counted.add(run.index)
        size = _size(run.result.output)
        self.total += size
        self.results += 1
        candidate = state.started.candidate if state.started else None
        self.own += size * self._part(run, candidate)

    def _part(self, run: ToolRun, candidate: str | None) -> float:
        """Which part of a result is own source."""
        call = run.call
        command = command_text(call.tool, call.input)
        if command is None:
            path = edited_path(call.tool, call.input) or next(
                (call.input[key] for key in _PATH_KEYS if isinstance(call.input.get(key), str)), None
            )
            return float(path is not None and self._is_own(path, candidate))
        if run.activity is not Activity.READ:
            return 0.0
        files = [word for one in split(command) for word in one.text.split()[1:] if _is_file(word)]
        if not files:
            return 0.0
        return sum(self._is_own(word, candidate) for word in files) / len(files)

    def _is_own(self, path: str, candidate: str | None) -> bool:
        path = _bare(path)
        if is_candidate(path, candidate):
            return True
        return any(is_candidate(path, wrote) for wrote in self._wrote.get(PurePosixPath(path).name, ()))


def _bare(path: str) -> str:
    return path.strip("'\"").removeprefix("./")


def _is_file(word: str) -> bool:
    name = PurePosixPath(_bare(word)).name
    return (
        not word.startswith("-")
        and "." in name.strip(".")
        and not any(sign in word for sign in "*|&;$(){}<>=\\")
    )


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
