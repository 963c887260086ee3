"""Widgets that draw rows of roles: styles from the theme, strips from rows, a scrolling panel of rows."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from kernelseek_tui.app.glyphs import UNICODE, Glyphs
from kernelseek_tui.app.lines import ROLES, Line
from kernelseek_tui.plain import ascii_only

PAINT: set[str] = {*(f"role--{role}" for role in ROLES), "role--selected"}
"""What a screen with painted widgets has as its component classes."""

FILLED = ("tag", "hit", "chosen", "selected")
"""Roles that bring a background of their own."""


class Painted(ScrollView, inherit_bindings=False):
    """A Line API widget whose text goes to the terminal as it stands, never as markup.

    Keys are the screen's: the base class's own would scroll past its one cursor.
    """

    glyphs: var[Glyphs] = var(UNICODE, init=False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._looks: dict[str, Style] = {}
        self._theme = ""

    def notify_style_update(self) -> None:
        """Theme, focus or size changed: styles are looked up again."""
        super().notify_style_update()
        self._theme = ""

    def look(self, role: str) -> Style:
        """The style of a role, or the widget's own for an empty one.

        Roles are components of the screen, not of each widget: a score of virtual nodes a widget would make
        every change of focus slow. What is found is kept, a row asks for it too often.
        """
        if self._theme != self.app.theme:
            self._looks, self._theme = {}, self.app.theme
        found = self._looks.get(role)
        if found is None:
            found = self.rich_style
            if role:
                found = self.screen.get_component_rich_style(f"role--{role}")
                if role not in FILLED:
                    found += Style(bgcolor=self.rich_style.bgcolor)
            self._looks[role] = found
        return found

    def strip(self, row: Line, width: int, selected: bool = False) -> Strip:
        """One row, padded to `width` with the widget's own background."""
        base = self.look("")
        if selected:
            base += Style(bgcolor=self.look("selected").bgcolor)
        segments = []
        for text, role in row:
            if not self.glyphs.braille:
                text = ascii_only(text)
            style = self.look(role)
            if selected and role not in FILLED:
                style += Style(bgcolor=base.bgcolor)
            segments.append(Segment(text, style))
        return Strip(segments).adjust_cell_length(width, base)


class Panel(Painted):
    """Rows computed for the current width; redrawn when told."""

    def rows(self, width: int) -> list[Line]:
        """What to show in `width` cells."""
        return []

    _rows: Sequence[Line] = ()

    def redraw(self) -> bool:
        """The content may have changed; draws only when it did. True: it has another height now."""
        width = max(1, self.scrollable_content_region.width or self.size.width)
        rows = self.rows(width)
        size = Size(width, len(rows))
        grown = len(rows) != len(self._rows)
        if size != self.virtual_size:
            self.virtual_size = size
        elif rows == self._rows:
            return False
        self._rows = rows
        self.refresh()
        return grown

    def on_mount(self) -> None:
        """First rows."""
        self.redraw()

    def on_resize(self) -> None:
        """Rows depend on the width."""
        self.redraw()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as there are, for `height: auto`."""
        return len(self.rows(max(1, width)))

    def render_line(self, y: int) -> Strip:
        """The row at view line `y`."""
        at = y + self.scroll_offset.y
        rows = self._rows
        return self.strip(rows[at] if at < len(rows) else (), self.size.width)
