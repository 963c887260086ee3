"""Why something is dismissed: quick choices in one place, above the composer."""

from dataclasses import dataclass

from textual import events
from textual.message import Message

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, Span, clip, line, width_of
from kernelseek_tui.app.painted import Panel
from kernelseek_tui.plain import one_line

REASONS: dict[str, str] = {
    "1": "not relevant",
    "2": "asked already",
    "3": "too early",
    "4": "wrong",
}
OTHER = "5"


@dataclass(frozen=True, slots=True)
class Aside:
    """What is about to be dismissed: a decision point, or one suggestion (`entry`) of it."""

    decision: str
    entry: str | None

    @property
    def words(self) -> str:
        """How it is called on the screen."""
        return one_line(self.entry, 40) if self.entry is not None else "The decision point"


class ReasonBar(Panel):
    """Hidden until `ask`. A click on a choice is its key."""

    @dataclass
    class Picked(Message):
        """A choice was clicked."""

        key: str

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(ReasonBar.glyphs, glyphs)
        self.aside: Aside | None = None
        self._edges: list[tuple[int, int, int, str]] = []
        self.display = False

    def ask(self, aside: Aside) -> None:
        """Show the choices for `aside`."""
        self.aside = aside
        self.display = True
        self.redraw()
        self.refresh(layout=True)

    def done(self) -> Aside | None:
        """Hide it; what was about to be dismissed."""
        aside, self.aside = self.aside, None
        self.display = False
        return aside

    def rows(self, width: int) -> list[Line]:
        """What is dismissed, and the choices: beside it where there is room, else below, none cut in two."""
        self._edges = []
        if self.aside is None:
            return []
        head = clip(
            line((" WHY ", "tag"), (f" dismiss {self.aside.words}? ", "text")), width, self.glyphs.more
        )
        rows: list[list[Span]] = [list(head)]
        at = width_of(head)
        for key, words in (*REASONS.items(), (OTHER, f"other words{self.glyphs.more}")):
            choice = line((f" {key}", "key"), (f" {words} ", "text"))
            cells = width_of(choice)
            if at + cells > width:
                rows.append([])
                at = 0
            self._edges.append((len(rows) - 1, at, at + cells, key))
            rows[-1] += choice
            at += cells
        return [tuple(row) for row in rows]

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked."""
        for row, start, end, key in self._edges:
            if row == event.y and start <= event.x < end:
                self.post_message(self.Picked(key))
