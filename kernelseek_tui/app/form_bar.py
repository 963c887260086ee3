"""The bottom row of the labelling screen, and its keys as commands of the palette."""

from collections.abc import AsyncIterator

from kernelseek_tui.app.commands import TableCommands
from kernelseek_tui.app.form_keys import FORM_KEYS
from kernelseek_tui.app.key_bar import KeyBar

_WRITING = {
    "search": (("Enter", "find, then next", ""), ("Esc", "end the search", "")),
    "note": (("Enter", "set the note", ""), ("Esc", "leave it as it was", "")),
}


class FormCommands(TableCommands):
    """The keys of this screen for the palette."""

    async def _offers(self) -> AsyncIterator[tuple[str, str, str]]:
        for key in FORM_KEYS:
            if key.id == "answer":
                for choice in "0123456789":
                    yield f"Answer the open field: {choice}", choice, f"answer({choice})"
            elif key.action != "palette":
                yield key.text, key.shown, key.action


class FormBar(KeyBar):
    """The bottom row of this screen."""

    purpose = ""

    def places(self) -> list[tuple[str, str, str]]:
        """The keys that work now."""
        if self.purpose:
            return list(_WRITING[self.purpose])
        return [
            (key.foot or key.shown, key.label, "" if "{}" in key.action else key.action)
            for key in FORM_KEYS
            if key.footer
        ]
