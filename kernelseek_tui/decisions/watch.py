"""The watch: runs the detectors over each event and decides which findings become decision points.

It keeps quiet while a tool call or subagent runs, and after a question; it merges what repeats; and it counts
in events and evaluations, never in seconds, so a replay raises the same points as the live session did.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from kernelseek_tui.decisions.claimed_completion import ClaimedCompletion
from kernelseek_tui.decisions.claimed_limit import ClaimedLimit
from kernelseek_tui.decisions.plateau import Plateau
from kernelseek_tui.decisions.protocol import Detector, Finding
from kernelseek_tui.decisions.scope import Scope
from kernelseek_tui.decisions.scores import score_of
from kernelseek_tui.decisions.standing import Backing
from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind

# What happened, as against what this program made of it. Only these are counted and looked at.
SOURCE_EVENTS = (
    ev.SessionStarted,
    ev.SessionEnded,
    ev.HumanMessage,
    ev.AgentText,
    ev.Thinking,
    ev.ToolCall,
    ev.ToolResult,
    ev.TurnEnded,
    ev.Edit,
    ev.Subagent,
    ev.Evaluation,
    ev.GapClassified,
    ev.GoalVerdict,
)


@dataclass(frozen=True, slots=True)
class CoolDown:
    """How long a kind stays quiet after it was raised: until both counts have gone by.

    `reopened`: a person's message or a question ends it at once, since what is said after that is new.
    """

    events: int = 0
    scores: int = 0
    reopened: bool = False


# Guesses, to be calibrated: a stall is worth a second look after as many evaluations as the prior gap.
COOL_DOWNS: Mapping[DecisionKind, CoolDown] = {
    DecisionKind.SCOPE: CoolDown(events=200),
    DecisionKind.PLATEAU: CoolDown(scores=6),
    DecisionKind.CLAIMED_LIMIT: CoolDown(events=30, reopened=True),
    DecisionKind.CLAIMED_COMPLETION: CoolDown(events=30, reopened=True),
}
AFTER_QUESTION = 8  # source events: an agent that was just asked is given time to answer


@runtime_checkable
class Rechecks(Protocol):
    """A detector that can say whether a finding still holds after the session was busy."""

    def stands(self, state: SessionState, finding: Finding) -> bool:
        """False drops the finding."""


@dataclass(frozen=True, slots=True)
class _Raised:
    events: int
    scores: int


class Watch:
    """One session's watch. Call `look` with the state right after it took the event in.

    The decision points it gives are drafts: their `parent` is the event that raised them (the first of the
    evidence) and their id is derived from it; a journal stamps its own.
    """

    def __init__(
        self,
        detectors: Sequence[Detector] | None = None,
        cool_downs: Mapping[DecisionKind, CoolDown] = COOL_DOWNS,
    ) -> None:
        self._detectors = list(default_detectors() if detectors is None else detectors)
        self._cool_downs = cool_downs
        self._waiting: dict[DecisionKind, tuple[Detector, Finding]] = {}
        self._raised: dict[DecisionKind, _Raised] = {}
        self._events = 0
        self._scores = 0
        self._asked_at: int | None = None
        self._spoke: ev.AgentText | ev.Thinking | None = None

    def look(self, state: SessionState, event: ev.AnyEvent) -> list[ev.DecisionPoint]:
        """The decision points that the newest event leads to, at most one a kind."""
        if isinstance(event, ev.QuestionAsked):
            self._asked_at = self._events
            self._reopen()
        if not isinstance(event, SOURCE_EVENTS):
            return []
        self._events += 1
        if isinstance(event, ev.HumanMessage):
            self._reopen()
        elif isinstance(event, ev.AgentText | ev.Thinking) and event.agent is None:
            self._spoke = event
        if isinstance(event, ev.Evaluation) or (not state.evaluations and score_of(state, event)):
            self._scores += 1
            self._asked_at = None  # the answer has been measured
        for detector in self._detectors:
            finding = detector.look(state, event)
            if finding is not None:
                self._waiting[detector.kind] = (detector, finding)
        return self._release(state, event) if self._waiting else []

    def close(self, state: SessionState) -> list[ev.DecisionPoint]:
        """What still waits when a transcript ends in the middle of a command."""
        return self._emit(state)

    def _release(self, state: SessionState, event: ev.AnyEvent) -> list[ev.DecisionPoint]:
        if self._asked_at is not None:
            if self._events - self._asked_at <= AFTER_QUESTION and not isinstance(event, ev.TurnEnded):
                return []
            self._asked_at = None
        return self._emit(state) if self._quiet(state, event) else []

    def _quiet(self, state: SessionState, event: ev.AnyEvent) -> bool:
        """Nothing runs. A call whose result never came is over when the agent speaks again."""
        if not state.busy or isinstance(event, ev.TurnEnded | ev.SessionEnded):
            return True
        if isinstance(event, ev.HumanMessage):
            return not event.mid_turn
        running = state.running
        if not running or self._spoke is None or self._spoke.message is None:
            return False
        spoke_at = state.event_index(self._spoke.id)
        return spoke_at is not None and all(
            run.index < spoke_at and run.call.message != self._spoke.message for run in running
        )

    def _emit(self, state: SessionState) -> list[ev.DecisionPoint]:
        points = []
        for kind, (detector, finding) in sorted(self._waiting.items()):
            if isinstance(detector, Rechecks) and not detector.stands(state, finding):
                continue
            if self._cooling(kind):
                continue
            self._raised[kind] = _Raised(self._events, self._scores)
            points.append(_draft(detector, finding))
        self._waiting.clear()
        return points

    def _cooling(self, kind: DecisionKind) -> bool:
        last, cool = self._raised.get(kind), self._cool_downs.get(kind, CoolDown())
        if last is None:
            return False
        return self._events - last.events < cool.events or self._scores - last.scores < cool.scores

    def _reopen(self) -> None:
        for kind, cool in self._cool_downs.items():
            if cool.reopened:
                self._raised.pop(kind, None)


def default_detectors() -> list[Detector]:
    """A fresh detector of every kind that is built."""
    backing = Backing()
    return [Scope(), Plateau(), ClaimedLimit(backing), ClaimedCompletion(backing)]


def _draft(detector: Detector, finding: Finding) -> ev.DecisionPoint:
    raised_by = finding.evidence[0].event
    return ev.DecisionPoint(
        id=f"{raised_by}/{finding.kind}",
        parent=raised_by,
        decision=finding.kind,
        evidence=finding.evidence,
        confidence=round(finding.confidence, 2),
        reason=finding.reason,
        detector_version=detector.version,
    )
