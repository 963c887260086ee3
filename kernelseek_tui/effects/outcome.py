"""What followed in a window: numbers, layers, claim, score. A past state gives what was known then."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from bank.effects.record import LARGEST, Claim, Outcome
from kernelseek_tui.effects.calls import layers_measured, worked
from kernelseek_tui.effects.earlier import Earlier
from kernelseek_tui.effects.told import gives_number
from kernelseek_tui.effects.window import Window, within
from kernelseek_tui.review.curve import Mark, Series
from kernelseek_tui.review.fate import Fate, Tried
from kernelseek_tui.review.ledger import ClaimRow, View
from kernelseek_tui.review.visits import MEASURES, most_visited
from sessions import events as ev
from sessions.figures import prints_figure
from sessions.seen import Seen, ToolRun
from sessions.state import SessionState
from sessions.vocabulary import Activity, DecisionKind, Layer

RECENT_VISITS = 10
"""Visits before that say where the agent was working; the ranker looks at as many."""
_CLAIMED = frozenset({DecisionKind.CLAIMED_LIMIT.value, DecisionKind.CLAIMED_COMPLETION.value})

Views = Callable[[int], View]
"""The claim ledger as it was known after an event."""


@dataclass(frozen=True, slots=True)
class _Number:
    run: ToolRun
    told: int


def outcome(
    state: SessionState,
    series: Series,
    span: Window,
    decision: ev.DecisionPoint | None = None,
    views: Views | None = None,
    earlier: Earlier | None = None,
) -> Outcome:
    """What followed. `decision` is the moment, for its claim; without `views` no claim is looked at.

    `series` is the comparable series as `state` knows it; `earlier` is made of both, given by whoever asks
    for many windows of one session.
    """
    runs: Sequence[ToolRun] = within(state.tools, span)
    earlier = Earlier(state, series) if earlier is None else earlier
    measured = _layers(run for run in runs if _back(run, span))
    before, visited = earlier.measured(span.start), earlier.visited(span.start)
    first = tuple(layer for layer in measured if layer not in before)
    numbers = _numbers(state, runs, span)
    base, changes = _changes(earlier, span)
    return Outcome(
        calls=_calls(runs, numbers),
        measured=measured,
        first_measured=first,
        first_visited=tuple(layer for layer in measured if layer not in visited),
        new_number=any(layer in first for number in numbers for layer in layers_measured(number.run)),
        before=most_visited(earlier.visits(span.start, RECENT_VISITS)),
        after=most_visited(within(state.visits, span)),
        claim=_claim(state, decision, span, views) if decision is not None and views is not None else None,
        base=base,
        origin=series.origin.value,
        changes=changes,
        evaluations=len(span.points),
        regression=_regression(earlier, span),
        ended=span.ended,
    )


def _measures(run: ToolRun) -> bool:
    """A call that worked and looked at what runs: an instrument, or a program that prints figures."""
    if run.result is None or not worked(run):
        return False
    if run.activity in MEASURES:
        return True
    return run.activity is Activity.OTHER and prints_figure(run.result.output)


def _back(run: ToolRun, span: Window) -> bool:
    return run.result_index is not None and run.result_index <= span.end


def _layers(runs: Iterable[ToolRun]) -> tuple[Layer, ...]:
    return tuple(dict.fromkeys(layer for run in runs if worked(run) for layer in layers_measured(run)))


def _numbers(state: SessionState, runs: Sequence[ToolRun], span: Window) -> list[_Number]:
    """Measurements of the window whose number the main agent then gives in its own words, within it."""
    texts: Sequence[Seen[ev.AgentText]] = within(state.texts, span)
    texts = [text for text in texts if text.event.agent is None]
    found = []
    for run in runs:
        if not _back(run, span) or not _measures(run) or run.result is None:
            continue
        came = max(run.index, run.result_index or 0)
        later = [text for text in texts if text.index > came]
        output = run.result.output
        told = next((text.index for text in later if gives_number(text.event.text, output)), None)
        if told is not None:
            found.append(_Number(run, told))
    return found


def _calls(runs: Sequence[ToolRun], numbers: Sequence[_Number]) -> int | None:
    if not numbers:
        return None
    told = min(number.told for number in numbers)
    return sum(run.index < told for run in runs)


def _changes(earlier: Earlier, span: Window) -> tuple[float | None, tuple[float, ...]]:
    base = earlier.best(span.start)
    if base is None:
        return None, ()
    best = base
    changes = []
    for point in span.points:
        if point.scores:
            best = max(best, point.value or 0.0)
        # Scores of a forged journal may lie further apart than a factor can be written.
        changes.append(max(-LARGEST, min(LARGEST, math.log(best) - math.log(base))))
    return base, tuple(changes)


def _regression(earlier: Earlier, span: Window) -> Literal["none", "wrong", "slower"] | None:
    if not span.points:
        return None
    if any(point.mark is Mark.WRONG for point in span.points):
        return "wrong"
    last = earlier.last_scored(span.start)
    slower = last is not None and any(point.scores and last.beats(point) for point in span.points)
    return "slower" if slower else "none"


def _claim(state: SessionState, decision: ev.DecisionPoint, span: Window, views: Views) -> Claim | None:
    """What became of the claim that a moment was about, by the end of the window."""
    if decision.decision.value not in _CLAIMED or not decision.evidence:
        return None
    said = state.event_index(decision.evidence[0].event)
    before = _row(views(span.start), said)
    after = _row(views(span.end), said)
    if after is None:
        return None
    if after.fate is Fate.WITHDRAWN:
        return "fallen_before" if before is not None and before.fate is Fate.WITHDRAWN else "withdrawn"
    if before is not None and before.fate is not Fate.STANDS:
        return "fallen_before"
    if after.fate is not Fate.STANDS:
        return "refuted"
    return "upheld" if after.tried is Tried.RECORDED else "open"


def _row(view: View, said: int | None) -> ClaimRow | None:
    """The claim that was said, or said again, at this event."""
    for place in range(len(view) - 1, -1, -1):
        claim = view.claim(place)
        if said is not None and (claim.index == said or said in claim.again):
            return view.row(place)
    return None
