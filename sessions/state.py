"""The folded state of a session: everything screens, detectors and rankers look at, computed from events.

Folding is incremental and pure: no clock, no file. Lists only grow and every item knows the index of the
event that brought it, so the state as it was known at any event is a slice (`SessionState.as_of`).
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from sessions import events as ev
from sessions.layers import classify, layers_of
from sessions.vocabulary import Activity, GapClass, Layer


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


@dataclass(slots=True)
class SessionState:
    """What is known after `count` events. Build one with `fold`, advance it with `apply`."""

    count: int = 0
    started: ev.SessionStarted | None = None
    ended: ev.SessionEnded | None = None
    turns: int = 0
    human: list[Seen[ev.HumanMessage]] = field(default_factory=list)
    texts: list[Seen[ev.AgentText]] = field(default_factory=list)
    tools: list[ToolRun] = field(default_factory=list)
    edits: list[Seen[ev.Edit]] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    evaluations: list[Seen[ev.Evaluation]] = field(default_factory=list)
    goals: list[Seen[ev.GoalVerdict]] = field(default_factory=list)
    claims: list[Seen[ev.Claim]] = field(default_factory=list)
    decisions: list[Seen[ev.DecisionPoint]] = field(default_factory=list)
    shown: list[Seen[ev.SuggestionsShown]] = field(default_factory=list)
    dismissed: list[Seen[ev.SuggestionDismissed]] = field(default_factory=list)
    asked: list[Seen[ev.QuestionAsked]] = field(default_factory=list)
    receipts: list[Seen[ev.QuestionReceipt]] = field(default_factory=list)
    problems: list[Seen[ev.ReaderProblem]] = field(default_factory=list)
    gaps: dict[str, GapClass] = field(default_factory=dict)
    spend: Spend = field(default_factory=Spend)
    _open: dict[str, ToolRun] = field(default_factory=dict)
    _messages: set[str] = field(default_factory=set)
    _billed: set[str] = field(default_factory=set)

    @property
    def rehearsed(self) -> bool:
        """The agent is a scripted one."""
        return self.started is not None and self.started.rehearsed

    @property
    def busy(self) -> bool:
        """A tool call or subagent is still running."""
        return bool(self._open)

    @property
    def layers(self) -> dict[Layer, int]:
        """How often each layer was visited so far."""
        counts: dict[Layer, int] = {}
        for visit in self.visits:
            counts[visit.layer] = counts.get(visit.layer, 0) + 1
        return counts

    def apply(self, event: ev.AnyEvent) -> None:
        """Take in the next event."""
        raise NotImplementedError

    def as_of(self, index: int) -> "SessionState":
        """The state as it was known after the event at `index`: nothing that came later is in it."""
        raise NotImplementedError

    @property
    def best(self) -> Seen[ev.Evaluation] | None:
        """The correct evaluation with the highest geometric mean."""
        raise NotImplementedError

    def event_index(self, event_id: str) -> int | None:
        """The index of an event by id."""
        raise NotImplementedError


def fold(events: Iterable[ev.AnyEvent]) -> SessionState:
    """Fold a whole session."""
    state = SessionState()
    for event in events:
        state.apply(event)
    return state
