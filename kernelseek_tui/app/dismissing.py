"""Acting on a live session without losing a word, and dismissing what was suggested, with a reason."""

from collections.abc import Awaitable, Callable

from textual import events, on

from kernelseek_tui.agents.protocol import AgentError
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.keys import Mode
from kernelseek_tui.app.prompt import Prompt
from kernelseek_tui.app.reason_bar import OTHER, REASONS, Aside, ReasonBar
from kernelseek_tui.app.session import SessionScreen
from kernelseek_tui.feed import Feed
from kernelseek_tui.plain import one_line
from sessions.errors import SessionError

OVER = "This session has ended; nothing can be sent. q leaves."


class DismissingScreen(SessionScreen):
    """`stopped` is why the session had to end, in a sentence; empty while it did not."""

    def __init__(self, feed: Feed, glyphs: Glyphs) -> None:
        super().__init__(feed, glyphs)
        self.stopped = ""

    def mode(self) -> Mode:
        """A reason is asked for, or written; else as for every session."""
        prompt = self.query_one(Prompt)
        if prompt.display and prompt.purpose == "dismiss":
            return "reason"
        if not prompt.display and self.query_one(ReasonBar).aside is not None:
            return "why"
        return super().mode()

    # acting

    def over(self) -> bool:
        """The session has ended, or had to stop: say so, instead of trying."""
        if self.stopped:
            self.tell(self.stopped, "error")
            return True
        if self.feed.state.ended is not None:
            self.tell(OVER, "warning")
            return True
        return False

    async def attempt(self, action: Awaitable[None], done: str = "") -> bool:
        """Run an action of the feed; its refusal is a notice. False: refused."""
        try:
            await action
        except (AgentError, SessionError) as error:
            self.tell(OVER if self.feed.state.ended is not None else str(error), "error")
            return False
        finally:
            self.sync()
        if done:
            self.tell(done)
        return True

    def do(self, action: Callable[[], Awaitable[None]], done: str = "") -> None:
        """`attempt` beside the screen, unless the session is over."""
        if not self.over():
            self.run_worker(self.attempt(action(), done), group="feed")

    # dismissing

    def action_put_aside(self) -> None:
        """Ask why the chosen suggestion, or with none chosen the moment, is put aside."""
        moment = self.moment_at_cursor()
        if moment is None:
            self.tell("There is nothing to dismiss.")
            return
        if self.over():
            return
        chosen = self.suggestions.chosen
        entry = chosen.entry if chosen is not None else None
        self.query_one(ReasonBar).ask(Aside(moment.decision.id, entry))
        self.show_keys()

    @on(ReasonBar.Picked)
    def _reason_picked(self, message: ReasonBar.Picked) -> None:
        self._because(message.key)

    def _because(self, key: str) -> None:
        """A choice of the reason bar: dismiss for it, or have it written."""
        if key == OTHER:
            self.query_one(Prompt).ask("dismiss", "why; Enter dismisses it, Esc keeps it")
            self.show_keys()
        elif key in REASONS:
            self._dismiss(REASONS[key])

    def _dismiss(self, reason: str) -> None:
        aside = self.query_one(ReasonBar).done()
        self.show_keys()
        if aside is not None:
            self.suggestions.place = None
            dismissing = lambda: self.feed.dismiss(aside.decision, aside.entry, reason)  # noqa: E731
            self.do(dismissing, f"{aside.words} dismissed: {one_line(reason, 80)}.")

    def answered(self, purpose: str, text: str) -> bool:
        """The written reason; without one the question stays."""
        if purpose != "dismiss":
            return super().answered(purpose, text)
        if not text.strip():
            self.tell("Write why, or press Esc to keep it.", "warning")
            return False
        self._dismiss(text.strip())
        return True

    @on(Prompt.GivenUp)
    def _kept(self, message: Prompt.GivenUp) -> None:
        if message.purpose == "dismiss":
            self.query_one(ReasonBar).done()
            self.show_keys()

    def reason_key(self, event: events.Key) -> bool:
        """A key while a reason is asked for: its own give it, Enter sends nothing, the rest act as ever."""
        if self.mode() != "why" or not (event.key in ("escape", "enter") or event.key.isdigit()):
            return False
        event.stop()
        event.prevent_default()
        if event.key == "escape":
            self.query_one(ReasonBar).done()
            self.show_keys()
        else:
            self._because(event.key)
        return True
