"""`explained_anomaly`: a wrong or odd result is explained, or the judge is changed, and the kernel is not."""

import re
from dataclasses import dataclass

from kernelseek_tui.decisions.changes import Change, Changes
from kernelseek_tui.decisions.checks import check_of, command_of
from kernelseek_tui.decisions.claims import MOST, mask, sentences
from kernelseek_tui.decisions.doubts import EXCUSE_HINTS, EXCUSES, TAKES_SERIOUSLY, hinted
from kernelseek_tui.decisions.loosened import loosened
from kernelseek_tui.decisions.protocol import Finding
from kernelseek_tui.decisions.topic import Topic
from kernelseek_tui.decisions.wins import RIGHT
from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind

FRESH = 60  # events: a failure further back is no longer what an explanation is about
FRESH_THOUGHT = 12  # reasoning turns many stones: only what follows a failure closely explains it
_WRONG = frozenset({"WRONG", "FAILED", "FAIL", "INCORRECT"})
_NO_EXCUSE = re.compile(
    r"\b(?:if|whether|maybe|perhaps|might|may|could|would|should|probably not|unless|not sure|check|"
    r"verify|see)\b|"
    r"(?:如果|是否|也许|可能|或许)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Mark:
    index: int
    evidence: ev.Evidence


class ExplainedAnomaly:
    """Three ways: an edit that loosens what judges (0.9 after a failure, else 0.6); any edit of what judges
    that a pass follows, after a failure (0.7); words that blame the judge or call the difference harmless
    (0.6 after a failure, 0.4 where none is recognised and the words give a number).

    What judges is a benchmark, test, tolerance, reference or scenario file that the session did not write.
    A failure is forgotten with the next pass. The weights are a guess, to be calibrated.
    """

    kind = DecisionKind.EXPLAINED_ANOMALY
    version = "2"

    def __init__(self) -> None:
        self._changes = Changes()
        self._topic = Topic()
        self._failed: _Mark | None = None
        self._judged: _Mark | None = None  # an edit of what judges, since the last failure or pass
        self._repaired = False  # a kernel or source edit since the last failure
        self._told = False  # something was found since the last failure: telling it again is the same story

    def look(self, state: SessionState, event: ev.AnyEvent) -> Finding | None:
        """A finding when the newest event changes the judge, passes after that, or explains."""
        found = self._look(state, event)
        self._told = self._told or found is not None
        return found

    def _look(self, state: SessionState, event: ev.AnyEvent) -> Finding | None:
        self._topic.hear(event)
        found = None
        for change in self._changes.take(state, event):
            found = self._changed(change) or found
        if found is not None:
            return found
        if isinstance(event, ev.AgentText | ev.Thinking) and event.agent is None:
            return self._explained(state, event)
        if isinstance(event, ev.Evaluation):
            status = event.status.upper()
            if status in RIGHT or status in _WRONG:
                return self._checked(state, event.id, status in RIGHT, f"evaluation: {event.status}")
            return None
        if isinstance(event, ev.ToolResult) and command_of(state, event) is not None:
            check = check_of(event.output)
            if check is not None and check.passed is not None:
                return self._checked(state, event.id, check.passed, check.quote)
        return None

    def _changed(self, change: Change) -> Finding | None:
        if not self._changes.judges(change):
            self._repaired = self._repaired or bool(change.removed or change.added) or change.of_kernel
            return None
        how = loosened(change.removed, change.added)
        quote = f"{change.path.rsplit('/', 1)[-1]}: {how.quote if how else 'edited'}"
        here = ev.Evidence(event=change.event_id, quote=quote[:280])
        self._judged = _Mark(change.index, here)
        if how is None:
            return None
        before = (self._failed.evidence,) if self._failed else ()
        reason = f"An edit outside the candidate {how.what}" + (", after a check failed." if before else ".")
        return Finding(self.kind, (here, *before), 0.9 if before else 0.6, reason)

    def _checked(self, state: SessionState, event_id: str, passed: bool, quote: str) -> Finding | None:
        here = ev.Evidence(event=event_id, quote=quote)
        if not passed:
            self._failed, self._judged = _Mark(state.count - 1, here), None
            self._repaired = self._told = False
            return None
        failed, judged, repaired = self._failed, self._judged, self._repaired
        self._failed = self._judged = None
        self._repaired = False
        if failed is None or judged is None or state.count - judged.index > FRESH:
            return None
        if repaired and not self._topic.about_speed:
            return None  # tests and code change together all the time
        reason = "A check passes after an edit outside the candidate; it had failed before that."
        return Finding(self.kind, (here, judged.evidence, failed.evidence), 0.5 if repaired else 0.75, reason)

    def _explained(self, state: SessionState, event: ev.AgentText | ev.Thinking) -> Finding | None:
        thought = isinstance(event, ev.Thinking)
        failed = self._failed
        if failed and state.count - failed.index > (FRESH_THOUGHT if thought else FRESH):
            failed = None
        if failed is None and (thought or self._told or not self._topic.about_speed):
            return None
        if not hinted(event.text[:MOST], EXCUSE_HINTS):
            return None
        quote = excuse_in(event.text)
        if quote is None or (failed is None and not re.search(r"\d", quote)):
            return None
        here = ev.Evidence(event=event.id, quote=quote)
        if failed is None:
            return Finding(
                self.kind, (here,), 0.4, "The agent explains a difference; no check of it is recognised."
            )
        reason = "The agent explains a failure instead of repairing it."
        return Finding(self.kind, (here, failed.evidence), 0.6, reason)


def excuse_in(text: str) -> str | None:
    """The first sentence of a message that explains a bad result away."""
    text = text[:MOST]
    prose = mask(text)
    for start, end in sentences(prose):
        sentence = prose[start:end]
        match = EXCUSES.search(sentence) if hinted(sentence, EXCUSE_HINTS) else None
        if match is None or sentence.rstrip().endswith(("?", "？")) or TAKES_SERIOUSLY.search(sentence):
            continue
        if _NO_EXCUSE.search(sentence[: match.start()][-60:]):
            continue
        return " ".join(text[start:end].split())[:280]
    return None
