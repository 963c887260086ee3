"""What a line of Claude Code's says to its driver beside the session's events."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The client tells what became of a message: `queued`, `started`, `completed` or `cancelled`."""

    uuid: str
    state: str


@dataclass(frozen=True, slots=True)
class Responded:
    """The client answered a request of ours; `error` is empty when it did what was asked."""

    request: str
    error: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The client asks for something we do not do and has to be told so."""

    request: str
    what: str


@dataclass(frozen=True, slots=True)
class Partial:
    """The text that the agent is writing, so far; empty when it became an event."""

    text: str


@dataclass(frozen=True, slots=True)
class TurnOver:
    """A turn has ended. `halt` says why no other can follow; empty when one can.

    `outage`: it is because the model cannot be had.
    """

    halt: str = ""
    outage: bool = False


@dataclass(frozen=True, slots=True)
class Quiet:
    """The background tasks that the end of a turn was held back for are gone."""


Signal = Lifecycle | Responded | Refused | Partial | TurnOver | Quiet
