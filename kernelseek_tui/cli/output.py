"""stdout as commands see it: a reader that went away loses text and nothing else."""

import os
from typing import Any, TextIO

from kernelseek_tui.exit_codes import ExitCode


class OutputError(Exception):
    """stdout cannot be written; the message is one sentence."""

    exit_code = ExitCode.STORAGE


class Output:
    """A text stream around `stream`.

    Once the reader has gone (`| head`) what is written is dropped, so that a command goes on and ends with
    its own exit code: for `evaluate` that is the verdict. Any other failure raises `OutputError`.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._gone = False

    def write(self, text: str) -> int:
        """Write, or drop. Empty text is a probe (click makes one) that must not spend the one error."""
        if text == "":
            return 0
        return len(text) if self._gone else self._guard(lambda: self._stream.write(text), len(text))

    def flush(self) -> None:
        """Flush, or do nothing."""
        if not self._gone:
            self._guard(lambda: self._stream.flush(), None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _guard(self, act: Any, dropped: Any) -> Any:
        try:
            return act()
        except BrokenPipeError:
            self._discard()
            return dropped
        except OSError as error:
            self._discard()
            raise OutputError(f"stdout cannot be written: {error.strerror}.") from error

    def _discard(self) -> None:
        """Send what is still buffered nowhere: Python flushes once more at exit, and would fail again."""
        self._gone = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
