"""Where a person writes to the agent: the draft is kept, what is sent is exactly what is written."""

from collections.abc import Callable
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.plain import ascii_only, visible

INVITES = "i  write to the agent"
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


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a draft is for: a message, a bank question being edited (`entry`), or a denial (`request`).

    `original` is the entry's text, `decision` the moment it was suggested for.
    """

    entry: str | None = None
    decision: str | None = None
    original: str | None = None
    request: str | None = None
    tool: str = ""

    @property
    def aside(self) -> bool:
        """Something else than the person's own message: their draft comes back afterwards."""
        return self.entry is not None or self.request is not None

    def note(self) -> str:
        """What is written here, above the draft."""
        if self.request is not None:
            return f"denying {self.tool}: the agent reads what you write here"
        return f"editing {self.entry}" if self.entry is not None else ""


class Composer(Vertical):
    """A typed message, an edited question (linted as it is written), or the words of a denial.

    The draft is cleared by `sent` alone, when the text has left: what cannot be sent is kept.
    """

    @dataclass
    class Submitted(Message):
        """Send `text`."""

        text: str
        purpose: Purpose

    class Left(Message):
        """Back to the transcript; the draft stays."""

    def __init__(self, lint: Lint, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.purpose = Purpose()
        self._lint = lint
        self._glyphs = glyphs
        self._shelf: list[tuple[Purpose, str]] = []
        self._under_way = False

    def compose(self) -> ComposeResult:
        """A note above, the draft below."""
        yield Static("", id="composer-note", markup=False)
        yield Draft(
            "",
            id="draft",
            compact=True,
            show_line_numbers=False,
            soft_wrap=True,
            placeholder=INVITES,
            highlight_cursor_line=False,
        )

    @property
    def draft(self) -> Draft:
        """The text area."""
        return self.query_one(Draft)

    def write(self) -> None:
        """Give the draft the focus."""
        self.draft.focus()

    def edit(self, text: str, entry: str, decision: str | None) -> None:
        """Edit a question of the bank; a draft begun before comes back afterwards."""
        self._begin(Purpose(entry, decision, text), visible(text))

    def deny(self, request: str, tool: str) -> None:
        """Write what the agent reads when `request` is denied; nothing is allowed, too."""
        self._begin(Purpose(request=request, tool=tool), "")

    def _begin(self, purpose: Purpose, text: str) -> None:
        if not (self.purpose.entry and purpose.entry) and not (self.purpose.request and purpose.request):
            self._shelf.append((self.purpose, self.draft.text))
        self._load(purpose, text)
        self.draft.focus()

    def _load(self, purpose: Purpose, text: str) -> None:
        self.purpose = purpose
        self.draft.placeholder = INVITES if purpose.request is None else "why not (may stay empty)"
        self.draft.load_text(text)
        self.draft.move_cursor(self.draft.document.end)
        self._note()

    def abandon(self) -> bool:
        """Stop editing a suggestion or denying, if that is done; the earlier draft comes back."""
        if not self.purpose.aside:
            return False
        self._restore()
        return True

    def sent(self, text: str) -> None:
        """`text` has left: clear the draft, unless more was written in the meantime."""
        self._under_way = False
        if self.draft.text == text:
            self._restore()

    def kept(self) -> None:
        """It could not be sent: the draft stays and can be sent again."""
        self._under_way = False

    def _restore(self) -> None:
        self._load(*(self._shelf.pop() if self._shelf else (Purpose(), "")))

    def _note(self) -> None:
        """Say what is edited and what the lints see in it. Warnings never stop anything."""
        note = self.query_one("#composer-note", Static)
        text = self.draft.text
        warnings = self._lint(text) if text.strip() and self.purpose.request is None else []
        parts = [words] if (words := self.purpose.note()) else []
        shown = warnings[:2]
        if len(warnings) > 2:
            shown.append(f"and {len(warnings) - 2} more")
        words = visible("\n".join([*parts, *shown]))
        note.update(Content(words if self._glyphs.braille else ascii_only(words)))
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
        if self._under_way or not (text.strip() or self.purpose.request is not None):
            return
        self._under_way = True
        self.post_message(self.Submitted(text, self.purpose))

    @on(Draft.Left)
    def _leave(self, message: Draft.Left) -> None:
        message.stop()
        self.abandon()
        self.post_message(self.Left())
