"""The labelling screen: what its keys do. The label file is whole after each label."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on

from kernelseek_tui.app.annotate_panes import AnnotatePanes
from kernelseek_tui.app.form_help import FormHelp
from kernelseek_tui.app.form_pane import FormPane
from kernelseek_tui.app.key_bar import KeyBar
from kernelseek_tui.app.prompt import Prompt
from kernelseek_tui.app.search import find
from sessions import events as ev
from sessions.errors import SessionError


class AnnotateScreen(AnnotatePanes):
    """Answers, notes, evidence, undo, and going from place to place."""

    # answering

    def action_answer(self, choice: int) -> None:
        """Answer the open field; the last answer keeps the label."""
        if not self.shown:
            return
        draft = self.draft()
        answered = draft.choose(str(choice))
        if answered is None:
            self.tell(f"{draft.active} has no choice {choice}.")
            return
        self.desk.change(answered)
        if answered.finished and answered.ready:
            self._keep_and_go()
        self.sync()

    def action_field(self, name: str) -> None:
        """Open a field."""
        if self.shown:
            self.desk.change(self.draft().open(name))
            self.sync()

    def action_step_field(self, step: int) -> None:
        """Open the next field, or the one before."""
        if self.shown:
            self.desk.change(self.draft().step(step))
            self.sync()

    def action_clear(self) -> None:
        """Take the open field's answer back."""
        if self.shown:
            self.desk.change(self.draft().clear())
            self.sync()

    def action_evidence(self) -> None:
        """Make the cursor's entry evidence of the label, or no longer."""
        if self.shown:
            self.desk.change(self.draft().mark(self.places.where(self.transcript.cursor).entry))
            self.sync()

    def action_note(self) -> None:
        """Ask for a note."""
        if self.shown:
            self.draft()
            prompt = self.query_one(Prompt)
            prompt.ask("note", "a note; Enter sets it, Esc leaves it")
            prompt.value = self.draft().note
            self.sync()

    def _keep(self) -> bool:
        """Keep what is filled in; False when it cannot be kept. Nothing filled in is nothing to keep."""
        desk = self.desk
        if not desk.unsaved:
            return True
        if desk.draft is None or not desk.draft.ready:
            self.tell("The label has no kind yet: k asks for it, Esc gives the label up.", "warning")
            return False
        try:
            desk.keep()
        except SessionError as error:
            self.tell(str(error), "error")
            return False
        self.remark()
        return True

    def _keep_and_go(self) -> None:
        if not self._keep():
            return
        to = self.desk.next_unlabelled(self.transcript.cursor)
        if to is not None:
            self._go(to)
        elif self.read:
            self.tell(
                "Every message and flag has a label." if not self.blind else "Every message has a label."
            )

    def action_keep(self) -> None:
        """Keep the label and go on."""
        if not self.desk.unsaved:
            self.tell("Nothing is filled in: answer with the keys beside the choices.")
            return
        self._keep_and_go()
        self.sync()

    def action_drop(self) -> None:
        """Give the draft up, or end the search."""
        if self.transcript.pattern:
            self._pattern("")
        elif self.desk.drop():
            self.tell("Given up; nothing of it was kept.")
        self.sync()

    def action_undo(self) -> None:
        """Take back the last answer, or the last label."""
        try:
            at = self.desk.undo()
        except SessionError as error:
            self.tell(str(error), "error")
            return
        if at is None:
            self.tell("Nothing to take back.")
        else:
            self.remark()
            self._go(at)
        self.sync()

    def action_remove(self) -> None:
        """Remove the cursor's label."""
        self.desk.drop()
        try:
            removed = self.desk.remove(self.transcript.cursor)
        except SessionError as error:
            self.tell(str(error), "error")
            return
        self.remark()
        self.tell("Removed; u brings it back." if removed else "There is no label here.")
        self.sync()

    # going

    def _go(self, index: int) -> None:
        self.moved = True
        self.transcript.select(index)

    def _jump(self, to: int | None, none: str) -> None:
        if not self._keep():
            return
        if to is None:
            self.tell(none)
        else:
            self._go(to)
        self.sync()

    def action_candidate(self, step: int) -> None:
        """The next candidate, or the one before."""
        to = self.desk.next_candidate(self.transcript.cursor, step)
        what = "message" if self.blind else "message or flag"
        self._jump(to, f"No {'later' if step > 0 else 'earlier'} {what}.")

    def action_unlabelled(self) -> None:
        """The next candidate without a label."""
        self._jump(self.desk.next_unlabelled(self.transcript.cursor), "Nothing is left without a label.")

    def action_move(self, step: int) -> None:
        """One entry up or down."""
        self.moved = True
        self.transcript.move(step)

    def action_page(self, step: int) -> None:
        """A page up or down; the cursor stays."""
        self.transcript.page(step)

    def action_end(self, last: int) -> None:
        """The first entry, or the last."""
        if self.shown:
            self._go(len(self.shown) - 1 if last else 0)

    def action_expand(self) -> None:
        """Show the entry whole, or its first rows."""
        self.transcript.toggle_entry()

    def action_expand_all(self) -> None:
        """Show every entry whole, or none."""
        self.transcript.toggle_all()

    def action_search(self) -> None:
        """Ask what to search."""
        self.query_one(Prompt).ask("search", "search the transcript; Enter finds, again the next; Esc ends")
        self.sync()

    def _pattern(self, text: str) -> None:
        self.transcript.pattern = text
        self.transcript.refresh()

    @on(Prompt.Answered)
    def _answered(self, message: Prompt.Answered) -> None:
        if message.purpose == "search":
            self._pattern(message.text)
            if message.final and message.text:
                self._find(self.shown, message.text)
        elif message.final:
            self.desk.change(self.draft().write(message.text))
            self._close_prompt()

    def _find(self, shown: Sequence[ev.AnyEvent], text: str) -> None:
        found = find(shown, text, self.transcript.cursor, 1, len(shown))
        if found is None:
            self.tell(f"Nothing holds “{text}”.")
        else:
            self._go(found)

    @on(Prompt.GivenUp)
    def _given_up(self) -> None:
        self._pattern("")
        self._close_prompt()

    def _close_prompt(self) -> None:
        self.query_one(Prompt).done()
        self.transcript.focus()
        self.sync()

    # the rest

    @on(FormPane.Pressed)
    @on(KeyBar.Pressed)
    async def _pressed(self, message: FormPane.Pressed | KeyBar.Pressed) -> None:
        await self.run_action(message.action)

    def action_help(self) -> None:
        """All keys."""
        self.app.push_screen(FormHelp(self.glyphs))

    def action_palette(self) -> None:
        """All commands."""
        self.app.action_command_palette()

    def action_leave(self) -> None:
        """Keep what can be kept, then quit."""
        if self.desk.unsaved and self.desk.draft is not None and self.desk.draft.ready and not self._keep():
            return
        self.app.exit()
