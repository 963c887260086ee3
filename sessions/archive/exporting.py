"""A session as one file for others: our journal's events, redacted unless told otherwise."""

import getpass
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sessions import events as ev
from sessions.archive.redactor import Redactor
from sessions.archive.writing import Packing, write_new
from sessions.redaction import secret_values
from sessions.transcript import TranscriptStream

Progress = Callable[[int], None]
EVERY = 500  # events between two calls of a progress function


@dataclass(slots=True)
class Exported:
    """What an export holds. `redacted` counts what was taken out, by kind; `sha256` is the file's.

    `damaged` lines of the source are in it as the reader's remarks only. `started` is the start as it
    was written.
    """

    sha256: str = ""
    redacted: dict[str, int] = field(default_factory=dict)
    damaged: int = 0
    events: int = 0
    started: ev.SessionStarted | None = None


def redactor_here(environment: Mapping[str, str] = os.environ) -> Redactor:
    """A redactor that knows this machine: its secrets, home folder, user and host name."""
    user = ""
    with suppress(OSError, KeyError):  # a user id without a name
        user = getpass.getuser()
    return Redactor(
        secret_values(environment), home=environment.get("HOME", ""), user=user, host=socket.gethostname()
    )


def events_for_export(
    source: Path, redactor: Redactor | None, told: Exported, progress: Progress | None = None
) -> Iterator[ev.AnyEvent]:
    """The events of `source`, redacted; reads it twice, to know every name before the first is replaced.

    Raises `RefusedInput` for what is no transcript.
    """
    first = TranscriptStream(source)
    if redactor is not None:
        for number, event in enumerate(first):
            redactor.learn_event(event)
            if progress is not None and number % EVERY == 0:
                progress(first.accounts[0].entries // 2)
    stream = TranscriptStream(source)
    for number, event in enumerate(stream):
        if redactor is not None:
            event = redactor.event(event)
        told.events += 1
        if told.started is None and isinstance(event, ev.SessionStarted):
            told.started = event
        if progress is not None and number % EVERY == 0:
            progress((first.accounts[0].entries + stream.accounts[0].entries) // 2)
        yield event
    told.damaged = sum(account.problems for account in stream.accounts)
    if redactor is not None:
        told.redacted = dict(+redactor.found)


def export(
    source: Path,
    target: Path,
    packing: Packing,
    redactor: Redactor | None,
    progress: Progress | None = None,
) -> Exported:
    """Write the session in `source` to `target`, as a journal of ours in one file.

    Raises `RefusedInput` for what is no transcript or where `target` exists, `StorageError` where it cannot
    be written; nothing is left behind then.
    """
    told = Exported()
    events = events_for_export(source, redactor, told, progress)
    told.sha256 = write_new(target, (line_of(event) for event in events), packing)
    return told


def line_of(event: ev.AnyEvent) -> bytes:
    """The event as a line of a journal."""
    return ev.dump_event(event).encode("utf-8") + b"\n"
