"""Bindings made from the table of keys."""

from collections.abc import Iterable

from textual.binding import Binding

from kernelseek_tui.app.glyphs import pick_glyphs
from kernelseek_tui.app.keys import Key, keys_for
from kernelseek_tui.plain import ascii_only


def bindings(live: bool) -> list[Binding]:
    """Textual's bindings for a live session or a replay; ids allow remapping."""
    return bindings_of(keys_for(live))


def bindings_of(keys: Iterable[Key]) -> list[Binding]:
    """Textual's bindings for a table of keys."""
    made: list[Binding] = []
    utf8 = pick_glyphs().braille
    for key in keys:
        shown = key.shown if utf8 else ascii_only(key.shown)
        if "{}" in key.action:
            for place, name in enumerate(key.keys.split(",")):
                made.append(
                    Binding(
                        name,
                        key.action.format(place),
                        key.label,
                        show=False,
                        key_display=shown,
                        id=f"{key.id}-{place + 1}",
                    )
                )
            continue
        made.append(
            Binding(key.keys, key.action, key.label or key.text, show=False, key_display=shown, id=key.id)
        )
    return made
