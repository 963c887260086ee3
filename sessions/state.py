"""The folded state of a session: everything screens, detectors and rankers look at, computed from events.

Folding is incremental and pure: no clock, no file. Lists only grow and every item knows the index of the
event that brought it, so the state as it was known at any event is a slice (`SessionState.as_of`).
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from sessions import events as ev
from sessions.figures import prints_figure
from sessions.layers import place as place_call
from sessions.open_work import OpenWork
from sessions.packed import pack_runs, pack_seen
from sessions.seen import Seen, Spend, ToolRun, Visit
from sessions.vocabulary import FILES_ONLY, Activity, GapClass, Layer

__all__ = ["Seen", "SessionState", "Spend", "ToolRun", "Visit", "all_correct", "fold"]

# The judge's exit codes that say every scenario was right: goal met, unmet, ambiguous.
_ALL_RIGHT = frozenset({None, 0, 10, 11})


@dataclass(slots=True)
class SessionState:
    """What is known after `count` events. Build one with `fold`, advance it with `apply`.

    `turns` counts replies of the main agent's model. `early_results` are results that came before their
    call (a transcript may be written in that order); the call, when it comes, gets its result.
    """

    count: int = 0
    started: ev.SessionStarted | None = None
    ended: ev.SessionEnded | None = None
    turns: int = 0
    human: list[Seen[ev.HumanMessage]] = field(default_factory=list)
    texts: list[Seen[ev.AgentText]] = field(default_factory=list)
    thoughts: list[Seen[ev.Thinking]] = field(default_factory=list)
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
    subagents: list[Seen[ev.Subagent]] = field(default_factory=list)
    notes: list[Seen[ev.Note]] = field(default_factory=list)
    classified: list[Seen[ev.GapClassified]] = field(default_factory=list)
    permissions: list[Seen[ev.PermissionRequested]] = field(default_factory=list)
    answers: list[Seen[ev.PermissionAnswered]] = field(default_factory=list)
    turn_ends: list[Seen[ev.TurnEnded]] = field(default_factory=list)
    early_results: list[Seen[ev.ToolResult]] = field(default_factory=list)
    gaps: dict[str, GapClass] = field(default_factory=dict)
    spend: Spend = field(default_factory=Spend)
    # What follows belongs to the fold, not to the session, and is not compared.
    _open: OpenWork = field(default_factory=OpenWork, compare=False, repr=False)
    _unanswered: OpenWork = field(default_factory=OpenWork, compare=False, repr=False)
    _runs: dict[str, list[int]] = field(default_factory=dict, compare=False, repr=False)
    _early: dict[str, Seen[ev.ToolResult]] = field(default_factory=dict, compare=False, repr=False)
    _messages: set[str] = field(default_factory=set, compare=False, repr=False)
    _billed: set[str] = field(default_factory=set, compare=False, repr=False)
    _turn_marks: "array[int]" = field(default_factory=lambda: array("q"), compare=False, repr=False)
    _candidate_edits: list[int] = field(default_factory=list, compare=False, repr=False)
    _measured_at: int | None = field(default=None, compare=False, repr=False)
    _packed: dict[str, int] = field(default_factory=dict, compare=False, repr=False)
    _spend_marks: list[tuple[int, Spend]] = field(default_factory=list, compare=False, repr=False)
    _layer_marks: dict[Layer, list[int]] = field(default_factory=dict, compare=False, repr=False)
    _marks: list[tuple[int, ev.SessionStarted | ev.SessionEnded]] = field(
        default_factory=list, compare=False, repr=False
    )
    _ids: dict[str, int] = field(default_factory=dict, compare=False, repr=False)
    _past: bool = field(default=False, compare=False, repr=False)

    @property
    def rehearsed(self) -> bool:
        """The agent is a scripted one."""
        return self.started is not None and self.started.rehearsed

    @property
    def busy(self) -> bool:
        """A tool call or subagent is still running.

        Nothing runs in a session that has ended. A call that its agent's next reply went past does not:
        that reply had the result, the record lost it.
        """
        return bool(self._open)

    @property
    def layers(self) -> dict[Layer, int]:
        """How often each layer was visited so far, in the order of the first visits."""
        counts = {layer: bisect_right(marks, self.count - 1) for layer, marks in self._layer_marks.items()}
        return {layer: number for layer, number in counts.items() if number}

    @property
    def series(self) -> list[Seen[ev.Evaluation]]:
        """Evaluations that can be compared with one another: same judge, set, baseline and scenario count.

        Of several such series the judge's, then one that has a score, then the one with the most scenarios,
        of equals the one that was added to last.
        """
        found: dict[tuple[str, str, str, int], list[Seen[ev.Evaluation]]] = {}
        for seen in self.evaluations:
            event = seen.event
            key = (event.source_kind, event.scenario_set, event.baseline, event.total)
            found.setdefault(key, []).append(seen)
        return max(found.values(), key=_weight, default=[])

    @property
    def latest(self) -> Seen[ev.Evaluation] | None:
        """The newest evaluation by the judge; without one the newest with a score, else the newest at all."""
        judged = (seen for seen in reversed(self.evaluations) if seen.event.source_kind == "judge")
        scored = (seen for seen in reversed(self.evaluations) if seen.event.geomean is not None)
        return next(judged, None) or next(scored, None) or next(reversed(self.evaluations), None)

    @property
    def best(self) -> Seen[ev.Evaluation] | None:
        """The evaluation of `series` with the highest geometric mean, all its scenarios correct."""
        best: Seen[ev.Evaluation] | None = None
        for seen in self.series:
            mean = seen.event.geomean
            if mean is None or mean <= 0 or not all_correct(seen.event):
                continue
            if best is None or mean > (best.event.geomean or 0):
                best = seen
        return best

    @property
    def goal(self) -> ev.GoalVerdict | None:
        """The newest goal verdict."""
        return self.goals[-1].event if self.goals else None

    @property
    def candidate_edits(self) -> list[Seen[ev.Edit]]:
        """Edits of the candidate. Foreign transcripts name no candidate unless the caller did."""
        return [self.edits[place] for place in self._candidate_edits if place < len(self.edits)]

    @property
    def measured(self) -> bool:
        """Something was evaluated, a benchmark ran, or a command printed measured figures."""
        return self._measured_at is not None and self._measured_at < self.count

    @property
    def running(self) -> list[ToolRun]:
        """Tool calls that are still running, oldest first."""
        return [self.tools[place] for place in sorted(self._open.tools())]

    @property
    def open_permissions(self) -> list[Seen[ev.PermissionRequested]]:
        """What the agent's client waits to be allowed, oldest first.

        A turn that ended waits for nothing, and neither does a session.
        """
        ends = (at for at, mark in self._marks if at < self.count and isinstance(mark, ev.SessionEnded))
        over = max(self.turn_ends[-1].index if self.turn_ends else -1, *ends, -1)
        answered = {seen.event.request for seen in self.answers if seen.index > over}
        waiting = takewhile(lambda seen: seen.index > over, reversed(self.permissions))
        return [seen for seen in waiting if seen.event.request not in answered][::-1]

    def run_of(self, call: str) -> ToolRun | None:
        """The newest tool run with this call id."""
        places = reversed(self._runs.get(call, ()))  # from the end: a client may name all calls alike
        return next((self.tools[place] for place in places if place < len(self.tools)), None)

    def event_index(self, event_id: str) -> int | None:
        """The index of an event by id."""
        index = self._ids.get(event_id)
        return index if index is not None and index < self.count else None

    def event_ids(self) -> Iterator[str]:
        """The ids of the events so far, each once, in order."""
        return (name for name, index in self._ids.items() if index < self.count)

    def apply(self, event: ev.AnyEvent) -> None:
        """Take in the next event. Raises `ValueError` on a state that `as_of` made."""
        if self._past:
            raise ValueError("a past state cannot be advanced; fold the events up to there instead")
        index = self.count
        self.count += 1
        self._ids.setdefault(event.id, index)
        into = _LISTS.get(event.kind)
        if into is not None and not isinstance(event, ev.UnknownEvent):
            getattr(self, into).append(Seen(index, event))
        match event:
            case ev.Edit():
                if event.candidate:
                    self._candidate_edits.append(len(self.edits) - 1)
            case ev.Evaluation():
                self._measured(index)
            case ev.AgentText() | ev.Thinking():
                self._turn(index, event)
            case ev.ToolCall():
                self._turn(index, event)
                self._call(index, event)
            case ev.ToolResult():
                self._result(index, event)
            case ev.Usage():
                self._use(index, event)
            case ev.Subagent():
                self._open.mark(index, f"agent {event.subagent}", event.phase == "started")
            case ev.GapClassified():
                self.gaps.update(dict.fromkeys(event.scenarios, event.gap))
            case ev.SessionStarted():
                self.started, self.ended = event, None  # a second one: the session was resumed
                self._marks.append((index, event))
            case ev.SessionEnded():
                self.ended = event
                self._marks.append((index, event))
                self._open.end(index)
            case _:
                pass

    def pack(self) -> None:
        """Compress the texts of all but the newest events, for sessions of any length; call it now and then.

        Nothing is lost: an item further back unpacks its event when it is asked for it.
        """
        for name in _PACKED:
            self._packed[name] = pack_seen(getattr(self, name), self._packed.get(name, 0))
        self._packed["tools"] = pack_runs(self.tools, self._packed.get("tools", 0))

    def as_of(self, index: int) -> "SessionState":
        """The state as it was known after the event at `index`: nothing that came later is in it.

        Equal to folding the events up to there, at the price of a few slices. It cannot be advanced.
        """
        index = min(index, self.count - 1)
        # The marks are shared, not copied: a past state looks no further than its own count.
        past = SessionState(
            count=index + 1,
            _ids=self._ids,
            _runs=self._runs,
            _turn_marks=self._turn_marks,
            _candidate_edits=self._candidate_edits,
            _measured_at=self._measured_at,
            _spend_marks=self._spend_marks,
            _layer_marks=self._layer_marks,
            _marks=self._marks,
            _past=True,
        )
        for name in (*_LISTS.values(), "visits", "early_results"):
            items: list[Any] = getattr(self, name)
            setattr(past, name, items[: bisect_right(items, index, key=_index)])
        past.tools = self.tools[: bisect_right(self.tools, index, key=_index)]
        past._open = self._open.as_of(index)
        past._unanswered = self._unanswered.as_of(index)
        for place in past._unanswered.tools():
            run = past.tools[place]
            past.tools[place] = ToolRun(run.index, run.call, run.activity, run.layers)
        past.turns = bisect_right(self._turn_marks, index)
        spent = bisect_right(self._spend_marks, index, key=lambda mark: mark[0])
        past.spend = replace(self._spend_marks[spent - 1][1]) if spent else Spend()
        for seen in past.classified:
            past.gaps.update(dict.fromkeys(seen.event.scenarios, seen.event.gap))
        for at, mark in self._marks:
            if at <= index and isinstance(mark, ev.SessionStarted):
                past.started, past.ended = mark, None
            elif at <= index and isinstance(mark, ev.SessionEnded):
                past.ended = mark
        return past

    def _turn(self, index: int, event: ev.AgentText | ev.Thinking | ev.ToolCall) -> None:
        if event.agent is not None or (event.message is not None and event.message in self._messages):
            return
        if event.message is not None:
            self._messages.add(event.message)
            self._go_past(index)
        self.turns += 1
        self._turn_marks.append(index)

    def _go_past(self, index: int) -> None:
        for place in list(self._open.tools()):
            call = self.tools[place].call
            if call.message is not None and call.agent is None:
                self._open.mark(index, place, False)

    def _call(self, index: int, event: ev.ToolCall) -> None:
        candidate = self.started.candidate if self.started else None
        activity, layers = place_call(event.tool, event.input, candidate)
        run = ToolRun(index, event, activity, layers)
        place = len(self.tools)
        self._runs.setdefault(event.call, []).append(place)
        self.tools.append(run)
        early = self._early.pop(event.call, None)
        if early is not None:
            self._answer(index, run, early)
        else:
            self._open.mark(index, place, True)
            self._unanswered.mark(index, place, True)
        if activity is Activity.BENCHMARK_RUN:
            self._measured(index)
        for layer in layers:
            self.visits.append(Visit(index, event.id, layer, activity))
            self._layer_marks.setdefault(layer, []).append(index)

    def _result(self, index: int, event: ev.ToolResult) -> None:
        places = self._runs.get(event.call)
        if places is None:
            self.early_results.append(Seen(index, event))
            self._early.setdefault(event.call, self.early_results[-1])
            return
        place = places[-1]
        run = self.tools[place]
        if run.result is None:  # a replayed result says nothing new
            self._answer(index, run, Seen(index, event))
            self._open.mark(index, place, False)
            self._unanswered.mark(index, place, False)

    def _answer(self, index: int, run: ToolRun, seen: Seen[ev.ToolResult]) -> None:
        run.result, run.result_index = seen.event, seen.index
        if self._measured_at is None and run.activity not in FILES_ONLY and prints_figure(seen.event.output):
            self._measured(index)

    def _measured(self, index: int) -> None:
        if self._measured_at is None:
            self._measured_at = index

    def _use(self, index: int, event: ev.Usage) -> None:
        if event.message is not None:
            if event.message in self._billed:
                return
            self._billed.add(event.message)
        self.spend = Spend(
            self.spend.input_tokens + event.input_tokens,
            self.spend.output_tokens + event.output_tokens,
            self.spend.cache_read_tokens + event.cache_read_tokens,
            self.spend.cache_write_tokens + event.cache_write_tokens,
            self.spend.cost_usd + (event.cost_usd or 0.0),
        )
        self._spend_marks.append((index, self.spend))


_LISTS = {
    "human_message": "human",
    "agent_text": "texts",
    "thinking": "thoughts",
    "edit": "edits",
    "evaluation": "evaluations",
    "goal_verdict": "goals",
    "claim": "claims",
    "decision_point": "decisions",
    "suggestions_shown": "shown",
    "suggestion_dismissed": "dismissed",
    "question_asked": "asked",
    "question_receipt": "receipts",
    "reader_problem": "problems",
    "subagent": "subagents",
    "note": "notes",
    "gap_class": "classified",
    "permission_requested": "permissions",
    "permission_answered": "answers",
    "turn_ended": "turn_ends",
}

# Those that hold texts of any length and are looked at from the end.
_PACKED = ("human", "texts", "thoughts", "edits", "notes", "problems", "early_results")


def _weight(series: list[Seen[ev.Evaluation]]) -> tuple[bool, bool, int, int]:
    last = series[-1]
    judged = last.event.source_kind == "judge"
    # A check that only passes or fails is no series of scores, however many cases it has.
    scored = judged or any(seen.event.geomean is not None for seen in series)
    return judged, scored, last.event.total, last.index


def _index(item: Seen[Any] | ToolRun | Visit) -> int:
    return item.index


def all_correct(evaluation: ev.Evaluation) -> bool:
    """Every scenario ran and was right, as far as the evaluation says."""
    if evaluation.exit_code not in _ALL_RIGHT:
        return False
    return evaluation.correct == evaluation.total if evaluation.total else evaluation.status != "WRONG"


def fold(events: Iterable[ev.AnyEvent]) -> SessionState:
    """Fold a whole session."""
    state = SessionState()
    for event in events:
        state.apply(event)
    return state
