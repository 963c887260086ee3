"""How far an evaluation is, on stderr: one line that is redrawn on a terminal, else few lines."""

import time
from types import TracebackType
from typing import TextIO

from harness.request import Progress
from kernelseek_tui.progress import progress_text

QUIET_SECONDS = 10.0
"""Without a terminal a line comes at most this often, and none before: what an agent reads of a short
evaluation is its result."""


class ProgressLine:
    """Shows `Progress`; a context manager that leaves no half line behind."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live = stream.isatty()
        self._drawn = False
        self._spoke = time.monotonic()

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clear()

    def say(self, text: str) -> None:
        """A line of its own."""
        self._clear()
        print(text, file=self._stream, flush=True)

    def show(self, progress: Progress) -> None:
        """Show where the evaluation is."""
        if progress.stage == "done":
            self._clear()
            return
        text = progress_text(progress)
        if self._live:
            self._clear()
            print(text[:100], end="", file=self._stream, flush=True)
            self._drawn = True
            return
        now = time.monotonic()
        if now - self._spoke >= QUIET_SECONDS:
            self._spoke = now
            print(text, file=self._stream, flush=True)

    def _clear(self) -> None:
        if self._drawn:
            print("\r\x1b[K", end="", file=self._stream, flush=True)
            self._drawn = False
