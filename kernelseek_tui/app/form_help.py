"""The keys of the labelling screen on one page."""

from kernelseek_tui.app.form_keys import FORM_KEYS
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.help import Help, Page, table_rows
from kernelseek_tui.app.lines import Line


class FormPage(Page):
    """One row a key."""

    def rows(self, width: int) -> list[Line]:
        """The table of keys."""
        return table_rows([(key.shown, key.text, "key") for key in FORM_KEYS], width)


class FormHelp(Help):
    """Any of Esc, q, ? closes it."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs, live=False)

    def page(self) -> Page:
        """The table."""
        return FormPage(self._glyphs, self._live)
