"""Every message that reached the agent, once each: a person's, and the questions that were asked for them.

A question of ours is journalled as asked and comes back from the driver as a human message with the same
text; that echo is the same message.
"""

from collections import deque
from dataclasses import dataclass
from datetime import datetime

from kernelseek_tui.review.acts import Read, read_message
from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import Act, Category


@dataclass(frozen=True, slots=True)
class Message:
    """A message to the main agent. `by`: `human`, or the questioner that asked; `entry`: of the bank."""

    index: int
    event: str
    text: str
    by: str
    read: Read
    entry: str | None = None
    first: bool = False
    mid_turn: bool = False
    time: datetime | None = None

    @property
    def act(self) -> Act | None:
        """Its main act, where a rule knows it."""
        return self.read.act

    @property
    def category(self) -> Category | None:
        """The category of its question, if it asks one that a rule knows."""
        return self.read.category


def messages(state: SessionState) -> list[Message]:
    """The messages of a session, oldest first."""
    placed: list[tuple[int, ev.HumanMessage | ev.QuestionAsked]] = [
        *((seen.index, seen.event) for seen in state.human if seen.event.agent is None),
        *((seen.index, seen.event) for seen in state.asked),
    ]
    placed.sort(key=lambda item: item[0])
    sent: deque[str] = deque(maxlen=64)
    found: list[Message] = []
    for index, event in placed:
        if isinstance(event, ev.HumanMessage) and event.text.strip() in sent:
            sent.remove(event.text.strip())
            continue
        asked = isinstance(event, ev.QuestionAsked)
        if asked:
            sent.append(event.text.strip())
        found.append(
            Message(
                index,
                event.id,
                event.text,
                event.questioner if isinstance(event, ev.QuestionAsked) else "human",
                read_message(event.text),
                event.entry if isinstance(event, ev.QuestionAsked) else None,
                first=not found,
                mid_turn=isinstance(event, ev.HumanMessage) and event.mid_turn,
                time=event.time,
            )
        )
    return found
