"""The form of a label beside the transcript: each field with its key, the open one with its choices."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message

from kernelseek_tui.annotate.form import BY_NAME, FIELDS, Draft
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, clip, line, wrap_text
from kernelseek_tui.app.painted import Panel
from kernelseek_tui.plain import one_line

NOTE_ROWS = 3


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the form shows. `place` names the entry; `kept`: its label is in the file; `away`: the cursor is
    elsewhere while the label is filled in."""

    draft: Draft
    place: str = ""
    kept: bool = False
    unsaved: bool = False
    away: bool = False


def form_rows(sheet: Sheet, width: int, glyphs: Glyphs) -> list[tuple[Line, str]]:
    """The rows of the form, each with the action of a click on it, or nothing."""
    draft = sheet.draft
    status: Line = ((" not kept yet", "warn"),) if sheet.unsaved else ()
    if not sheet.unsaved and sheet.kept:
        status = ((f" {glyphs.ok} labelled", "good"),)
    rows: list[tuple[Line, str]] = [
        (clip(line((f" {one_line(sheet.place, 200)}", "strong")), width, glyphs.more), ""),
        (status or ((" no label", "faint"),), ""),
    ]
    if sheet.away:
        rows.append(
            (clip(line((" e: the entry at the cursor is evidence", "muted")), width, glyphs.more), "")
        )
    for item in FIELDS:
        opened = item.name == draft.active
        value = draft.values.get(item.name)
        words = next((choice.words for choice in item.choices if choice.value == value), "")
        role = "strong" if words else "faint"
        if not words:
            words = glyphs.dot if draft.asked(item.name) or opened else glyphs.minus
        head = line(
            (f" {item.key} ", "chosen" if opened else "key"),
            (f" {item.name:<10}", "text" if opened else "muted"),
            (words, role),
        )
        rows.append((clip(head, width, glyphs.more), f"field('{item.name}')"))
        if opened:
            for choice in item.choices:
                mark = glyphs.play if choice.value == value else " "
                row = line((f"   {mark} ", "good"), (choice.key, "key"), (f" {choice.words}", "text"))
                rows.append((clip(row, width, glyphs.more), f"answer({choice.key})"))
    entries = ", ".join(str(entry) for entry in draft.evidence)
    rows.append(
        (clip(line((" e ", "key"), (" evidence  ", "muted"), (entries, "text")), width, glyphs.more), "")
    )
    lead = line((" w ", "key"), (" note      ", "muted"))
    note = wrap_text(one_line(draft.note, 2000), "text", width, lead)
    if len(note) > NOTE_ROWS:
        note = [*note[: NOTE_ROWS - 1], (*clip(note[NOTE_ROWS - 1], width - 1), (glyphs.more, "faint"))]
    rows += [(row, "note") for row in note]
    return rows


class FormPane(Panel):
    """Draws a sheet; a click opens a field or answers it."""

    @dataclass
    class Pressed(Message):
        """A row was clicked that does something."""

        action: str

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(FormPane.glyphs, glyphs)
        self._sheet = Sheet(Draft(False))
        self._actions: list[str] = []

    def show(self, sheet: Sheet) -> None:
        """Draw this sheet, the open field and its choices in view."""
        self._sheet = sheet
        self.redraw()
        opened = f"field('{sheet.draft.active}')"
        if opened in self._actions:
            first = self._actions.index(opened)
            last = first + len(BY_NAME[sheet.draft.active].choices)
            top, height = self.scroll_offset.y, self.size.height
            if last >= top + height:
                top = last - height + 1
            self.scroll_to(y=min(top, first), animate=False)

    def rows(self, width: int) -> list[Line]:
        """The form at this width."""
        placed = form_rows(self._sheet, width, self.glyphs)
        self._actions = [action for _, action in placed]
        return [row for row, _ in placed]

    def on_click(self, event: events.Click) -> None:
        """Do what was clicked."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        at = offset.y + self.scroll_offset.y
        if at < len(self._actions) and self._actions[at]:
            self.post_message(self.Pressed(self._actions[at]))
