"""What a detector is: a pure look at the folded state after an event.

Detectors read source events only (messages, tool calls, results, edits, evaluations), never what was
flagged, suggested or asked; the cool-down is the caller's (`watch.py`).
"""

from dataclasses import dataclass
from typing import Protocol

from sessions.events import AnyEvent, Evidence
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind


@dataclass(frozen=True, slots=True)
class Finding:
    """A moment a detector saw: the events that raised it and one sentence that says why."""

    kind: DecisionKind
    evidence: tuple[Evidence, ...]
    confidence: float
    reason: str


class Detector(Protocol):
    """One kind of decision point.

    `look` is called once an event, right after `state.apply(event)`, and answers at most one finding.
    """

    kind: DecisionKind
    version: str

    def look(self, state: SessionState, event: AnyEvent) -> Finding | None:
        """What the newest event shows, if anything."""
