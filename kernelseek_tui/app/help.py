"""All keys on one page."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.keys import keys_for
from kernelseek_tui.app.lines import Line, line, pad
from kernelseek_tui.app.painted import PAINT, Panel


class Page(Panel, can_focus=True):
    """The table of keys."""

    def __init__(self, glyphs: Glyphs, live: bool) -> None:
        super().__init__()
        self.set_reactive(Page.glyphs, glyphs)
        self._live = live

    def rows(self, width: int) -> list[Line]:
        """One row a key, then the signs of the timeline."""
        rows = [
            line((f" {pad(key.shown, 10, right=True)}  ", "key"), (key.text, "text"))
            for key in keys_for(self._live)
        ]
        glyphs = self.glyphs
        rows += [(), line((" timeline", "heading"))]
        for sign, text, role in (
            (glyphs.flag, "decision point", "flag"),
            (glyphs.up, "a new best score", "good"),
            (glyphs.even, "a score, no better", "accent"),
            (glyphs.bad, "a wrong candidate", "bad"),
            (glyphs.human, "a human message or a question", "human"),
            (glyphs.levels[5], "an edit", "code"),
            (glyphs.levels[3], "a tool call (red: it failed)", "tool"),
            (glyphs.dot, "not known yet at the cursor", "faint"),
        ):
            rows.append(line((f" {pad(sign, 10, right=True)}  ", role), (text, "text")))
        return rows


class Help(ModalScreen[None]):
    """Any of Esc, q, ? closes it."""

    CSS_PATH = "help.tcss"
    COMPONENT_CLASSES = PAINT
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,question_mark", "dismiss", "close")]

    def __init__(self, glyphs: Glyphs, live: bool) -> None:
        super().__init__()
        self._glyphs = glyphs
        self._live = live

    def compose(self) -> ComposeResult:
        """A box with the page in it."""
        with Vertical(id="help") as box:
            box.border_title = Content("KEYS")
            box.border_subtitle = Content("Esc closes")
            yield Page(self._glyphs, self._live)
