"""What became of a claim: taken back, contradicted, beaten, or nothing of the kind; and what was tried."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import Any, Protocol, TypeVar

from kernelseek_tui.contracts.disproof import Commands, Standing, claimed_limits, disproof_after, withdrawal
from kernelseek_tui.contracts.numbers import gives_one_of, telling
from kernelseek_tui.decisions.claims import mask, sentences
from kernelseek_tui.review.curve import Point, Series
from kernelseek_tui.review.messages import Message, messages
from sessions import events as ev
from sessions.state import SessionState, all_correct
from sessions.vocabulary import Act, Activity


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

_TAKES_BACK = re.compile(
    r"\b(?:i|we) (?:stopped|declared|claimed|called|said|concluded|reported)\b[^.?!]{0,60}"
    r"\b(?:early|premature(?:ly)?|too soon|wrong(?:ly)?)\b|"
    r"\b(?:is|are|was|were|am) (?:not|never) (?:actually |really |yet )*(?:done|finished|complete|"
    r"achieved|met)\b|"
    r"\b(?:isn['’]t|wasn['’]t|aren['’]t) (?:actually |really |yet )*(?:done|finished|complete|achieved|"
    r"met)\b|"
    r"\b(?:completion|conclusion|claim|report|statement)\b[^.?!]{0,30}\b(?:was|is) (?:premature|wrong|"
    r"false|early)\b|"
    r"\bi was wrong\b",
    re.IGNORECASE,
)
_CHECKS = frozenset({Activity.BENCHMARK_RUN, Activity.PROFILE, Activity.HOST_TRACE})


class Judge:
    """Looks back on the claims of a session. `edits` are the events that changed the kernel, in order."""

    def __init__(
        self, state: SessionState, series: Series, edits: Sequence[int], claims: Sequence[Claimed]
    ) -> None:
        self._state = state
        self._edits = edits
        self._claims = claims
        self._texts = [seen for seen in state.texts if seen.event.agent is None]
        self._commands = Commands()
        self._points = [point for point in series.points if point.scores]
        self._bests = list(accumulate(self._points, _better))

    @cached_property
    def _messages(self) -> list[Message]:
        return messages(self._state)

    @cached_property
    def _limits(self) -> dict[str, Any]:
        return {limit.event: limit for limit in claimed_limits(self._state)}

    def tried(self, claim: Claimed) -> tuple[Tried, str]:
        """A limit: the contract's disproof. A completion: a measurement before the kernel changed again."""
        if claim.kind == "limit":
            return self._disproof(claim)
        end = self._next_edit(claim.index)
        if _within(self._state.evaluations, claim.index, end):
            return Tried.RECORDED, "the same version was evaluated again"
        for run in _within(self._state.tools, claim.index, end):
            if run.activity not in _CHECKS or run.result is None:
                continue
            after = _within(self._texts, run.index, self._state.count)[:TOLD_WITHIN]
            readings = telling(run.result.output)
            if any(gives_one_of(text.event.text, readings) for text in after):
                return Tried.RECORDED, "the same version was measured again, and a number of it is told"
            return Tried.YES, "the same version was measured again, but no number of it is told"
        return Tried.NO, "nothing was measured between it and the next change of the kernel"

    def _disproof(self, claim: Claimed) -> tuple[Tried, str]:
        limit = self._limits.get(claim.event)
        if limit is not None and limit.standing in (Standing.OPEN, Standing.STANDS):
            # The contract has looked already: its evidence is the claim, what was tried and where it is told.
            return (Tried.NO, Tried.YES, Tried.RECORDED)[len(limit.evidence) - 1], limit.reason
        found = disproof_after(claim.index, self._state, self._commands)
        if found.tried is None:
            return Tried.NO, found.reason
        return (Tried.RECORDED if found.told else Tried.YES), found.reason

    def fate(self, claim: Claimed, contradicted: bool) -> Verdict:
        """`contradicted`: what was known when it was said speaks against it already."""
        return (
            self._withdrawn(claim)
            or self._contradicted(claim, contradicted)
            or self._beaten(claim)
            or (Fate.STANDS, "nothing in this session speaks against it", ())
        )

    def _withdrawn(self, claim: Claimed) -> Verdict | None:
        why = "the agent took it back"
        if claim.kind == "limit":
            limit = self._limits.get(claim.event)
            back = limit is not None and limit.standing is Standing.WITHDRAWN
            return (Fate.WITHDRAWN, why, limit.evidence[1:]) if limit and back else None
        for text in _within(self._texts, claim.index, self._next_claim(claim)):
            if quote := _undone(text.event.text) or withdrawal(text.event.text):
                return Fate.WITHDRAWN, why, (ev.Evidence(event=text.event.id, quote=quote),)
        return None

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
        reply = next(iter(_within(self._messages, claim.index, self._state.count)), None)
        if reply is not None and reply.act is Act.CORRECTION and reply.index < self._next_claim(claim):
            said = ev.Evidence(event=reply.event, quote=_short(reply.text))
            return Fate.CONTRADICTED, "the next message corrects the agent", (said,)
        return None

    def _beaten(self, claim: Claimed) -> Verdict | None:
        place = bisect_right(self._points, claim.index, key=_index)
        if place == 0:
            return None
        best = self._bests[place - 1]
        for point in self._points[place:]:
            if point.beats(best):
                evidence = tuple(
                    ev.Evidence(event=one.event, quote=f"{one.value or 0:.3g}") for one in (best, point)
                )
                why = f"a later measurement reads {point.value:.3g} after a best of {best.value:.3g}"
                return Fate.BEATEN, why, evidence
        return None

    def _next_edit(self, index: int) -> int:
        place = bisect_right(self._edits, index)
        return self._edits[place] if place < len(self._edits) else self._state.count

    def _next_claim(self, claim: Claimed) -> int:
        later = (one.index for one in self._claims if one.kind == claim.kind and one.index > claim.index)
        return next(later, self._state.count)


def _undone(text: str) -> str | None:
    """The sentence in which a message says that what was called done is not."""
    if not _TAKES_BACK.search(text):
        return None
    prose = mask(text)
    for start, end in sentences(prose):
        sentence = prose[start:end]
        if _TAKES_BACK.search(sentence) and not sentence.rstrip().endswith("?") and " if " not in sentence:
            return _short(text[start:end])
    return None


def _short(text: str, limit: int = 200) -> str:
    words = " ".join(text[: 4 * limit].split())
    return words if len(words) <= limit else words[: limit - 1] + "…"


def _within(items: Sequence[T], after: int, end: int) -> Sequence[T]:
    """The items behind the event `after` and before the event `end`."""
    return items[bisect_right(items, after, key=_index) : bisect_left(items, end, key=_index)]


def _better(one: Point, two: Point) -> Point:
    return two if (two.value or 0.0) > (one.value or 0.0) else one


def _index(item: Any) -> int:
    index: int = item.index
    return index
