"""What should be asked, and when, over a stream of events: one fold for live sessions and archives alike."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bank.bank import Bank
from bank.ranking import Ranker
from kernelseek_tui.decisions.watch import Watch
from sessions.events import AnyEvent, DecisionPoint, Suggestion
from sessions.state import SessionState

SUGGESTIONS = 5
_PACKED_EVERY = 256  # events


@dataclass(frozen=True, slots=True)
class Moment:
    """A decision point with what would be asked there, best first.

    `index` is the event after which it was seen, from 0. The event that raised it may lie before that, when
    a command was still running: it is the first of the decision's evidence, and its `parent`.
    """

    index: int
    decision: DecisionPoint
    suggestions: Sequence[Suggestion]


class Seer:
    """Folds events and sees moments. Ranks with the bank as the state stands at each moment.

    `ranker`: how it ranks, if not by the rules alone. `packs`: the state is kept small (`SessionState.pack`),
    for transcripts of any length.
    """

    def __init__(
        self,
        bank: Bank,
        watch: Watch | None = None,
        limit: int = SUGGESTIONS,
        packs: bool = False,
        ranker: Ranker | None = None,
    ) -> None:
        self.state = SessionState()
        self._packs = packs
        self.bank = bank
        self._ranker = ranker or Ranker(bank)
        self._watch = watch or Watch()
        self._limit = limit

    def see(self, event: AnyEvent) -> list[Moment]:
        """Take in the next event; the moments it leads to. Nothing that came later is looked at."""
        self.state.apply(event)
        moments = self._moments(self._watch.look(self.state, event))
        if self._packs and self.state.count % _PACKED_EVERY == 0:
            self.state.pack()
        return moments

    def close(self) -> list[Moment]:
        """What still waited for a command to end when the events ran out."""
        return self._moments(self._watch.close(self.state))

    def _moments(self, decisions: Iterable[DecisionPoint]) -> list[Moment]:
        return [
            Moment(
                self.state.count - 1,
                decision,
                tuple(self._ranker.rank(self.state, decision.decision, self._limit)),
            )
            for decision in decisions
        ]
