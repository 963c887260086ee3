"""The points of a session that are measured: what was asked, and moments where nothing was."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from bank.question import Question, text_hash
from kernelseek_tui.effects.arrivals import Arrival, arrivals
from kernelseek_tui.effects.window import Window, window
from kernelseek_tui.effects.wording import Wordings
from kernelseek_tui.review.acts import read_message
from kernelseek_tui.review.curve import Series
from sessions import events as ev
from sessions.seen import Seen
from sessions.state import SessionState
from sessions.vocabulary import Act

TOKENS_PER_WORD = 1.35
"""No tokenizer is at hand: the estimate that the bank's own length rule makes, too."""

Decisions = Sequence[Seen[ev.DecisionPoint]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One entry of one message (`entry` and `group` absent for a message that holds none), and its window."""

    arrival: Arrival
    decision: ev.DecisionPoint | None
    entry: str | None
    group: str | None
    wording: str | None
    together: int
    span: Window


@dataclass(frozen=True, slots=True)
class Unasked:
    """A decision point at which nothing was asked, and its window."""

    seen: Seen[ev.DecisionPoint]
    span: Window


def asked(state: SessionState, series: Series, decisions: Decisions, wordings: Wordings) -> list[Asked]:
    """Every message that reached the agent, the task aside; one with several entries once for each."""
    came = arrivals(state)
    starts = [one.start for one in came]
    by_id = {seen.event.id: seen.event for seen in decisions}
    found: list[Asked] = []
    for place, arrival in enumerate(came):
        if arrival.task:
            continue
        later = bisect_right(starts, arrival.start)
        following = starts[later] if later < len(starts) else None
        span = window(state, series, arrival.start, following)
        event = arrival.event
        if isinstance(event, ev.QuestionAsked):
            decision = by_id.get(event.parent or "")
            entries = _entries(state, event, wordings)
        else:
            since = came[place - 1].start if place else -1
            decision = _last(decisions, since, arrival.start)
            entries = []
        if not entries:
            found.append(Asked(arrival, decision, None, None, None, 1, span))
        for entry, group, wording in entries:
            found.append(Asked(arrival, decision, entry, group, wording, len(entries), span))
    return found


def unasked(state: SessionState, series: Series, decisions: Decisions) -> list[Unasked]:
    """Decision points with no message in their window, nor in one that was open when they were seen.

    One that a question answered is none, were it asked later.
    """
    came = [one for one in arrivals(state) if not one.task]
    starts = [one.start for one in came]
    answered = {one.event.parent for one in came if isinstance(one.event, ev.QuestionAsked)}
    found = []
    for seen in decisions:
        span = window(state, series, seen.index)
        earlier = bisect_right(starts, seen.index)
        if seen.event.id in answered or bisect_right(starts, span.end) > earlier:
            continue
        if earlier and window(state, series, starts[earlier - 1]).end >= seen.index:
            continue
        found.append(Unasked(seen, span))
    return found


def tokens(text: str) -> int:
    """The estimated length of a text in tokens."""
    return round(len(text.split()) * TOKENS_PER_WORD)


def asks(one: Asked) -> bool:
    """A message is a question: one of the bank's, or by the rules for what a typed one mainly does."""
    return one.entry is not None or read_message(one.arrival.event.text).act is Act.QUESTION


def _entries(
    state: SessionState, event: ev.QuestionAsked, wordings: Wordings
) -> list[tuple[str, str | None, str | None]]:
    """The entries of a message: id, group, and the hash of the wording where that is the bank's own."""
    if event.entry is None:
        return [(one.id, one.group.value, text_hash(one.question)) for one in wordings.held(event.text)]
    known: Question | None = wordings.bank.find(event.entry)
    as_it_is = wordings.is_entry(event.text, event.entry)
    wording = text_hash(known.question) if known is not None and as_it_is else None
    group = known.group.value if known is not None else _group_shown(state, event)
    return [(event.entry, group, wording)]


def _group_shown(state: SessionState, event: ev.QuestionAsked) -> str | None:
    """The group of an entry that this bank no longer has, as it was shown at the time."""
    shown = (one for seen in state.shown for one in seen.event.suggestions if one.entry == event.entry)
    return next((one.group for one in shown), None)


def _last(decisions: Decisions, after: int, before: int) -> ev.DecisionPoint | None:
    """The newest decision point since the message before: what a person's own words answered, if anything."""
    known = bisect_right(decisions, before, key=lambda seen: seen.index)
    newest = decisions[known - 1] if known else None
    return newest.event if newest is not None and newest.index > after else None
