"""Where a person writes to the agent: the draft is kept, what is sent is exactly what is written."""

from collections.abc import Callable
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from kernelseek_tui.plain import visible

Lint = Callable[[str], list[str]]


class Draft(TextArea):
    """Enter sends, Ctrl+J (or Shift+Enter where the terminal tells it apart) breaks the line."""

    class Sent(Message):
        """Enter was pressed."""

    class Left(Message):
        """Esc was pressed."""

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Sent())
        elif event.key in ("ctrl+j", "shift+enter", "alt+enter"):
            event.stop()
            event.prevent_default()
            self.insert("\n")
        elif event.key == "escape":
            event.stop()
            event.prevent_default()
            self.post_message(self.Left())
        else:
            await super()._on_key(event)


class Composer(Vertical):
    """A typed message, or a bank question being edited (`entry`), then linted as it is written."""

    @dataclass
    class Submitted(Message):
        """Send `text`. `entry` and `decision` say what was edited, if anything; `original` its text."""

        text: str
        entry: str | None
        decision: str | None
        original: str | None

    class Left(Message):
        """Back to the transcript; the draft stays."""

    def __init__(self, lint: Lint, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._lint = lint
        self._entry: str | None = None
        self._decision: str | None = None
        self._original: str | None = None
        self._shelved = ""

    def compose(self) -> ComposeResult:
        """A note above, the draft below."""
        yield Static("", id="composer-note", markup=False)
        yield Draft(
            "",
            id="draft",
            compact=True,
            show_line_numbers=False,
            soft_wrap=True,
            placeholder="i  write to the agent",
            highlight_cursor_line=False,
        )

    @property
    def draft(self) -> Draft:
        """The text area."""
        return self.query_one(Draft)

    def write(self) -> None:
        """Give the draft the focus."""
        self.draft.focus()

    def edit(self, text: str, entry: str, decision: str) -> None:
        """Edit a suggestion; a draft begun before comes back afterwards."""
        if self._entry is None:
            self._shelved = self.draft.text
        self._entry, self._decision, self._original = entry, decision, text
        self.draft.load_text(visible(text))
        self.draft.move_cursor(self.draft.document.end)
        self.draft.focus()
        self._note()

    def abandon(self) -> bool:
        """Stop editing a suggestion, if one is edited; the earlier draft comes back."""
        if self._entry is None:
            return False
        self._restore()
        return True

    def _restore(self) -> None:
        self.draft.load_text(self._shelved)
        self.draft.move_cursor(self.draft.document.end)
        self._entry = self._decision = self._original = None
        self._shelved = ""
        self._note()

    def _note(self) -> None:
        """Say what is edited and what the lints see in it. Warnings never stop anything."""
        note = self.query_one("#composer-note", Static)
        text = self.draft.text
        warnings = self._lint(text) if text.strip() else []
        parts = [f"editing {self._entry}: Enter sends, Esc gives it up"] if self._entry else []
        shown = warnings[:2]
        if len(warnings) > 2:
            shown.append(f"and {len(warnings) - 2} more")
        note.update(Content(visible("\n".join([*parts, *shown]))))
        note.set_class(bool(warnings), "-warning")
        note.display = bool(parts or shown)

    def on_mount(self) -> None:
        """No note yet."""
        self._note()

    @on(TextArea.Changed)
    def _changed(self) -> None:
        text = self.draft.text
        if (safe := visible(text)) != text:
            # Pasted: what is sent is what is seen, and a control character cannot be seen.
            self.draft.load_text(safe)
            self.draft.move_cursor(self.draft.document.end)
        self._note()

    @on(Draft.Sent)
    def _sent(self, message: Draft.Sent) -> None:
        message.stop()
        text = self.draft.text
        if not text.strip():
            return
        self.post_message(self.Submitted(text, self._entry, self._decision, self._original))
        if self._entry is not None:
            self._restore()
        else:
            self.draft.load_text("")

    @on(Draft.Left)
    def _leave(self, message: Draft.Left) -> None:
        message.stop()
        self.abandon()
        self.post_message(self.Left())
