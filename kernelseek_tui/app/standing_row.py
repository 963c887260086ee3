"""A sentence that stands above the keys for as long as it is true."""

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, wrap_text
from kernelseek_tui.app.painted import Panel
from kernelseek_tui.plain import one_line


class StandingRow(Panel):
    """Hidden while it has nothing to say; unlike a `Notice` it does not go away by itself."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(StandingRow.glyphs, glyphs)
        self.text = ""
        self.display = False

    def show(self, text: str) -> None:
        """Stand there with `text`; an empty one hides it."""
        if text == self.text:
            return
        self.text = text
        self.display = bool(text)
        self.redraw()
        self.refresh(layout=True)

    def rows(self, width: int) -> list[Line]:
        """As many rows as the sentence needs."""
        return wrap_text(one_line(self.text, 300), "warn", max(10, width - 2), ((" ", "text"),))
