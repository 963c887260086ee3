"""Where a rehearsal broke off, found again by walking along its journal.

A player remembers nothing beyond its process. The journal holds what was said and heard, and the same
conversation always gives the same replies, so the story is told again up to the last event: what the agent
has done is not done twice, and what it had begun is finished.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelseek_tui.agents.lines.tools import INTERRUPTED
from kernelseek_tui.agents.rehearsal.script import Script, ScriptError
from kernelseek_tui.agents.rehearsal.story import Outcome, Reply, Story
from sessions import events as ev

_HEARD = ("delivered", "own_turn")


class OtherStoryError(Exception):
    """The journal does not tell the story of this script with this seed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a player goes on.

    `story` is a saved `Story`; `done` is what came of the first calls of the reply that broke off. `waiting`:
    the agent's turn was over and it waits for a message. `all_said`: only the word of its end is missing.
    `replies` and `calls` were counted so far.
    """

    story: dict[str, Any]
    done: tuple[Outcome, ...]
    waiting: bool
    all_said: bool
    replies: int
    calls: int


def find_place(events: Sequence[ev.AnyEvent], script: Script, seed: int, workspace: str) -> Place:
    """The place at the end of `events`. Raises `OtherStoryError`."""
    walk = _Walk(Story(script, seed, workspace), events)
    try:
        for index, event in enumerate(events):
            walk.take(index, event)
        return walk.place()
    except (ScriptError, IndexError) as error:
        raise OtherStoryError(str(error)) from error


@dataclass(slots=True)
class _Walk:
    story: Story
    events: Sequence[ev.AnyEvent]
    replies: int = 0
    calls: int = 0
    waiting: bool = True
    _message: str = ""
    _reply: Reply | None = None
    _said: int = 0
    _made: list[str] = field(default_factory=list)
    _done: list[Outcome] = field(default_factory=list)
    _edited: list[Outcome] = field(default_factory=list)
    _before: int = 0
    _asked: dict[str, str] = field(default_factory=dict)
    _heard: set[str] = field(default_factory=set)
    _next_turn: list[str] = field(default_factory=list)

    def take(self, index: int, event: ev.AnyEvent) -> None:
        """Take in the event at `index`."""
        match event:
            case ev.HumanMessage():
                self._hear(event.text)
            case ev.QuestionAsked():
                self._asked[event.id] = event.text
            case ev.QuestionReceipt(receipt=word) if word in _HEARD:
                self._hear_question(event.parent or "", word)
            case ev.AgentText():
                reply = self._replying(index, event.message or "")
                self._expect(reply.texts[self._said : self._said + 1] == (event.text,))
                self._said += 1
            case ev.ToolCall():
                reply = self._replying(index, event.message or "")
                at = self._before + len(self._made)
                self._expect(at < len(reply.calls) and self._said == len(reply.texts))
                self._expect((reply.calls[at].tool, reply.calls[at].input) == (event.tool, event.input))
                self._made.append(event.call)
                self.calls += 1
            case ev.Edit(path=path) if self._reply is not None:
                # Made, whether or not its result comes to the journal.
                self._edited = [Outcome(f"The file {path} has been updated.")]
            case ev.ToolResult():
                self._expect(self._reply is not None and event.call in self._made)
                self._result(event)
            case ev.TurnEnded(reason=reason):
                # A failed turn is one that its player did not live to finish: it goes on.
                self.waiting = reason != "failed"
                if self.waiting:
                    self._reply, self._done, self._edited, self._before = None, [], [], 0
                    self._turn_over()
            case ev.SessionStarted() if index:
                self._resumed()
            case _:
                pass

    def place(self) -> Place:
        """Where a player that comes now goes on."""
        ahead = Story(self.story.script, self.story.seed, self.story.workspace)
        ahead.restore(self.story.saved())
        done, all_said = [*self._done, *self._edited], False
        if self._reply is not None and self._reply.calls and len(done) == len(self._reply.calls):
            ahead.results(done)
            done = []
        elif self._reply is not None:
            # Asked again the story gives the same calls, but only the words that were put into its mouth.
            left = self._reply.texts[self._said :]
            ahead.restore({**ahead.saved(), "opening_words": left})
            all_said = not self._reply.calls and not left
        if all_said and self._next_turn:
            all_said = False
            for text in self._next_turn:
                ahead.hear(text)
        return Place(ahead.saved(), tuple(done), self.waiting, all_said, self.replies, self.calls)

    def _hear(self, text: str) -> None:
        self.waiting = False
        self.story.hear(text)

    def _hear_question(self, question: str, word: str) -> None:
        if question in self._asked and question not in self._heard:
            self._heard.add(question)
            self._next_turn.append(self._asked[question])
            if self.waiting or word == "delivered":
                self._turn_over()

    def _turn_over(self) -> None:
        """Hear what waited for the end of a turn: the agent may have it before the journal has that end."""
        for text in self._next_turn:
            self._hear(text)
        self._next_turn = []

    def _replying(self, index: int, message: str) -> Reply:
        """The reply that `message` is part of."""
        if self._reply is None or message != self._message:
            if self.waiting:
                self._overtaken(index)
            self._expect(self._reply is None and not self.waiting)
            self._reply, self._message, self._said = self.story.reply(), message, 0
            self._made, self._before = [], len(self._done)
            self.replies += 1
        return self._reply

    def _overtaken(self, index: int) -> None:
        """An answer may reach the journal a moment before the receipt of its question."""
        receipts = (event for event in self.events[index:] if isinstance(event, ev.QuestionReceipt))
        late = next((r for r in receipts if r.receipt in _HEARD and r.parent not in self._heard), None)
        if late is not None:
            self._hear_question(late.parent or "", late.receipt)

    def _result(self, event: ev.ToolResult) -> None:
        reply = self._reply
        assert reply is not None
        self._edited = []
        stopped = event.is_error and event.output.endswith(INTERRUPTED)
        self._done.append(Outcome(event.output, event.is_error, stopped))
        if len(self._done) == len(reply.calls):
            self.story.results(self._done)
            self._reply, self._done, self._before = None, [], 0

    def _resumed(self) -> None:
        """A player took over here: it went on as `place` said."""
        place = self.place()
        self.story.restore(place.story)
        self._done, self._edited, self._next_turn = list(place.done), [], []
        if not place.all_said:
            self._reply = None

    def _expect(self, told: bool) -> None:
        if not told:
            raise OtherStoryError("the journal tells another story")
