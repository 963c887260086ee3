"""Every format there is, the more specific before the more general.

A package may bring its own: an entry point in the group `kernelseek.readers` that names a `Format`.
"""

from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points

from sessions.readers import claude_code, own, recording, stream_json
from sessions.readers.formats import Format

FORMATS: tuple[Format, ...] = (own.FORMAT, recording.FORMAT, claude_code.FORMAT, stream_json.FORMAT)

GROUP = "kernelseek.readers"


@cache
def added() -> tuple[Format, ...]:
    """The formats that installed packages add. One that cannot be loaded is left out."""
    return tuple(_load())


def _load() -> Iterator[Format]:
    for point in entry_points(group=GROUP):
        try:
            found = point.load()
        except Exception:
            continue
        if isinstance(found, Format):
            yield found
