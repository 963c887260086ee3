"""One session's records: read once from end to end, then measured."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bank.effects.record import Outcome, Record
from kernelseek_tui.decisions.watch import Watch
from kernelseek_tui.effects.arrivals import not_arrived
from kernelseek_tui.effects.earlier import Earlier
from kernelseek_tui.effects.outcome import outcome
from kernelseek_tui.effects.points import Asked, Unasked, asked, asks, tokens, unasked
from kernelseek_tui.effects.wording import Wordings
from kernelseek_tui.reports.build import name_of, short
from kernelseek_tui.review.curve import Scores, finite
from kernelseek_tui.review.ledger import Ledger, View
from sessions import events as ev
from sessions.seen import Seen
from sessions.state import SessionState
from sessions.transcript import TranscriptStream

_NAME = 120  # characters of a name that a record keeps
_NOT_ASKED = "Not asked: "


@dataclass(slots=True)
class Measured:
    """A session's records; `not_arrived` counts questions that never reached the agent."""

    records: list[Record] = field(default_factory=list)
    not_arrived: int = 0


def measure_file(path: Path, wordings: Wordings, progress: Callable[[int], None] | None = None) -> Measured:
    """Measure any readable transcript. `progress` is called with the lines read, now and then.

    Raises `RefusedInput` for a file that is none.
    """
    stream = TranscriptStream(path)
    return measure(_told(stream, progress), name_of(stream.path), wordings)


def measure(events: Iterable[ev.AnyEvent], name: str, wordings: Wordings) -> Measured:
    """Measure a session; `name` is what it is called where it does not say itself."""
    state, scores, watch = SessionState(), Scores(), Watch()
    ledger = Ledger(scores)
    today: list[Seen[ev.DecisionPoint]] = []
    for event in events:
        state.apply(event)
        scores.take(state, event)
        ledger.take(state, event)
        today += [Seen(state.count - 1, point) for point in watch.look(state, event)]
    today += [Seen(state.count - 1, point) for point in watch.close(state)]
    # A journal says itself what was flagged; of a transcript by others today's detectors say it.
    decisions = state.decisions or today

    @cache
    def view(at: int) -> View:
        return ledger.view(state.as_of(at))

    series = scores.series(state)
    session = _Session(state, name)
    earlier = Earlier(state, series)
    records = [
        session.asked(one, outcome(state, series, one.span, one.decision, view, earlier))
        for one in asked(state, series, decisions, wordings)
    ]
    records += [
        session.unasked(one, outcome(state, series, one.span, one.seen.event, view, earlier))
        for one in unasked(state, series, decisions)
    ]
    return Measured(records, not_arrived(state))


class _Session:
    """What all records of a session share."""

    def __init__(self, state: SessionState, name: str) -> None:
        started = state.started
        self._name = short(started.session, _NAME) if started and started.session else name
        self._state = state
        self._agent = short(started.agent_name, _NAME) if started else ""
        self._model = short(started.model or "", _NAME) if started else ""
        self._operator = short(started.operator or "", _NAME) if started else ""
        self._asks = short(started.questioner or "", _NAME) if started else ""
        self._banks = {seen.event.parent: short(seen.event.bank_version, _NAME) for seen in state.shown}
        self._silent = {
            seen.event.parent: short(seen.event.text.removeprefix(_NOT_ASKED), _NAME)
            for seen in state.notes
            if seen.event.text.startswith(_NOT_ASKED)
        }

    def asked(self, one: Asked, found: Outcome) -> Record:
        event, question = one.arrival.event, _question(one)
        by = short(question.questioner, _NAME) if question is not None else "human"
        return Record(
            what="asked" if one.entry is not None else "own_words" if by == "human" else "program",
            event=short(event.id, _NAME),
            index=one.arrival.asked,
            by=by,
            entry=short(one.entry, _NAME) if one.entry is not None else None,
            group=short(one.group, _NAME) if one.group is not None else None,
            text=sha256(event.text.encode("utf-8", "surrogatepass")).hexdigest()[:16],
            wording=one.wording,
            edited=question is not None and question.edited,
            together=one.together,
            asks=asks(one),
            tokens=tokens(event.text),
            propensity=finite(question.propensity) if question is not None else None,
            outcome=found,
            **self._shared(one.decision),
        )

    def unasked(self, one: Unasked, found: Outcome) -> Record:
        event = one.seen.event
        return Record(
            what="matched",
            event=short(event.id, _NAME),
            index=one.seen.index,
            by=self._asks,
            asks=False,
            silent=self._silent.get(event.id, ""),
            outcome=found,
            **self._shared(event),
        )

    def _shared(self, decision: ev.DecisionPoint | None) -> dict[str, Any]:
        return {
            "session": self._name,
            "kind": decision.decision.value if decision is not None else None,
            "rehearsed": self._state.rehearsed,
            "agent": self._agent,
            "model": self._model,
            "operator": self._operator,
            "bank": self._banks.get(decision.id, "") if decision is not None else "",
            "detector": short(decision.detector_version, _NAME) if decision is not None else "",
            "program": _program(),
        }


def _question(one: Asked) -> ev.QuestionAsked | None:
    event = one.arrival.event
    return event if isinstance(event, ev.QuestionAsked) else None


@cache
def _program() -> str:
    try:
        return version("kernelseek-tui")
    except PackageNotFoundError:
        return ""


def _told(stream: TranscriptStream, progress: Callable[[int], None] | None) -> Iterator[ev.AnyEvent]:
    for event in stream:
        yield event
        if progress is not None:
            progress(stream.reader.account.entries)
