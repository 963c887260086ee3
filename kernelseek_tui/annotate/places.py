"""Where labels stand in a transcript: which events may hold one, and which event a label means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sessions import events as ev
from sessions.labels import Label, Where

if TYPE_CHECKING:  # the bank need not be loaded before the first screen
    from kernelseek_tui.hindsight import Moment

SEEN = (ev.DecisionPoint, ev.SuggestionsShown, ev.SuggestionDismissed, ev.Claim)
"""What a detector or the copilot made of a session: whoever labels blindly sees none of it."""


def blinded(event: ev.AnyEvent) -> ev.AnyEvent | None:
    """The event as a blind annotator sees it; None: not at all. A question keeps its words only."""
    if isinstance(event, SEEN) or (isinstance(event, ev.Note) and event.author == "kernelseek"):
        return None
    if isinstance(event, ev.QuestionAsked):
        return event.model_copy(update={"entry": None, "parent": None})
    return event


def said(event: ev.AnyEvent) -> bool:
    """A person's message, or a question that was put to the agent."""
    return isinstance(event, ev.HumanMessage | ev.QuestionAsked)


class Places:
    """Places of one transcript. `journal`: it is one of ours, where event i stands in line i.

    `take` hears of each event in order; indices are those of the events taken.
    """

    def __init__(self, file: str, journal: bool) -> None:
        self._file = file
        self._journal = journal
        self._ids: dict[str, int] = {}
        self._entries: dict[tuple[str | None, int], int] = {}
        self._where: list[Where] = []
        self.messages: list[int] = []

    def __len__(self) -> int:
        return len(self._where)

    def take(self, event: ev.AnyEvent, line: int) -> None:
        """The next event, and how many events of the file came before it."""
        index = len(self._where)
        source = event.source
        part = None
        if source is not None and not self._journal:
            line = source.line
            part = None if source.file == self._file else source.file
        self._where.append(Where(entry=line, event=event.id, part=part))
        self._ids[event.id] = index
        self._entries.setdefault((part, line), index)
        if said(event):
            self.messages.append(index)

    def where(self, index: int) -> Where:
        """The place of an event."""
        return self._where[index]

    def index_of(self, label: Label) -> int | None:
        """The event that a label means: by its id, else the first of its entry."""
        where = label.where
        if where.event is not None and where.event in self._ids:
            return self._ids[where.event]
        return self._entries.get((where.part, where.entry))

    def candidates(self, moments: Iterable[Moment]) -> list[int]:
        """Events worth a label, in order: people's messages, and what raised a moment."""
        raised = (self._ids.get(moment.decision.evidence[0].event) for moment in moments)
        return sorted({*self.messages, *(index for index in raised if index is not None)})


def beyond(places: Sequence[int], cursor: int, step: int) -> int | None:
    """The nearest of `places` after (or before) the cursor."""
    ahead = [place for place in places if (place > cursor if step > 0 else place < cursor)]
    return (ahead[0] if step > 0 else ahead[-1]) if ahead else None
