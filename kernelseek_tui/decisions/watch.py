"""The watch: runs the detectors over each event and decides which findings become decision points.

It keeps quiet while a tool call or subagent runs, and after a question; it merges what repeats; and it counts
in events and evaluations, never in seconds, so a replay raises the same points as the live session did.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from kernelseek_tui.decisions.agent_loop import AgentLoop
from kernelseek_tui.decisions.claimed_completion import ClaimedCompletion
from kernelseek_tui.decisions.claimed_limit import ClaimedLimit
from kernelseek_tui.decisions.explained_anomaly import ExplainedAnomaly
from kernelseek_tui.decisions.inherited import Inherited
from kernelseek_tui.decisions.plateau import Plateau
from kernelseek_tui.decisions.protocol import Detector, Finding
from kernelseek_tui.decisions.repeated_edit import RepeatedEdit
from kernelseek_tui.decisions.scope import Scope
from kernelseek_tui.decisions.scores import score_of
from kernelseek_tui.decisions.standing import Backing
from kernelseek_tui.decisions.suspicious_win import SuspiciousWin
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
    `doubles`: each time the kind is raised again it stays quiet twice as long, up to sixteen times, until
    somebody speaks: what nobody took up three times will not be taken up the fourth.
    """

    events: int = 0
    scores: int = 0
    reopened: bool = False
    doubles: bool = False


# Guesses, to be calibrated. A stall is looked at again after twenty evaluations: over synthetic traces a
# patience of twenty was right nine times in ten, shorter ones much less often.
COOL_DOWNS: Mapping[DecisionKind, CoolDown] = {
    DecisionKind.SCOPE: CoolDown(events=200),
    DecisionKind.PLATEAU: CoolDown(scores=20, doubles=True),
    DecisionKind.CLAIMED_LIMIT: CoolDown(events=30, reopened=True),
    DecisionKind.CLAIMED_COMPLETION: CoolDown(events=30, reopened=True),
    DecisionKind.SUSPICIOUS_WIN: CoolDown(events=20, doubles=True),
    DecisionKind.EXPLAINED_ANOMALY: CoolDown(events=20, doubles=True),
    DecisionKind.REPEATED_EDIT: CoolDown(events=40, doubles=True),
    DecisionKind.AGENT_LOOP: CoolDown(events=40, doubles=True),
}
MOST_DOUBLED = 16
SOFT, CROWDED, STRETCH = 0.5, 3, 100
"""A finding below this confidence keeps quiet where so many points were raised within so many events."""
STRONGER = 0.25  # a finding surer by this much than the one raised before is news
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
    times: int = 1
    confidence: float = 1.0


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
        self._points: deque[int] = deque(maxlen=CROWDED)
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
            if self._cooling(kind, finding) or self._crowded(finding):
                continue
            self._points.append(self._events)
            last = self._raised.get(kind)
            times = last.times + 1 if last else 1
            self._raised[kind] = _Raised(self._events, self._scores, times, finding.confidence)
            points.append(_draft(detector, finding))
        self._waiting.clear()
        return points

    def _cooling(self, kind: DecisionKind, finding: Finding) -> bool:
        last, cool = self._raised.get(kind), self._cool_downs.get(kind, CoolDown())
        if last is None:
            return False
        if cool.doubles and not cool.scores and finding.confidence >= last.confidence + STRONGER:
            return False
        factor = min(2 ** (last.times - 1), MOST_DOUBLED) if cool.doubles else 1
        events, scores = self._events - last.events, self._scores - last.scores
        return events < cool.events * factor or scores < cool.scores * factor

    def _crowded(self, finding: Finding) -> bool:
        points = self._points
        return finding.confidence < SOFT and len(points) == CROWDED and self._events - points[0] < STRETCH

    def _reopen(self) -> None:
        for kind, last in list(self._raised.items()):
            cool = self._cool_downs.get(kind, CoolDown())
            if cool.reopened:
                del self._raised[kind]
            else:
                self._raised[kind] = _Raised(last.events, last.scores, 1, last.confidence)


def default_detectors() -> list[Detector]:
    """A fresh detector of every kind that is built."""
    backing = Backing()
    return [
        Scope(),
        Inherited(backing),
        Plateau(),
        ClaimedLimit(backing),
        ClaimedCompletion(backing),
        SuspiciousWin(),
        ExplainedAnomaly(),
        RepeatedEdit(),
        AgentLoop(),
    ]


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
