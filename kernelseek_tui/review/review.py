"""Everything the review shows, followed over one session: one `take` an event."""

from dataclasses import dataclass, field
from datetime import datetime

from kernelseek_tui.review.curve import Scores
from kernelseek_tui.review.ledger import Ledger
from kernelseek_tui.review.readded import Readded
from kernelseek_tui.review.reading_share import ReadingShare
from kernelseek_tui.review.tally import ActiveTime
from sessions import events as ev
from sessions.state import SessionState


@dataclass(slots=True)
class Review:
    """The folds that need every event as it comes; the rest is read off the state.

    `times` are the events' own, by index. Works live and over archives: `take` right after the state took the
    event in.
    """

    scores: Scores = field(default_factory=Scores)
    reading: ReadingShare = field(default_factory=ReadingShare)
    readded: Readded = field(default_factory=Readded)
    time: ActiveTime = field(default_factory=ActiveTime)
    times: list[datetime | None] = field(default_factory=list)
    ledger: Ledger = field(init=False)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.scores)

    def take(self, state: SessionState, event: ev.AnyEvent) -> None:
        """Take in the newest event."""
        self.times.append(event.time)
        self.scores.take(state, event)
        self.reading.take(state, event)
        self.readded.take(event)
        self.time.take(state, event)
        self.ledger.take(state, event)
