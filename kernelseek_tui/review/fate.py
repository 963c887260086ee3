"""What became of a claim: taken back, contradicted, beaten, or nothing of the kind; and what was tried."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from enum import StrEnum
from itertools import accumulate
from typing import Any, Protocol, TypeVar

from kernelseek_tui.contracts.numbers import gives_one_of, telling
from kernelseek_tui.review.acts import read_message
from kernelseek_tui.review.aftermath import Aftermath, short
from kernelseek_tui.review.curve import Point, Series
from sessions import events as ev
from sessions.state import SessionState, all_correct
from sessions.vocabulary import Act


class Fate(StrEnum):
    """What became of a claim, the first of these that holds."""

    WITHDRAWN = "withdrawn"
    CONTRADICTED = "contradicted"
    BEATEN = "beaten later"
    STANDS = "stands"


class Tried(StrEnum):
    """Whether somebody tried to prove a claim wrong after it was made."""

    NO = "not tried"
    YES = "tried, not on record"
    RECORDED = "tried and on record"


class Claimed(Protocol):
    """What is looked at of a claim."""

    kind: Any
    index: int
    event: str


T = TypeVar("T")
TOLD_WITHIN = 20
"""Messages within which a measurement's number has to be told to be on record."""

Verdict = tuple[Fate, str, tuple[ev.Evidence, ...]]


class Judge:
    """Looks back on claims as `state` knows them; of a past one, nothing that came later is looked at.

    `after` and `edits` (the events that changed the kernel) may go on behind it; `said` gives the events of
    the claims by kind.
    """

    def __init__(
        self,
        state: SessionState,
        series: Series,
        edits: Sequence[int],
        said: dict[Any, list[int]],
        after: Aftermath,
    ) -> None:
        self._state = state
        self._end = state.count
        self._edits = edits
        self._said = said
        self._after = after
        self._points = [point for point in series.points if point.scores]
        self._bests = list(accumulate(self._points, _better))
        self._peaks = list(accumulate(map(_peak, reversed(self._points)), max))[::-1]
        self._beaters: dict[int, Point | None] = {}

    def tried(self, claim: Claimed) -> tuple[Tried, str]:
        """A limit: the contract's disproof. A completion: a measurement before the kernel changed again."""
        if claim.kind == "limit":
            found = self._after.tries.after(claim.index, self._end)
            if found.tried is None:
                return Tried.NO, found.reason
            return (Tried.RECORDED if found.told else Tried.YES), found.reason
        end = self._next_edit(claim.index)
        if _within(self._state.evaluations, claim.index, end):
            return Tried.RECORDED, "the same version was evaluated again"
        for run in _within(self._after.checks, claim.index, end):
            if run.result is None or (run.result_index or 0) >= self._end:
                continue
            after = _within(self._after.told.texts, run.index, self._end, TOLD_WITHIN)
            readings = telling(run.result.output)
            if any(gives_one_of(text.event.text, readings) for text in after):
                return Tried.RECORDED, "the same version was measured again, and a number of it is told"
            return Tried.YES, "the same version was measured again, but no number of it is told"
        return Tried.NO, "nothing was measured between it and the next change of the kernel"

    def fate(self, claim: Claimed, contradicted: bool) -> Verdict:
        """`contradicted`: what was known when it was said speaks against it already."""
        return (
            self._withdrawn(claim)
            or self._contradicted(claim, contradicted)
            or self._beaten(claim)
            or (Fate.STANDS, "nothing in this session speaks against it", ())
        )

    def _withdrawn(self, claim: Claimed) -> Verdict | None:
        limit = claim.kind == "limit"
        back = _next(self._after.limits_back if limit else self._after.completions_back, claim.index)
        if back is None or back.index >= (self._end if limit else self._next_claim(claim)):
            return None
        evidence = ev.Evidence(event=back.event, quote=back.quote)
        return Fate.WITHDRAWN, "the agent took it back", (evidence,)

    def _contradicted(self, claim: Claimed, known: bool) -> Verdict | None:
        if claim.kind == "completion":
            if known:
                return Fate.CONTRADICTED, "clauses of the goal were unmet when it was said", ()
            end = self._next_edit(claim.index)
            for goal in _within(self._state.goals, claim.index, end):
                if goal.event.met is False:
                    quote = "; ".join(goal.event.unmet[:4]) or goal.event.reason or "not met"
                    said = ev.Evidence(event=goal.event.id, quote=quote)
                    return Fate.CONTRADICTED, "the next verdict on the same version is unmet", (said,)
            for seen in _within(self._state.evaluations, claim.index, end):
                if not all_correct(seen.event):
                    said = ev.Evidence(event=seen.event.id, quote=seen.event.detail or seen.event.status)
                    return Fate.CONTRADICTED, "the next evaluation of the same version is wrong", (said,)
        reply = _next(self._after.replies, claim.index)
        if reply is None or reply.index >= self._next_claim(claim):
            return None
        if read_message(reply.event.text).act is not Act.CORRECTION:
            return None
        said = ev.Evidence(event=reply.event.id, quote=short(reply.event.text))
        return Fate.CONTRADICTED, "the next message corrects the agent", (said,)

    def _beaten(self, claim: Claimed) -> Verdict | None:
        place = bisect_right(self._points, claim.index, key=_index)
        if place == 0:
            return None
        if place not in self._beaters:
            self._beaters[place] = self._first_beater(place)
        best, point = self._bests[place - 1], self._beaters[place]
        if point is None:
            return None
        evidence = tuple(ev.Evidence(event=one.event, quote=f"{one.value or 0:.3g}") for one in (best, point))
        why = f"a later measurement reads {point.value:.3g} after a best of {best.value:.3g}"
        return Fate.BEATEN, why, evidence

    def _first_beater(self, place: int) -> Point | None:
        """The first point from `place` on that beats the best before it."""
        best = self._bests[place - 1]
        for at in range(place, len(self._points)):
            if self._peaks[at] <= (best.value or 0.0) and (best.high is None or self._peaks[at] <= best.high):
                return None  # whatever comes is no higher
            if self._points[at].beats(best):
                return self._points[at]
        return None

    def _next_edit(self, index: int) -> int:
        place = bisect_right(self._edits, index)
        return min(self._end, self._edits[place]) if place < len(self._edits) else self._end

    def _next_claim(self, claim: Claimed) -> int:
        said = self._said[claim.kind]
        place = bisect_right(said, claim.index)
        return min(self._end, said[place]) if place < len(said) else self._end


def _within(items: Sequence[T], after: int, end: int, most: int | None = None) -> Sequence[T]:
    """The items behind the event `after` and before the event `end`, at most so many of them."""
    start, stop = bisect_right(items, after, key=_index), bisect_left(items, end, key=_index)
    return items[start : stop if most is None else min(stop, start + most)]


def _next(items: Sequence[T], after: int) -> T | None:
    """The first item behind the event `after`."""
    place = bisect_right(items, after, key=_index)
    return items[place] if place < len(items) else None


def _better(one: Point, two: Point) -> Point:
    return two if (two.value or 0.0) > (one.value or 0.0) else one


def _peak(point: Point) -> float:
    return max(point.value or 0.0, point.low or 0.0)


def _index(item: Any) -> int:
    index: int = item.index
    return index
