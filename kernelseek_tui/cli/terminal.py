"""Whether one of the standard streams is a terminal."""

from typing import IO, Any


def is_terminal(stream: IO[Any] | None) -> bool:
    """False also where it was closed before the program began (`<&-`): Python has None for it then."""
    return stream is not None and not stream.closed and stream.isatty()
