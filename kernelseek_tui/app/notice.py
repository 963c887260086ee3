"""Short notices in the place of the bottom row: they cover nothing that is read, and never pile up."""

from textual.screen import Screen
from textual.timer import Timer

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, clip, wrap_text
from kernelseek_tui.app.painted import Panel
from kernelseek_tui.plain import one_line

ROWS = 3
SECONDS = {"information": 4.0, "warning": 5.0, "error": 10.0}
_ROLES = {"information": "accent", "warning": "warn", "error": "bad"}


class Notice(Panel):
    """Hidden until `say`; a new notice takes the place of the one before."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(Notice.glyphs, glyphs)
        self._text = ""
        self._role = "accent"
        self._timer: Timer | None = None
        self.display = False

    def say(self, text: str, severity: str = "information") -> None:
        """Show `text` for some seconds: an error stays longest."""
        self._text = one_line(text, 600)
        self._role = _ROLES.get(severity, "accent")
        self.display = True
        self.screen.set_class(True, "-notice")
        self.redraw()
        self.refresh(layout=True)
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(SECONDS.get(severity, 4.0), self.hush)

    def hush(self) -> None:
        """Hide it."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.display = False
        self.screen.set_class(False, "-notice")

    def on_click(self) -> None:
        """A click hides it."""
        self.hush()

    def rows(self, width: int) -> list[Line]:
        """As many rows as the sentence needs, three at most."""
        found = wrap_text(self._text, self._role, width - 2, ((" ", "text"),))
        if len(found) > ROWS:
            rest = " ".join(text for row in found[ROWS - 1 :] for text, _ in row)
            found = [*found[: ROWS - 1], clip(((f" {' '.join(rest.split())}", self._role),), width - 2)]
        return found


class NoticeScreen(Screen[None]):
    """A screen with a `Notice`, where all notices of the application go."""

    def tell(self, text: str, severity: str = "information") -> None:
        """A short notice; its text is never markup."""
        self.query_one(Notice).say(text, severity)
