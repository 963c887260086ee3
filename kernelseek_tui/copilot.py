"""Journal to suggestions: takes a session's events in, one at a time, and says what should be asked.

Synchronous and without a clock of its own. The one place where events get their ids and reach the journal;
whatever is shown was written first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kernelseek_tui.contracts.watch import Contracts
from kernelseek_tui.decisions.claims import claims_in
from kernelseek_tui.hindsight import Moment, Seer
from kernelseek_tui.questioners.protocol import Ask, Questioner, Silent
from sessions import events as ev
from sessions.journal import Journal
from sessions.recognise import Recognition
from sessions.state import SessionState

_OWN = (
    ev.Claim,
    ev.DecisionPoint,
    ev.SuggestionsShown,
    ev.SuggestionDismissed,
    ev.QuestionAsked,
    ev.QuestionReceipt,
    ev.Note,
    ev.ReaderProblem,
)
"""What this program makes of a session's events."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that is in the journal and has to be sent now; `question` is its event id."""

    question: str
    text: str


class Copilot:
    """Owns the journal of a live session.

    `take` journals an event and everything that follows from it (claims, decision points, suggestions,
    why nothing was asked) and returns the questions to send now. `listener(index)` is called for every
    event after it is on disk. `recognition` makes evaluations of what the agent's own benchmarks printed,
    marked as parsed; None makes none.
    """

    def __init__(
        self,
        journal: Journal,
        seer: Seer,
        questioner: Questioner,
        bank_version: str,
        recognition: Recognition | None = None,
    ) -> None:
        self.journal = journal
        self.seer = seer
        self.questioner = questioner
        self.bank_version = bank_version
        self._recognition = recognition
        self.events: list[ev.AnyEvent] = []
        self.moments: list[Moment] = []
        self.listeners: list[Callable[[int], None]] = []
        self._ids: dict[str, str] = {}
        self._contracts = Contracts()
        self._late: tuple[ev.AnyEvent, Sequence[Moment], Sequence[ev.AnyEvent]] | None = None

    @property
    def state(self) -> SessionState:
        """The state folded over `events`."""
        return self.seer.state

    def restore(self, events: Sequence[ev.AnyEvent]) -> None:
        """Take up a session where its journal ends; before anything else. Nothing is written or asked.

        What a killed owner had not come to write about the last event follows with `catch_up`.
        """
        self.events = list(events)
        shown = {e.parent: e.suggestions for e in events if isinstance(e, ev.SuggestionsShown)}
        last = max((i for i, e in enumerate(events) if not isinstance(e, _OWN)), default=-1)
        for index, event in enumerate(events):
            seen = self.seer.see(event)
            if index == last:
                self._late = (event, seen, events[last + 1 :])
            if isinstance(event, ev.DecisionPoint):
                self.moments.append(Moment(index, event, shown.get(event.id, ())))
            self._contracts.look(self.state, event)
            self._recognised(event)  # what came of it stands in the journal already

    def catch_up(self) -> list[Pending]:
        """After `restore`: the questions that no agent has yet, and those of a moment not written down."""
        settled = {
            e.parent for e in self.events if isinstance(e, ev.QuestionReceipt) and e.receipt != "queued"
        }
        asked = [e for e in self.events if isinstance(e, ev.QuestionAsked) and e.id not in settled]
        pending = [Pending(question.id, question.text) for question in asked]
        if self._late is not None:
            event, moments, after = self._late
            self._late = None
            claimed = {(e.claim, e.quote) for e in after if isinstance(e, ev.Claim)}
            for claim, quote in claims_in(event):
                if (claim, quote) not in claimed:
                    self._write(ev.Claim(id="", parent=event.id, claim=claim, quote=quote))
            decided = {e.decision for e in after if isinstance(e, ev.DecisionPoint)}
            for moment in moments:
                if moment.decision.decision not in decided:
                    pending += self._decide(moment)
        return pending

    def take(self, event: ev.AnyEvent) -> list[Pending]:
        """Take in one event of a driver or of the session itself."""
        written, moments = self._write(event)
        for claim, quote in claims_in(written):
            self._write(ev.Claim(id="", parent=written.id, claim=claim, quote=quote))
        pending = []
        for moment in moments:
            pending += self._decide(moment)
        for breach in self._contracts.look(self.state, written):
            self._write(ev.Note(id="", parent=breach.event, text=breach.text, author="contract"))
        for evaluation in self._recognised(written):
            pending += self.take(evaluation.model_copy(update={"parent": written.id}))
        return pending

    def _recognised(self, event: ev.AnyEvent) -> list[ev.Evaluation]:
        return self._recognition.look(event) if self._recognition is not None else []

    def ask(
        self,
        text: str,
        *,
        entry: str | None,
        decision: str | None,
        by: str,
        edited: bool = False,
        propensity: float | None = None,
    ) -> Pending:
        """Journal a question, exactly as it will be sent."""
        asked = ev.QuestionAsked(
            id="",
            parent=decision,
            questioner=by,
            text=text,
            entry=entry,
            edited=edited,
            propensity=propensity,
        )
        return Pending(self.record(asked), text)

    def record(self, event: ev.AnyEvent) -> str:
        """Journal an event from which nothing follows (a question sent, a receipt, a note); its id."""
        written, _ = self._write(event)
        return written.id

    def _decide(self, moment: Moment) -> list[Pending]:
        decision, _ = self._write(moment.decision.model_copy(update={"id": ""}))
        assert isinstance(decision, ev.DecisionPoint)
        self.moments.append(Moment(moment.index, decision, moment.suggestions))
        self._write(
            ev.SuggestionsShown(
                id="",
                parent=decision.id,
                suggestions=tuple(moment.suggestions),
                bank_version=self.bank_version,
            )
        )
        move = self.questioner.decide(self.state, decision, moment.suggestions)
        if isinstance(move, Ask):
            # Written before it is sent: two moments at one event must not outrun the cool-down.
            return [
                self.ask(
                    move.text,
                    entry=move.entry,
                    decision=decision.id,
                    by=self.questioner.name,
                    propensity=move.propensity,
                )
            ]
        if isinstance(move, Silent):
            self._write(ev.Note(id="", parent=decision.id, text=f"Not asked: {move.reason}."))
        return []

    def _write(self, event: ev.AnyEvent) -> tuple[ev.AnyEvent, Sequence[Moment]]:
        """Stamp, journal, fold, tell. A driver's own ids are only good inside the driver."""
        parent = self._ids.get(event.parent, event.parent) if event.parent else None
        time = event.time or datetime.now(UTC)
        written = self.journal.append(event.model_copy(update={"id": "", "time": time, "parent": parent}))
        if event.id:
            self._ids[event.id] = written.id
        self.events.append(written)
        moments = self.seer.see(written)
        for listener in self.listeners:
            listener(len(self.events) - 1)
        return written, moments
