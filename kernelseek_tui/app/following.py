"""What a screen follows of an agent's conduct: its claims, and how much of what it reads is its own source.

Loading this loads the claim phrases, so a screen does it after its first frame.
"""

from bisect import bisect_right

from bank.effects.record import Outcome
from kernelseek_tui.app.score import Conduct
from kernelseek_tui.effects.developing import Developing
from kernelseek_tui.review.curve import Scores
from kernelseek_tui.review.ledger import Ledger, View
from kernelseek_tui.review.reading_share import ReadingShare
from sessions import events as ev
from sessions.state import SessionState


class Following:
    """Takes events one by one, and says what was known of them after any that it has taken."""

    def __init__(self) -> None:
        self.state = SessionState()
        self._scores = Scores()
        self._ledger = Ledger(self._scores)
        self._reading = ReadingShare()
        self._outcomes = Developing(self._scores, lambda at: self._ledger.view(self.state.as_of(at)))
        self._shares: list[tuple[int, float]] = []
        self._claims: list[int] = []
        self._bare = [0]

    @property
    def count(self) -> int:
        """Events taken so far."""
        return self.state.count

    def take(self, event: ev.AnyEvent) -> None:
        """Take in the next event."""
        self.state.apply(event)
        self._scores.take(self.state, event)
        self._ledger.take(self.state, event)
        for claim in self._ledger.claims[len(self._claims) :]:
            self._claims.append(claim.index)
            self._bare.append(self._bare[-1] + (claim.bound is None))
        results = self._reading.results
        self._reading.take(self.state, event)
        if self._reading.results != results and self._reading.share is not None:
            self._shares.append((self.count - 1, self._reading.share))

    def conduct(self, known: int) -> Conduct | None:
        """What is said of the first `known` events; None while they have not all been taken."""
        if known > self.count:
            return None
        shares = bisect_right(self._shares, known - 1, key=lambda item: item[0])
        claims = bisect_right(self._claims, known - 1)
        return Conduct(self._shares[shares - 1][1] if shares else None, claims, self._bare[claims])

    def outcomes(self, known: int) -> dict[int, Outcome] | None:
        """What the questions among the first `known` events led to, by the event that asked; None until those
        have all been taken."""
        if known > self.count:
            return None
        if not self.state.asked or self.state.asked[0].index >= known:
            return {}
        return self._outcomes.at(self.state if known == self.count else self.state.as_of(known - 1))

    def view(self, known: int) -> View:
        """The claims among the first `known` events, or among those of them that have been taken."""
        if known >= self.count:
            return self._ledger.view(self.state)
        return self._ledger.view(self.state.as_of(known - 1) if known > 0 else SessionState())
