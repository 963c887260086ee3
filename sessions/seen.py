"""What a folded state is made of: events with their place in the session, and what was paired up of them."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from sessions import events as ev
from sessions.vocabulary import Activity, Layer

E = TypeVar("E")


@dataclass(slots=True)
class ToolRun:
    """A tool call and, once it is there, its result. Indices count events from 0."""

    index: int
    call: ev.ToolCall
    activity: Activity
    layers: tuple[Layer, ...]
    result: ev.ToolResult | None = None
    result_index: int | None = None

    @property
    def running(self) -> bool:
        """No result has come back yet."""
        return self.result is None


@dataclass(slots=True, frozen=True)
class Seen(Generic[E]):
    """An event with its index in the session."""

    index: int
    event: E


@dataclass(slots=True, frozen=True)
class Visit:
    """The tool call at `index` touched `layer`."""

    index: int
    event_id: str
    layer: Layer
    activity: Activity


@dataclass(slots=True)
class Spend:
    """Tokens and money so far; every model reply is counted once."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float = 0.0
