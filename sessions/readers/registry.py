"""Every format there is, the more specific before the more general.

A package may bring its own: an entry point in the group `kernelseek.readers` that names a `Format`.
"""

from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points

from sessions.readers import (
    acp,
    claude_code,
    codex_app_server,
    codex_exec,
    codex_rollout,
    cursor,
    cursor_export,
    gemini,
    hosted,
    openhands,
    own,
    pi,
    recording,
    stream_json,
    swe_agent,
)
from sessions.readers.formats import Format
from sessions.readers.scores import autoresearch, flashinfer, openevolve, operators, results_tsv

FORMATS: tuple[Format, ...] = (
    own.FORMAT,
    recording.FORMAT,
    claude_code.FORMAT,
    codex_rollout.FORMAT,
    codex_exec.FORMAT,
    codex_app_server.FORMAT,
    acp.FORMAT,
    stream_json.FORMAT,
    pi.FORMAT,
    hosted.FORMAT,
    gemini.LINES,
    openhands.LINES,
    cursor.FORMAT,
    gemini.FORMAT,
    swe_agent.FORMAT,
    openhands.FORMAT,
    cursor_export.FORMAT,
    operators.FORMAT,
    autoresearch.FORMAT,
    flashinfer.FORMAT,
    openevolve.FORMAT,
    results_tsv.FORMAT,
)

GROUP = "kernelseek.readers"


@cache
def added() -> tuple[Format, ...]:
    """The formats that installed packages add. One that cannot be loaded is left out."""
    return tuple(_load())


def _load() -> Iterator[Format]:
    for point in entry_points(group=GROUP):
        try:
            found = point.load()
        except Exception:  # somebody else's code may fail in any way; our own readers must still work
            continue
        if isinstance(found, Format):
            yield found
