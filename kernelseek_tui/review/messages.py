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


class Echoes:
    """Tells a question's echo in the transcript from a message of its own; `take` them in order."""

    def __init__(self) -> None:
        self._sent: deque[str] = deque(maxlen=64)

    def take(self, event: ev.HumanMessage | ev.QuestionAsked) -> bool:
        """Whether the message is the echo of a question that was asked before."""
        text = event.text.strip()
        if isinstance(event, ev.QuestionAsked):
            self._sent.append(text)
        elif text in self._sent:
            self._sent.remove(text)
            return True
        return False


def messages(state: SessionState) -> list[Message]:
    """The messages of a session, oldest first."""
    placed: list[tuple[int, ev.HumanMessage | ev.QuestionAsked]] = [
        *((seen.index, seen.event) for seen in state.human if seen.event.agent is None),
        *((seen.index, seen.event) for seen in state.asked),
    ]
    placed.sort(key=lambda item: item[0])
    echoes = Echoes()
    found: list[Message] = []
    for index, event in placed:
        if echoes.take(event):
            continue
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
