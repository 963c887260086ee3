"""The transcript as entries: entry i is event i, laid out from what was known when it happened.

Keeps the small facts that drawing needs (which call a result answers, how large an entry is, what is
expanded, which moments were seen where); the text itself stays in the events. What the agent is still
writing (`writing`) is no event yet: it stands under the last entry until it is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from kernelseek_tui.app.glyphs import UNICODE, Glyphs
from kernelseek_tui.app.lines import Line, clip
from kernelseek_tui.app.render import Scene, draw
from kernelseek_tui.app.render.asked import flag
from kernelseek_tui.app.render.said import AGENT_ROWS, HUMAN_ROWS, unfinished
from kernelseek_tui.app.render.tools import DIFF_ROWS, RESULT_ROWS
from kernelseek_tui.app.search import words_of
from kernelseek_tui.app.turns import Turns
from sessions import events as ev

if TYPE_CHECKING:  # the bank need not be loaded before the first screen
    from kernelseek_tui.hindsight import Moment

# Kinds that begin a block of their own: a blank row stands above.
_AIRY = frozenset(
    {"human_message", "agent_text", "tool_call", "edit", "evaluation", "decision_point", "question_asked"}
    | {"session_ended", "goal_verdict", "subagent"}
)
_FULL: dict[str, int] = {
    "human_message": HUMAN_ROWS,
    "agent_text": AGENT_ROWS,
    "tool_result": RESULT_ROWS,
    "edit": DIFF_ROWS,
    "thinking": 0,
    "tool_call": 0,
}
# What may stand between a call and its result without parting them for the reader.
_BETWEEN = (ev.Usage, ev.Edit, ev.Evaluation, ev.GoalVerdict, ev.GapClassified)
_HIDDEN = frozenset({"usage"})


class Book:
    """Entries of a growing session. `width` is the cells a row has."""

    def __init__(self, glyphs: Glyphs = UNICODE) -> None:
        self.glyphs = glyphs
        self.width = 80
        self.events: Sequence[ev.AnyEvent] = ()
        self.turns = Turns()
        self.expanded: set[int] = set()
        self.all_expanded = False
        self.flags: dict[int, list[Moment]] = {}
        self.writing = ""
        self.remarks: dict[int, Line] = {}
        self._sizes: list[tuple[int, int]] = []
        self._calls: dict[str, int] = {}
        self._ids: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._sizes)

    def take(self, events: Sequence[ev.AnyEvent]) -> range:
        """Look at what was added to `events` since the last time; the indices of the new ones."""
        self.events = events
        new = range(len(self._sizes), len(events))
        for index in new:
            event = events[index]
            self.turns.take(event)
            self._ids[event.id] = index
            if isinstance(event, ev.ToolCall):
                self._calls[event.call] = index
            words = words_of(event)
            self._sizes.append((words.count("\n"), len(words)))
        return new

    def index_of(self, event_id: str) -> int | None:
        """The entry of an event id."""
        return self._ids.get(event_id)

    def hidden(self, entry: int) -> bool:
        """The entry has no rows: stepping passes over it."""
        event = self.events[entry]
        if event.kind in _HIDDEN:
            return True
        if isinstance(event, ev.TurnEnded):
            return event.reason == "completed"
        return isinstance(event, ev.AgentText) and not event.text.strip()

    def mark(self, moments: Sequence[Moment]) -> list[int]:
        """Show these moments at their entries, where the session has no decision point of its own.

        Answers which entries look different now.
        """
        before = self.flags
        self.flags = {}
        for moment in moments:
            if moment.decision.id not in self._ids:
                self.flags.setdefault(moment.index, []).append(moment)
        return [
            entry for entry in before.keys() | self.flags.keys() if before.get(entry) != self.flags.get(entry)
        ]

    def remark(self, remarks: dict[int, Line]) -> list[int]:
        """Show these rows under their entries; which entries look different now."""
        before, self.remarks = self.remarks, dict(remarks)
        return [entry for entry in before.keys() | remarks.keys() if before.get(entry) != remarks.get(entry)]

    def write(self, text: str) -> list[int]:
        """The agent is writing `text` (nothing: no more); which entries look different now."""
        if text == self.writing:
            return []
        self.writing = text
        return [len(self) - 1] if len(self) else []

    def toggle(self, entry: int) -> None:
        """Expand or collapse one entry."""
        self.expanded ^= {entry}

    def is_expanded(self, entry: int) -> bool:
        """The entry is shown whole. With all expanded, toggling one collapses it."""
        return (entry in self.expanded) != self.all_expanded

    def estimate(self, entry: int) -> int:
        """About how many rows the entry will take; cheap, exact only by luck."""
        event = self.events[entry]
        below = 3 * len(self.flags.get(entry, ())) + (entry in self.remarks)
        if self.writing and entry == len(self) - 1:
            below += 2 + len(self.writing) // max(20, self.width - 4)
        if self.hidden(entry):
            return below
        breaks, characters = self._sizes[entry]
        rows = breaks + 1 + characters // max(20, self.width - 4)
        limit = _FULL.get(event.kind, 12)
        if not self.is_expanded(entry):
            rows = min(rows, limit + 1) if limit else 1
        return max(1, rows) + (event.kind in _AIRY) + below

    def rows(self, entry: int) -> list[Line]:
        """The entry's rows at the current width, with nothing in them that came later."""
        event = self.events[entry]
        call: ev.ToolCall | None = None
        near = True
        began: datetime | None = None
        if isinstance(event, ev.ToolResult):
            at = self._calls.get(event.call)
            found = self.events[at] if at is not None and at < entry else None
            if isinstance(found, ev.ToolCall):
                call, began = found, found.time
                near = at is not None and all(
                    isinstance(between, _BETWEEN) for between in self.events[at + 1 : entry]
                )
        scene = Scene(
            width=self.width,
            glyphs=self.glyphs,
            expanded=self.is_expanded(entry),
            call=call,
            near=near,
            began=began,
        )
        rows = draw(event, scene)
        if rows and event.kind in _AIRY and entry:
            rows = [(), *rows]
        for moment in self.flags.get(entry, ()):
            rows = [*rows, (), *flag(moment.decision, scene, "would have been flagged here")]
        if entry in self.remarks:
            rows = [*rows, clip(self.remarks[entry], self.width)]
        if self.writing and entry == len(self) - 1:
            rows = [*rows, (), *unfinished(self.writing, scene)]
        return rows
