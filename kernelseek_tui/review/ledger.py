"""The claim ledger: every claim of completion or of a limit, what stood behind it, and what became of it.

What was known when it was said is kept as events come; what became of it is looked up when asked, as it was
known after any event: a `Ledger.view` of a past state holds nothing that came later.
"Stands" means that nothing in this session speaks against a claim, not that it is true.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from enum import StrEnum

from kernelseek_tui.decisions.claims import claims_in
from kernelseek_tui.decisions.phrases import ClaimKind
from kernelseek_tui.decisions.scores import measures
from kernelseek_tui.decisions.standing import Mark, goal_met, speaks_of_bound, unmet_clauses
from kernelseek_tui.review.aftermath import Aftermath
from kernelseek_tui.review.curve import Scores
from kernelseek_tui.review.fate import Fate, Judge, Tried
from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import Activity

__all__ = ["ClaimRow", "Fate", "GoalTruth", "Ledger", "Said", "Tried", "View"]


class GoalTruth(StrEnum):
    """What was known of the goal when a claim was made."""

    MET = "met"
    UNMET = "unmet"
    UNKNOWN = "unknown"


@dataclass(slots=True)
class Said:
    """A claim as it was made first, at event `index`, and what was known by then.

    `said` counts its sayings with no kernel edit between them (of a completion: no message, evaluation or
    verdict either), `again` holds the events of all but the first. `goal_why` names the unmet clauses, or why
    nothing is known. `bound` is the first event that spoke of a measured or computed bound, `measured` the
    newest measurement; `events_since` and `edits_since` count what came after that (all of the session where
    nothing was measured).
    """

    kind: ClaimKind
    quote: str
    index: int
    event: str
    goal: GoalTruth
    goal_why: str
    bound: Mark | None
    measured: Mark | None
    events_since: int
    edits_since: int
    said: int = 1
    again: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim, whether a disproof was tried after it, and what became of it, each with a sentence."""

    claim: Said
    tried: Tried
    tried_why: str
    fate: Fate
    fate_why: str
    evidence: tuple[ev.Evidence, ...] = ()


class View:
    """The claims of a session as a state knows them, oldest first; each is judged when it is asked for."""

    def __init__(self, claims: list[Said], count: int, judge: Judge) -> None:
        self._claims = claims
        self._known = bisect_left(claims, count, key=_index)
        self._count = count
        self._judge = judge
        self._rows: dict[int, ClaimRow] = {}

    def __len__(self) -> int:
        return self._known

    def claim(self, place: int) -> Said:
        """A claim, with its sayings so far."""
        claim = self._claims[place]
        if claim.again and claim.again[-1] >= self._count:
            again = claim.again[: bisect_left(claim.again, self._count)]
            claim = replace(claim, said=1 + len(again), again=again)
        return claim

    def row(self, place: int) -> ClaimRow:
        """A claim with what became of it."""
        row = self._rows.get(place)
        if row is None:
            claim = self.claim(place)
            tried, tried_why = self._judge.tried(claim)
            fate, why, evidence = self._judge.fate(claim, contradicted=claim.goal is GoalTruth.UNMET)
            row = self._rows[place] = ClaimRow(claim, tried, tried_why, fate, why, evidence)
        return row


class Ledger:
    """Follows a session: `take` every event right after the state took it in; `view` at any time."""

    def __init__(self, scores: Scores) -> None:
        self.claims: list[Said] = []
        self.sayings = 0
        self._scores = scores
        self._bound: Mark | None = None
        self._measured: Mark | None = None
        self._after = Aftermath()
        self._edits: list[int] = []
        self._newest: dict[ClaimKind, Said] = {}
        self._by_kind: dict[ClaimKind, list[int]] = {}
        self._heard = -1
        self._judged = False
        self._calls: set[str] = set()

    def take(self, state: SessionState, event: ev.AnyEvent) -> None:
        """Take in the newest event."""
        if measures(state, event):
            self._measured = Mark(state.count - 1, event.id)
        if self._bound is None and _bounds(event):
            self._bound = Mark(state.count - 1, event.id)
        self._after.take(state, event)
        self._count_edit(state, event)
        self._judged = self._judged or (isinstance(event, ev.Evaluation) and event.counts)
        if isinstance(event, ev.HumanMessage | ev.QuestionAsked | ev.Evaluation | ev.GoalVerdict):
            self._heard = state.count - 1
        for kind, quote in claims_in(event):
            self.sayings += 1
            last = self._newest.get(kind)
            new = max(self._edits[-1] if self._edits else -1, self._heard if kind == "completion" else -1)
            if last is not None and new < last.index:
                last.said += 1
                last.again.append(state.count - 1)
            else:
                claim = self._newest[kind] = self._said(state, event, kind, quote)
                self.claims.append(claim)
                self._by_kind.setdefault(kind, []).append(claim.index)

    def view(self, state: SessionState) -> View:
        """The claims as `state` knows them: the one that is followed, or what it was (`as_of`)."""
        series = self._scores.series(state)
        return View(self.claims, state.count, Judge(state, series, self._edits, self._by_kind, self._after))

    def rows(self, state: SessionState) -> list[ClaimRow]:
        """Every claim with what became of it, as the state stands; oldest first."""
        view = self.view(state)
        return [view.row(place) for place in range(len(view))]

    def _count_edit(self, state: SessionState, event: ev.AnyEvent) -> None:
        here = state.count - 1
        if isinstance(event, ev.ToolCall) and state.tools[-1].activity is Activity.KERNEL_EDIT:
            self._calls.add(event.id)
            self._edits.append(here)
        elif isinstance(event, ev.Edit) and event.candidate and event.parent not in self._calls:
            self._edits.append(here)  # its call, where there is one, has been counted

    def _said(self, state: SessionState, event: ev.AnyEvent, kind: ClaimKind, quote: str) -> Said:
        index = state.count - 1
        measured = self._measured
        since = measured.index if measured is not None else -1
        goal, why = self._goal(state)
        return Said(
            kind,
            quote,
            index,
            event.id,
            goal,
            why,
            self._bound,
            measured,
            index - since - 1,
            len(self._edits) - bisect_right(self._edits, since),
        )

    def _goal(self, state: SessionState) -> tuple[GoalTruth, str]:
        if goal_met(state):
            return GoalTruth.MET, "a counting evaluation of the candidate as it is says so"
        unmet = unmet_clauses(state)
        if unmet is None:
            verdicts = state.goals or self._judged
            return GoalTruth.UNKNOWN, "no verdict on this version" if verdicts else "no goal is known here"
        newest = max(
            state.goals[-1].index if state.goals else -1,
            state.evaluations[-1].index if state.evaluations else -1,
        )
        clauses = "; ".join(unmet[1][:4])
        if self._edits and self._edits[-1] > newest:
            return GoalTruth.UNKNOWN, f"unmet before the kernel changed: {clauses}"
        return GoalTruth.UNMET, clauses


def _bounds(event: ev.AnyEvent) -> bool:
    """The event speaks of a measured or computed bound."""
    match event:
        case ev.Evaluation():
            return any(scenario.bound_ns for scenario in event.scenarios)
        case ev.ToolCall():
            return speaks_of_bound(str(event.input))
        case ev.ToolResult():
            return speaks_of_bound(event.output)
    return False


def _index(claim: Said) -> int:
    return claim.index
