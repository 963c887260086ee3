"""One line that asks for something: what to search, where to go."""

from dataclasses import dataclass

from textual import events, on
from textual.message import Message
from textual.widgets import Input


class Prompt(Input):
    """Hidden until `ask`; Enter answers, Esc gives up."""

    @dataclass
    class Answered(Message):
        """`text` was typed for `purpose`; `final` once Enter was pressed, before that while typing."""

        purpose: str
        text: str
        final: bool

    @dataclass
    class GivenUp(Message):
        """Esc was pressed."""

        purpose: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, compact=True)
        self.purpose = ""
        self.display = False

    def ask(self, purpose: str, hint: str) -> None:
        """Show the line and take the focus."""
        self.purpose = purpose
        self.placeholder = hint
        self.value = ""
        self.display = True
        self.focus()

    def done(self) -> None:
        """Hide it again."""
        self.display = False

    @on(Input.Changed)
    def _changed(self, message: Input.Changed) -> None:
        message.stop()
        if self.display:
            self.post_message(self.Answered(self.purpose, message.value, False))

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.post_message(self.Answered(self.purpose, message.value, True))

    def on_key(self, event: events.Key) -> None:
        """Esc gives up."""
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self.post_message(self.GivenUp(self.purpose))
