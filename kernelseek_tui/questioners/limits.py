"""Budget and cool-down that every automatic questioner keeps."""

from dataclasses import dataclass

from sessions.events import DecisionPoint
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind


@dataclass(frozen=True, slots=True)
class Limits:
    """How often an automatic questioner may speak.

    `questions`: at most this many in a session. The study's steered arm needed 17 questions among its 40
    messages (arXiv 2611.03517), so 20 leaves room and still bounds a loop.
    `cool_down_turns`: agent turns that must lie between two questions, so that an answer can be worked out
    before the next one comes. A claimed completion is exempt: the agent is about to stop, and a question
    then interrupts nothing.
    `fruitless`: after so many questions in a row that led to no edit and no evaluation, nothing more is
    asked until one comes. An agent that has stopped listening is not talked at for money (a guess).
    """

    questions: int = 20
    cool_down_turns: int = 3
    fruitless: int = 6

    def refusal(self, state: SessionState, decision: DecisionPoint) -> str | None:
        """Why nothing may be asked now, or None."""
        if len(state.asked) >= self.questions:
            return f"the budget of {self.questions} questions is spent"
        moved = max((seen[-1].index for seen in (state.edits, state.evaluations) if seen), default=-1)
        if sum(seen.index > moved for seen in state.asked) >= self.fruitless:
            return f"the last {self.fruitless} questions led to no edit and no evaluation"
        if not state.asked or decision.decision is DecisionKind.CLAIMED_COMPLETION:
            return None
        since = state.turns - state.as_of(state.asked[-1].index).turns
        if since < self.cool_down_turns:
            return f"cooling down: {since} of {self.cool_down_turns} turns since the last question"
        return None
