"""What can become of a claim, kept as events come: messages, measurements, changes of mind."""

import re
from dataclasses import dataclass, field
from typing import TypeGuard

from kernelseek_tui.contracts.disproof import said_plainly, withdrawal
from kernelseek_tui.review.messages import Echoes
from kernelseek_tui.review.told import Numbers
from kernelseek_tui.review.tries import Tries
from sessions import events as ev
from sessions.seen import Seen, ToolRun
from sessions.state import SessionState
from sessions.vocabulary import Activity

_TAKES_BACK = re.compile(
    r"\b(?:i|we) (?:stopped|declared|claimed|called|said|concluded|reported)\b[^.?!]{0,60}"
    r"\b(?:early|premature(?:ly)?|too soon|wrong(?:ly)?)\b|"
    r"\b(?:is|are|was|were|am) (?:not|never) (?:actually |really |yet )*(?:done|finished|complete|"
    r"achieved|met)\b|"
    r"\b(?:isn['’]t|wasn['’]t|aren['’]t) (?:actually |really |yet )*(?:done|finished|complete|achieved|"
    r"met)\b|"
    r"\b(?:completion|conclusion|claim|report|statement)\b[^.?!]{0,30}\b(?:was|is) (?:premature|wrong|"
    r"false|early)\b|"
    r"\bi was wrong\b",
    re.IGNORECASE,
)
_CHECKS = frozenset({Activity.BENCHMARK_RUN, Activity.PROFILE, Activity.HOST_TRACE})


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The main agent took something back in the message at `index`."""

    index: int
    event: str
    quote: str


@dataclass(slots=True)
class Aftermath:
    """Follows a session: `take` every event right after the state took it in.

    Everything is in the order of the events. `limits_back` and `completions_back` are messages that take a
    claim of that kind back, `checks` the calls that measured, `replies` the messages to the agent.
    """

    limits_back: list[TakenBack] = field(default_factory=list)
    completions_back: list[TakenBack] = field(default_factory=list)
    checks: list[ToolRun] = field(default_factory=list)
    replies: list[Seen[ev.HumanMessage | ev.QuestionAsked]] = field(default_factory=list)
    told: Numbers = field(default_factory=Numbers)
    tries: Tries = field(init=False)
    _echoes: Echoes = field(default_factory=Echoes)

    def __post_init__(self) -> None:
        self.tries = Tries(self.told)

    def take(self, state: SessionState, event: ev.AnyEvent) -> None:
        """Take in the newest event."""
        here = state.count - 1
        if isinstance(event, ev.AgentText) and event.agent is None:
            self.told.take(Seen(here, event))
            self._take_back(here, event)
        elif isinstance(event, ev.ToolCall) and state.tools[-1].activity in _CHECKS:
            self.checks.append(state.tools[-1])
        elif _to_the_agent(event) and not self._echoes.take(event):
            self.replies.append(Seen(here, event))
        self.tries.take(state, event)

    def _take_back(self, here: int, event: ev.AgentText) -> None:
        claim = withdrawal(event.text)
        if claim:
            self.limits_back.append(TakenBack(here, event.id, claim))
        if quote := _undone(event.text) or claim:
            self.completions_back.append(TakenBack(here, event.id, quote))


def _to_the_agent(event: ev.AnyEvent) -> TypeGuard[ev.HumanMessage | ev.QuestionAsked]:
    return isinstance(event, ev.QuestionAsked) or (isinstance(event, ev.HumanMessage) and event.agent is None)


def _undone(text: str) -> str | None:
    """The sentence in which a message says that what was called done is not."""
    found = said_plainly(text, _TAKES_BACK)
    return None if found is None else short(found)


def short(text: str, limit: int = 200) -> str:
    """One line of at most `limit` characters."""
    words = " ".join(text[: 4 * limit].split())
    return words if len(words) <= limit else words[: limit - 1] + "…"
