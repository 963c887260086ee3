"""The ranked suggestions of a moment, with their reasons; number keys or a click choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.message import Message

from kernelseek_tui.app.advice import SHOWN, standing, suggestion_rows
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, line
from kernelseek_tui.app.painted import Panel
from sessions.events import Suggestion
from sessions.state import SessionState

if TYPE_CHECKING:  # the bank need not be loaded before the first screen
    from kernelseek_tui.hindsight import Moment


class Suggestions(Panel, can_focus=True):
    """Nothing is chosen until a person chooses: Enter alone sends nothing."""

    @dataclass
    class Chosen(Message):
        """A suggestion was clicked."""

        place: int

    def __init__(self, glyphs: Glyphs, *, replay: bool, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(Suggestions.glyphs, glyphs)
        self._replay = replay
        self._moment: Moment | None = None
        self._beside: Moment | None = None
        self._state = SessionState()
        self._recorded = False
        self._places: list[int | None] = []
        self.place: int | None = None

    @property
    def chosen(self) -> Suggestion | None:
        """The suggestion that Enter, e and x mean."""
        if self._moment is None or self.place is None or self.place >= len(self._moment.suggestions):
            return None
        return self._moment.suggestions[self.place]

    def show(
        self, moment: Moment | None, state: SessionState, recorded: bool = False, beside: Moment | None = None
    ) -> None:
        """Draw the suggestions of `moment`; `beside` is what today's version says at the same place."""
        if moment is None or self._moment is None or moment.decision.id != self._moment.decision.id:
            self.place = None
            self.scroll_to(y=0, animate=False)
        self._moment, self._state, self._recorded, self._beside = moment, state, recorded, beside
        self.redraw()

    def choose(self, place: int) -> bool:
        """Choose by place from 0; False where there is none or it was put aside."""
        moment = self._moment
        if moment is None or place >= min(SHOWN, len(moment.suggestions)):
            return False
        if moment.suggestions[place].entry in standing(moment, self._state).aside:
            return False
        self.place = place
        self.redraw()
        rows = [at for at, owner in enumerate(self._places) if owner == place]
        if rows and not self.scroll_offset.y <= rows[0] <= rows[-1] < self.scroll_offset.y + self.size.height:
            self.scroll_to(y=max(0, rows[0] - 1), animate=False)
        return True

    def rows(self, width: int) -> list[Line]:
        """Label, suggestions, and what to press."""
        if self._moment is None:
            self._places = []
            return []
        label = "questions that fit"
        if self._replay:
            label = "was suggested then" if self._recorded else "would have been asked"
        placed = suggestion_rows(self._moment, self.place, self._state, width, self.glyphs, label)
        if self.place is not None and not self._replay:
            hint = line((" Enter", "key"), (" send   ", "muted"), ("e", "key"), (" edit first   ", "muted"))
            placed += [(None, ()), (None, line(*hint, ("x", "key"), (" dismiss", "muted")))]
        if self._beside is not None:
            placed.append((None, ()))
            extra = suggestion_rows(
                self._beside, None, SessionState(), width, self.glyphs, "today's version would say"
            )
            placed += [(None, row) for _, row in extra]
        self._places = [place for place, _ in placed]
        return [row for _, row in placed]

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        at = offset.y + self.scroll_offset.y
        place = self._places[at] if at < len(self._places) else None
        if place is not None:
            self.post_message(self.Chosen(place))
