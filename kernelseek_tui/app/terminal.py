"""The terminal we draw on, which may go away at any time."""

from typing import TYPE_CHECKING, Any, TextIO, cast

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from textual.app import App


class Forgiving:
    """A stream around `stream` that drops what is written once its other end has gone."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._gone = False

    def write(self, text: str) -> int:
        """Write, or drop."""
        if not self._gone:
            try:
                return self._stream.write(text)
            except OSError:
                self._gone = True
        return len(text)

    def flush(self) -> None:
        """Flush, or do nothing."""
        if not self._gone:
            try:
                self._stream.flush()
            except OSError:
                self._gone = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class TerminalDriver(LinuxDriver):
    """Textual's own driver, whose writing thread outlives the terminal.

    That thread ends at the first failed write, after which its queue fills and the whole program stands
    still in the next write, before it has taken anything back.
    """

    def __init__(self, app: "App[Any]", **options: Any) -> None:
        super().__init__(app, **options)
        self._file = cast(Any, Forgiving(cast(TextIO, self._file)))
