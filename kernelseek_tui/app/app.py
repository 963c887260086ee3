"""The application: themes, palette, quitting; its one screen draws a feed."""

from collections.abc import Callable
from time import monotonic
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.notifications import SeverityLevel
from textual.screen import Screen

from kernelseek_tui.app.commands import KeyCommands
from kernelseek_tui.app.glyphs import Glyphs, pick_glyphs
from kernelseek_tui.app.notice import NoticeScreen
from kernelseek_tui.app.terminal import TerminalDriver
from kernelseek_tui.app.theme import DARK, LIGHT

TWICE = 2.0


class KernelSeekApp(App[None]):
    """Opens `screen(glyphs)`.

    `end`, of a live session, ends it in order; whoever runs the app then exits it.
    """

    TITLE = "KernelSeek"
    CSS_PATH = ["roles.tcss", "session.tcss"]  # noqa: RUF012 - as Textual declares it
    COMMANDS = App.COMMANDS | {KeyCommands}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "leave", "Quit", show=False, priority=True, id="quit-any"),
        Binding("ctrl+q", "leave", "Quit", show=False, priority=True, id="quit-textual"),
    ]

    def __init__(
        self,
        screen: Callable[[Glyphs], Screen[None]],
        *,
        end: Callable[[], None] | None = None,
        glyphs: Glyphs | None = None,
    ) -> None:
        super().__init__()
        self._first = screen
        self._end = end
        self._ending = False
        self._glyphs = glyphs or pick_glyphs()
        self._armed = 0.0
        self.animation_level = "none"
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name

    def get_default_screen(self) -> Screen[None]:
        """The session's screen, without an empty one under it."""
        return self._first(self._glyphs)

    def get_driver_class(self) -> type[Driver]:
        """Ours where Textual would use its own for terminals."""
        found = super().get_driver_class()
        return TerminalDriver if found is LinuxDriver else found

    def leave_now(self) -> None:
        """The terminal has gone, or somebody ends us: end the session in order, without asking twice."""
        if self._end is None or self._ending:
            self.exit()
        else:
            self._ending = True
            self._end()

    def action_leave(self) -> None:
        """Quit a replay; end a live session when pressed twice; a third time, without waiting for its end."""
        now = monotonic()
        if self._end is None or self._ending or (self._armed and now - self._armed <= TWICE):
            self.leave_now()
        else:
            self._armed = now
            self.notify("Press again to end the session; its journal is kept.", severity="warning")

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """All notices stand where the session's screen puts them; none is markup."""
        for screen in self.screen_stack:
            if isinstance(screen, NoticeScreen):
                screen.tell(message, severity)
