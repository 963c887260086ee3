"""The bank browser's keys on one page, in its bottom row and in the palette."""

from collections.abc import AsyncIterator

from kernelseek_tui.app.commands import TableCommands
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.help import Help, Page, table_rows
from kernelseek_tui.app.key_bar import KeyBar
from kernelseek_tui.app.keys import BANK_KEYS
from kernelseek_tui.app.lines import Line, line

FILTERS = ("group", "layer it moves to", "kind of moment", "effect", "device", "upstream")
_SEARCHING = [("Enter", "keep what is found", ""), ("↑ ↓", "select", ""), ("Esc", "end the search", "")]


class BankCommands(TableCommands):
    """The keys of the browser for the palette."""

    async def _offers(self) -> AsyncIterator[tuple[str, str, str]]:
        for key in BANK_KEYS:
            if "{}" in key.action:
                for place, name in enumerate(FILTERS):
                    yield f"Filter the bank by {name}: next value", str(place + 1), key.action.format(place)
            elif key.action != "palette":
                yield key.text, key.shown, key.action


class BankKeys(KeyBar):
    """The bottom row. `writes`: there is a composer to hand a question to."""

    searching = False
    among_links = False
    clears = False

    def __init__(self, glyphs: Glyphs, writes: bool) -> None:
        super().__init__(glyphs, live=writes, id="bank-keys")

    def places(self) -> list[tuple[str, str, str]]:
        """The keys that work now."""
        if self.searching:
            return _SEARCHING
        found = []
        for key in BANK_KEYS:
            if not key.footer or (key.id == "bank-take" and not self._live):
                continue
            label = "back" if key.id == "bank-side" and self.among_links else key.label
            if key.id == "bank-close":
                found.append((key.foot or key.shown, "back" if self.clears else key.label, "back"))
                continue
            found.append((key.foot or key.shown, label, "" if "{}" in key.action else key.action))
        return found


class BankPage(Page):
    """A row a key, then what the filters and words mean."""

    def rows(self, width: int) -> list[Line]:
        """The tables."""
        rows = table_rows([(key.shown, key.text, "key") for key in BANK_KEYS], width)
        rows += [(), line((" effect", "heading"))]
        return rows + table_rows(
            [
                ("untested", "nobody is on record as having asked it alone, as it stands here", "faint"),
                ("asked", "it was, by a person or a program, of an agent that was no rehearsed one", "muted"),
                ("number", "at least once, a number came back before the next message", "good"),
                ("moved", "at least once, a layer was measured that had not been measured before", "good"),
                ("deprecated", "no longer asked; hidden, but from a search by id and this filter", "muted"),
                ("(23-88 %)", "interval of a share, Wilson's for 95 %", "muted"),
                ("waived", "a warning about the wording that somebody let stand, and why", "muted"),
            ],
            width,
        )


class BankHelp(Help):
    """Any of Esc, q, ? closes it."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs, live=False)

    def page(self) -> Page:
        """The tables."""
        return BankPage(self._glyphs, self._live)
