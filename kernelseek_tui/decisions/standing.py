"""What stands behind a claim: the newest measurement and kernel edit, the bounds and layers looked at.

Kept up to date event by event, so that looking costs the same at entry 10 and at entry 100,000.
"""

import re
from collections import deque
from dataclasses import dataclass, field

from kernelseek_tui.contracts.numbers import has_number, quotes_number
from kernelseek_tui.decisions.checks import check_of, command_of
from kernelseek_tui.decisions.scores import measures
from kernelseek_tui.decisions.topic import Topic
from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import Activity, Layer

# Layers that say where a gap may lie. Builds, benchmark runs and process come with every step.
GAP_LAYERS = frozenset({Layer.KERNEL, Layer.MEMORY, Layer.HOST, Layer.ROUTING, Layer.NUMERICS})

# Words in a command or its output that say a bound was measured or computed.
_BOUND = re.compile(
    r"roofline|speed.of.light|peak_fraction|(?:%|percent|fraction) of peak|launch(?:er)?[- ]only|"
    r"empty[ _]kernel",
    re.IGNORECASE,
)
_BOUND_HINTS = ("oofline", "peak", "of light", "of-light", "launch", "mpty")
_LOOKED_AT = 20_000  # characters at either end of a tool's output
_KEPT = 8  # measurements whose figures a claim may quote
_FIGURES_AT = 4_000  # characters at the end of each: results are printed last
SOON = 5
"""Events within which a failure contradicts a claim, on either side of it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """An event that matters: its index in the session and its id."""

    index: int
    event_id: str


@dataclass(slots=True)
class Backing:
    """Feed it every event right after the state took it in. Detectors may share one: an event counts once.

    `about_speed`: the session is known to be one that makes a kernel faster, by its words, its candidate or
    an evaluation. `failed` is the newest failing check with its line, until one passes.
    """

    measured: Mark | None = None
    edited: Mark | None = None
    bound: Mark | None = None
    layers: set[Layer] = field(default_factory=set)
    about_speed: bool = False
    failed: tuple[Mark, str] | None = None
    _figures: deque[tuple[Mark, str]] = field(default_factory=lambda: deque(maxlen=_KEPT))
    _topic: Topic = field(default_factory=Topic)
    _visits: int = 0
    _tools: int = 0
    _count: int = 0

    def take(self, state: SessionState, event: ev.AnyEvent) -> None:
        """Take in what the newest event adds."""
        if state.count == self._count:
            return
        self._count = state.count
        self._topic.hear(event)
        named = isinstance(event, ev.SessionStarted) and (event.candidate or event.operator)
        if self._topic.about_speed or named or isinstance(event, ev.Evaluation):
            self.about_speed = True
        here = Mark(state.count - 1, event.id)
        if measures(state, event):
            self.measured = here
            self._keep(event, here)
        self._check(state, event, here)
        if isinstance(event, ev.Evaluation):
            if self.bound is None and any(scenario.bound_ns for scenario in event.scenarios):
                self.bound = here
        elif isinstance(event, ev.Edit):
            if event.candidate:
                self.edited = here
        elif isinstance(event, ev.ToolCall):
            self._edits(state, here)
            if self.bound is None and speaks_of_bound(str(event.input)):
                self.bound = here
        elif isinstance(event, ev.ToolResult) and self.bound is None and speaks_of_bound(event.output):
            self.bound = here
        for visit in state.visits[self._visits :]:
            if visit.layer in GAP_LAYERS:
                self.layers.add(visit.layer)
        self._visits = len(state.visits)

    def _keep(self, event: ev.AnyEvent, here: Mark) -> None:
        if isinstance(event, ev.ToolResult):
            self._figures.append((here, event.output[-_FIGURES_AT:]))
        elif isinstance(event, ev.Evaluation) and event.geomean is not None:
            ratios = " ".join(f"{row.ratio:.4g}x" for row in event.scenarios if row.ratio)
            self._figures.append((here, f"{event.geomean:.4g}x {event.correct} {event.total} {ratios}"))

    def _check(self, state: SessionState, event: ev.AnyEvent, here: Mark) -> None:
        if isinstance(event, ev.Evaluation):
            if event.status in ("CORRECT", "WRONG"):
                self.failed = (here, "evaluation: WRONG") if event.status == "WRONG" else None
        elif isinstance(event, ev.ToolResult) and command_of(state, event) is not None:
            check = check_of(event.output)
            if check is not None and check.passed is not None:
                self.failed = None if check.passed else (here, check.quote)

    def outdated(self, quote: str) -> tuple[Mark, Mark] | None:
        """The measurement that a quoted number comes from and the kernel edit after it, if that is so.

        A number that was measured again since the edit is not outdated.
        """
        if self.edited is None or not has_number(quote):
            return None
        source = next((mark for mark, text in reversed(self._figures) if quotes_number(quote, text)), None)
        return (source, self.edited) if source is not None and source.index < self.edited.index else None

    def contradicted(self, index: int) -> ev.Evidence | None:
        """The failing check that stands within a few events before the event at `index`."""
        if self.failed is None or index - self.failed[0].index > SOON:
            return None
        return ev.Evidence(event=self.failed[0].event_id, quote=self.failed[1])

    def _edits(self, state: SessionState, here: Mark) -> None:
        for run in state.tools[self._tools :]:
            if run.activity is Activity.KERNEL_EDIT:
                self.edited = here
        self._tools = len(state.tools)

    @property
    def stale(self) -> bool:
        """The newest kernel edit came after the newest measurement."""
        return self.edited is not None and (self.measured is None or self.edited.index > self.measured.index)


def speaks_of_bound(text: str) -> bool:
    """Whether a command or its output speaks of a measured or computed bound."""
    if len(text) > 2 * _LOOKED_AT:
        text = text[:_LOOKED_AT] + "\n" + text[-_LOOKED_AT:]
    return any(hint in text for hint in _BOUND_HINTS) and _BOUND.search(text) is not None


def goal_met(state: SessionState) -> bool:
    """A counting evaluation of the candidate as it is now says that the goal holds."""
    goal = state.goals[-1].event if state.goals else None
    if goal is None or goal.met is not True:
        return False
    counting = next((seen for seen in reversed(state.evaluations) if seen.event.counts), None)
    if counting is None or goal.evaluation not in (None, counting.event.evaluation):
        return False
    edited = next((seen.index for seen in reversed(state.edits) if seen.event.candidate), -1)
    return edited < counting.index


def unmet_clauses(state: SessionState) -> tuple[ev.Evidence, tuple[str, ...]] | None:
    """The clauses that the newest verdict or evaluation names as unmet, with the event that says so."""
    if state.goals and state.goals[-1].event.met is False:
        goal = state.goals[-1].event
        clauses = goal.unmet or (goal.reason or "the goal",)
        return ev.Evidence(event=goal.id, quote="unmet: " + "; ".join(clauses[:4])), clauses
    if state.evaluations and state.evaluations[-1].event.unmet:
        newest = state.evaluations[-1].event
        return ev.Evidence(event=newest.id, quote="unmet: " + "; ".join(newest.unmet[:4])), newest.unmet
    return None
