"""The control for ranking: any entry of the bank, at the same moments."""

from collections.abc import Sequence
from random import Random

from kernelseek_tui.questioners.limits import Limits
from kernelseek_tui.questioners.protocol import Ask, Move, Silent
from sessions.events import DecisionPoint, Suggestion
from sessions.state import SessionState


class AtRandom:
    """Draws uniformly from `entries` (id, text), never one twice, whatever was suggested.

    The same seed and session give the same questions.
    """

    name = "random"

    def __init__(self, entries: Sequence[tuple[str, str]], seed: int, limits: Limits | None = None) -> None:
        self.entries = tuple(entries)
        self.limits = limits or Limits()
        self._random = Random(seed)

    def decide(self, state: SessionState, decision: DecisionPoint, suggestions: Sequence[Suggestion]) -> Move:
        """Ask a drawn entry."""
        if refusal := self.limits.refusal(state, decision):
            return Silent(refusal)
        asked = {seen.event.entry for seen in state.asked}
        left = [entry for entry in self.entries if entry[0] not in asked]
        if not left:
            return Silent("every entry of the bank was asked before")
        entry, text = self._random.choice(left)
        return Ask(text, entry, 1 / len(left))
