"""Reads a session once, and finds in it the question that is to be promoted, with all that is known of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path

from bank.drafting.sentences import sentences
from bank.effects.record import Outcome
from bank.errors import BankError
from kernelseek_tui.decisions.watch import Watch
from kernelseek_tui.effects.arrivals import Arrival, arrivals
from kernelseek_tui.effects.outcome import outcome
from kernelseek_tui.effects.window import Window, window
from kernelseek_tui.review.acts import read_message
from kernelseek_tui.review.curve import Scores, Series
from kernelseek_tui.review.ledger import Ledger, View
from sessions import events as ev
from sessions.archive.exporting import redactor_here
from sessions.archive.redactor import Redactor
from sessions.redaction import redact_secrets
from sessions.seen import Seen
from sessions.state import SessionState
from sessions.transcript import TranscriptStream

Asking = ev.HumanMessage | ev.QuestionAsked

_FORBIDS = re.compile(r"\W*do(?: not|n['’]t)\b", re.IGNORECASE)
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")


@dataclass(slots=True)
class Read:
    """A session as promotion needs it. `lines`: the first event of each line of the file, and its messages.

    `problems` counts lines that could not be read.
    """

    path: Path
    state: SessionState
    series: Series
    ledger: Ledger
    decisions: list[Seen[ev.DecisionPoint]]
    redactor: Redactor
    lines: dict[int, list[int]] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    asking: dict[int, Asking] = field(default_factory=dict)
    problems: int = 0

    def view(self) -> Callable[[int], View]:
        """The claim ledger as it was known after an event."""
        return cache(lambda at: self.ledger.view(self.state.as_of(at)))

    @property
    def session(self) -> str:
        """The session's own id where it is one and names nobody, else a hash of the file."""
        started = self.state.started
        named = started.session if started else ""
        if named and _SAFE_ID.fullmatch(named) and ":" not in named and self.redactor.text(named) == named:
            return named
        return f"file-{_hash(self.path)}"


@dataclass(frozen=True, slots=True)
class Asked:
    """The question: its event with its index, the window of what followed, and that as measured."""

    event: Asking
    index: int
    span: Window
    outcome: Outcome

    @property
    def id(self) -> str:
        """The event's id where it is a plain one, else its index."""
        named = self.event.id
        plain = _SAFE_ID.fullmatch(named) and redact_secrets(named) == named
        return named if plain else f"index-{self.index}"


def read_session(path: Path, progress: Callable[[int], None] | None = None) -> Read:
    """Read a journal, a session by id, or any transcript. Raises `RefusedInput` for what is none.

    `progress` is called with the lines read. A damaged line costs itself and is counted.
    """
    stream = TranscriptStream(path)
    state, scores, watch, redactor = SessionState(), Scores(), Watch(), redactor_here()
    ledger = Ledger(scores)
    today: list[Seen[ev.DecisionPoint]] = []
    read = Read(stream.path, state, Series(), ledger, today, redactor)
    for event in stream:
        state.apply(event)
        scores.take(state, event)
        ledger.take(state, event)
        today += [Seen(state.count - 1, point) for point in watch.look(state, event)]
        redactor.learn_event(event)
        here = state.count - 1
        # Lines of the main file as they are read: events of a journal carry their driver's places.
        read.lines.setdefault(stream.accounts[0].entries - 1, []).append(here)
        read.kinds[here] = event.kind
        if isinstance(event, ev.HumanMessage | ev.QuestionAsked):
            read.asking[here] = event
        if progress is not None:
            progress(stream.accounts[0].entries)
    today += [Seen(state.count - 1, point) for point in watch.close(state)]
    read.decisions = state.decisions or today
    read.series = scores.series(state)
    read.problems = len(state.problems)
    return read


def find_asked(read: Read, named: str) -> Asked:
    """The question that `named` means, an event's id or else a 0-based line.

    Raises `BankError` for an event that is not there, is no message of a person, asks nothing, never reached
    the agent, or came from the bank.
    """
    index = _index(read, named)
    event = read.asking.get(index)
    if event is None or event.agent is not None:
        what = "a subagent's task" if event is not None else f"of the kind {read.kinds[index]}"
        raise BankError(f"event {named} is {what}, name a person's message or a typed question")
    came = arrivals(read.state)
    place = next((place for place, one in enumerate(came) if one.asked == index), None)
    if place is None and isinstance(event, ev.HumanMessage):
        # The transcript's echo of a question that the journal has as asked.
        sent = [
            n
            for n, one in enumerate(came)
            if one.asked < index and one.event.text.strip() == event.text.strip()
        ]
        place = sent[-1] if sent else None
        event = came[place].event if place is not None else event
    _refuse(event, named)
    if place is None:
        raise BankError(f"question {named} never reached the agent, name one that it was asked")
    return _measured(read, came, place)


def _refuse(event: Asking, named: str) -> None:
    if isinstance(event, ev.QuestionAsked):
        if event.entry is not None:
            raise BankError(f"question {named} is the entry {event.entry}, see `kernelseek bank show`")
        if event.questioner != "human":
            raise BankError(f"question {named} was asked by the program, name one that a person asked")
    if not questions_of(event.text):
        raise BankError(f"message {named} asks no question, name one that does")


def questions_of(text: str) -> list[str]:
    """The sentences of a message that ask; "do not touch it" begins as a question does and is none."""
    found = [one for one in sentences(text) if read_message(one).asks and not _FORBIDS.match(one)]
    return [one for one in found if one.rstrip().endswith(("?", "？"))] or found


def _index(read: Read, named: str) -> int:
    index = read.state.event_index(named)
    if index is not None:
        return index
    # isdecimal also holds for digits of other scripts, and int() refuses thousands of them.
    if named.isascii() and named.isdecimal() and len(named) < 12 and int(named) in read.lines:
        here = read.lines[int(named)]
        return next((place for place in here if place in read.asking), here[0])
    raise BankError(
        f"there is no event {named}, name an event's id or a 0-based line that holds one, "
        "as `kernelseek inspect` shows them"
    )


def _measured(read: Read, came: list[Arrival], place: int) -> Asked:
    arrival = came[place]
    following = next((one.start for one in came[place + 1 :] if one.start > arrival.start), None)
    span = window(read.state, read.series, arrival.start, following)
    decision = next((seen.event for seen in reversed(points_before(read, arrival))), None)
    found = outcome(read.state, read.series, span, decision, read.view())
    return Asked(arrival.event, arrival.asked, span, found)


def points_before(read: Read, arrival: Arrival | Asked) -> list[Seen[ev.DecisionPoint]]:
    """The decision points that a question answers: the one it names, else the nearest before it.

    Several where they were seen at once.
    """
    event = arrival.event
    at = arrival.asked if isinstance(arrival, Arrival) else arrival.index
    named = [seen for seen in read.decisions if event.parent and seen.event.id == event.parent]
    if named:
        return named
    earlier = [seen for seen in read.decisions if seen.index < at]
    return [seen for seen in earlier if seen.index == earlier[-1].index]


def _hash(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:12]
