"""When each message reached the agent: typed ones, and questions once they were delivered."""

from collections.abc import Sequence
from dataclasses import dataclass

from kernelseek_tui.review.messages import Echoes
from sessions import events as ev
from sessions.seen import Seen
from sessions.state import SessionState


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message that the main agent had from the event `start` on. `task`: the session began with it."""

    start: int
    asked: int
    event: ev.HumanMessage | ev.QuestionAsked
    task: bool = False


def arrivals(state: SessionState) -> list[Arrival]:
    """The messages that arrived, in the order in which they did.

    A question arrives with the receipt that says so; one without any receipt (journals by other hands) when
    it was asked. One whose newest receipt says failed or queued has not arrived. Its echo in the transcript
    is no message of its own.
    """
    receipts: dict[str, Seen[ev.QuestionReceipt]] = {}
    for receipt in state.receipts:
        if receipt.event.parent is not None:
            receipts[receipt.event.parent] = receipt
    echoes = Echoes()
    found: list[Arrival] = []
    first = True
    for index, event in _sent(state):
        if echoes.take(event):
            continue
        start, arrived = index, True
        if isinstance(event, ev.QuestionAsked):
            newest = receipts.get(event.id)
            if newest is not None:
                arrived = newest.event.receipt in ("delivered", "own_turn")
                start = max(index, newest.index)
        if arrived:
            found.append(Arrival(start, index, event, first and isinstance(event, ev.HumanMessage)))
        first = False
    return sorted(found, key=lambda one: (one.start, one.asked))


def not_arrived(state: SessionState) -> int:
    """How many questions were sent and are not known to have reached the agent."""
    return len(state.asked) - sum(isinstance(one.event, ev.QuestionAsked) for one in arrivals(state))


def _sent(state: SessionState) -> Sequence[tuple[int, ev.HumanMessage | ev.QuestionAsked]]:
    items: list[tuple[int, ev.HumanMessage | ev.QuestionAsked]] = [
        *((seen.index, seen.event) for seen in state.human if seen.event.agent is None),
        *((seen.index, seen.event) for seen in state.asked),
    ]
    return sorted(items, key=lambda item: item[0])
