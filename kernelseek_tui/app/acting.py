"""What a person does to a live agent: asks, answers what it asks, holds and interrupts it."""

import os
from time import monotonic

from textual import events, on

from bank.admission import lint_wording
from bank.question import Question
from kernelseek_tui.agents.protocol import PermissionChoice
from kernelseek_tui.app.clipboard import osc9
from kernelseek_tui.app.composer import Composer, Purpose
from kernelseek_tui.app.dismissing import DismissingScreen
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.keys import PERMIT_KEYS, Mode
from kernelseek_tui.app.permission_bar import PermissionBar
from kernelseek_tui.app.render.tools import summary
from kernelseek_tui.feed import Feed
from kernelseek_tui.plain import one_line
from sessions import events as ev

TWICE = 2.0
"""Seconds in which a key pressed twice counts as pressed twice."""
SETTLE = 0.5
"""Seconds a permission request is on the screen before a key answers it: a key pressed for something else
must not allow what nobody has read."""
_MOVES = ev.HumanMessage | ev.QuestionAsked | ev.AgentText | ev.Thinking | ev.ToolCall | ev.ToolResult


def leaks(text: str) -> list[str]:
    """Warning lines for words that may hand over the answer, as the composer shows them."""
    return [_leak(found.lint, found.words, found.message) for found in lint_wording(text)]


def _leak(lint: str, words: str, message: str) -> str:
    """The words once, at the place where the message has them, else before it."""
    said = words.lower() in message.lower()
    return f"{message} ({lint})" if said else f"“{words}”: {message} ({lint})"


class ActingScreen(DismissingScreen):
    """Keys and composer of a live session. Whatever is refused is said, and no word is lost by it."""

    live = True

    def __init__(self, feed: Feed, glyphs: Glyphs) -> None:
        super().__init__(feed, glyphs)
        self._armed = 0.0
        self._asking: str | None = None
        self._asked_at = 0.0

    def sync(self) -> None:
        """Draw what the agent asks to be allowed, too."""
        if self._ready:
            self._show_requests()
        super().sync()

    def _show_requests(self) -> None:
        requests = [seen.event for seen in self.feed.state.open_permissions]
        first = requests[0].request if requests else None
        if first != self._asking:
            self._asking, self._asked_at = first, monotonic()
            if requests:
                self._call_person(f"the agent asks to use {requests[0].tool}: {summary(requests[0], 120)}")
        self.query_one(PermissionBar).show(requests)

    def _call_person(self, text: str) -> None:
        """Ring; where the terminal is out of sight, a notification of the desktop as well (OSC 9)."""
        self.app.bell()
        if not self.app.app_focus and self.app._driver is not None:
            self.app._driver.write(osc9(f"KernelSeek: {text}", os.environ))

    def mode(self) -> Mode:
        """Writing a message, an edited question or a denial; else as for every session."""
        composer = self.query_one(Composer)
        if composer.draft.has_focus:
            purpose = composer.purpose
            return "deny" if purpose.request else "edit" if purpose.entry else "message"
        return super().mode()

    def off(self) -> frozenset[str]:
        """An agent that cannot be held."""
        return frozenset() if self.feed.capabilities.pause else frozenset({"pause"})

    # asking

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Grey out what this agent cannot do, or what has nothing to act on."""
        if action == "pause" and not self.feed.capabilities.pause:
            return None
        return super().check_action(action, parameters)

    async def ask(self, text: str, entry: str | None, decision: str | None, edited: bool) -> bool:
        """Send a question; True when it has left, so that nothing has to be kept of it."""
        before = len(self.feed.state.receipts)
        if not await self.attempt(self.feed.ask(text, entry, decision, edited)):
            return False
        mine = {seen.event.id for seen in self.feed.state.asked if seen.event.text == text}
        for seen in self.feed.state.receipts[before:]:
            if seen.event.parent in mine and seen.event.receipt == "failed":
                why = one_line(seen.event.detail) or "The agent did not take it."
                self.tell(f"Not sent: {why}", "error")
                return False
        return True

    def action_send(self) -> None:
        """Send the chosen question as it stands."""
        chosen, moment = self.suggestions.chosen, self.moment_at_cursor()
        if chosen is None or moment is None:
            has = moment is not None and moment.suggestions
            self.tell(
                "Choose a question with 1–9 first." if has else "There is no question to send: i writes one."
            )
            return
        if self.over():
            return
        self.suggestions.place = None
        self.run_worker(self.ask(chosen.question, chosen.entry, moment.decision.id, False), group="feed")

    def action_edit(self) -> None:
        """Edit the chosen question first."""
        moment = self.moment_at_cursor()
        if self.suggestions.chosen is None and moment is not None and moment.suggestions:
            self.suggestions.choose(0)
        chosen = self.suggestions.chosen
        if chosen is None or moment is None:
            self.tell("There is no question to edit: i writes one.")
            return
        if self.over():
            return
        self.query_one(Composer).edit(chosen.question, chosen.entry, moment.decision.id)

    def action_write(self) -> None:
        """Write a message."""
        if not self.over():
            self.query_one(Composer).write()

    takes_questions = True

    def may_take(self) -> bool:
        """A question of the bank can be written while the session is not over."""
        return not self.over()

    def question_taken(self, entry: Question, text: str) -> None:
        """A question of the bank, to edit first. It answers the open moment where it serves its kind."""
        moment = self.moment_at_cursor()
        serves = moment is not None and moment.decision.decision in entry.decision_kinds
        decision = moment.decision.id if moment is not None and serves else None
        self.query_one(Composer).edit(text, entry.id, decision)
        self.show_keys()

    @on(Composer.Submitted)
    def _submitted(self, message: Composer.Submitted) -> None:
        self.run_worker(self._send_draft(message.text, message.purpose), group="feed")

    async def _send_draft(self, text: str, purpose: Purpose) -> None:
        """Send what was written; the draft is cleared only when it has left."""
        composer = self.query_one(Composer)
        if self.over():
            sent = False
        elif purpose.request is not None:
            sent = await self._deny(purpose.request, text)
        else:
            edited = purpose.entry is not None and text != purpose.original
            sent = await self.ask(text, purpose.entry, purpose.decision, edited)
        if sent:
            composer.sent(text)
            self.transcript.focus()
        else:
            composer.kept()
        self.show_keys()

    # permissions

    async def on_key(self, event: events.Key) -> None:
        """While the agent waits to be allowed something, y, a and d answer it; as a reason is asked for, its
        own keys give it."""
        if self.reason_key(event):
            return
        answer = next((key for key in PERMIT_KEYS if key.keys == event.key), None)
        waiting = self._asking is not None and monotonic() - self._asked_at >= SETTLE
        if answer is not None and waiting and self.mode() == "reading":
            event.stop()
            event.prevent_default()
            await self.run_action(answer.action)

    @on(PermissionBar.Picked)
    async def _permitted(self, message: PermissionBar.Picked) -> None:
        await self.run_action(message.action)

    def action_permit(self, choice: PermissionChoice) -> None:
        """Answer the oldest open request; a denial is written first."""
        requests = self.feed.state.open_permissions
        if not requests:
            self.tell("The agent asks for nothing.")
            return
        request = requests[0].event
        if choice == "deny":
            self.query_one(Composer).deny(request.request, one_line(request.tool, 40))
            self.show_keys()
            return
        done = f"{one_line(request.tool, 40)} {'always ' if choice == 'always' else ''}allowed."
        if choice == "always" and request.always:
            done = f"Allowed: {one_line(request.always, 200)}."
        self.do(lambda: self.feed.answer(request.request, choice, ""), done)

    async def _deny(self, request: str, text: str) -> bool:
        if all(seen.event.request != request for seen in self.feed.state.open_permissions):
            self.tell("That request is over: it was answered, or its turn has ended.", "warning")
            return False
        return await self.attempt(self.feed.answer(request, "deny", text), "Denied.")

    @on(Composer.Left)
    def _left(self) -> None:
        self.transcript.focus()

    # the agent

    def action_pause(self) -> None:
        """Hold the agent, or let it go on."""
        if self.feed.paused:
            self.do(self.feed.resume, "The agent goes on.")
        else:
            self.do(self.feed.pause, "The agent is held before its next step; p lets it go on.")

    def action_back(self) -> None:
        """Esc: back; twice from the transcript: interrupt."""
        if self.leave_something():
            self._armed = 0.0
            return
        now = monotonic()
        if self.over():
            return
        if not self.feed.capabilities.interrupt:
            self.tell("This agent cannot be interrupted.")
        elif self._armed and now - self._armed <= TWICE:
            self._armed = 0.0
            self.do(self.feed.interrupt, "Interrupted: the agent waits for a message.")
        else:
            self._armed = now
            hint = "Nothing is running: the agent waits for a message."
            self.tell(hint if self._waits() else "Esc again interrupts the agent.", "warning")

    def _waits(self) -> bool:
        """The agent has given the word back, and nothing was sent since."""
        for event in reversed(self.feed.events):
            if isinstance(event, ev.TurnEnded | _MOVES):
                return isinstance(event, ev.TurnEnded)
        return False
