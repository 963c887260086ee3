"""The screen of a live session: what comes, and what a person may do to the agent."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from time import monotonic
from typing import ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from bank.admission import lint_wording
from kernelseek_tui.agents.protocol import AgentError
from kernelseek_tui.app import figures
from kernelseek_tui.app.bindings import bindings
from kernelseek_tui.app.composer import Composer
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.header import SessionHeader, Standing
from kernelseek_tui.app.lines import Span
from kernelseek_tui.app.session import SessionScreen
from kernelseek_tui.feed import Feed
from kernelseek_tui.plain import one_line
from sessions import events as ev
from sessions.errors import SessionError

FRAME = 1 / 30
TWICE = 2.0
"""Seconds in which a key pressed twice counts as pressed twice."""


def leaks(text: str) -> list[str]:
    """Warning lines for words that may hand over the answer, as the composer shows them."""
    return [f"{found.lint} “{found.words}”: {found.message}" for found in lint_wording(text)]


class LiveFeed(Feed, Protocol):
    """A live session as this screen needs it."""

    @property
    def activity(self) -> str:
        """One line on what the judge is doing, or nothing."""

    def on_activity(self, listener: Callable[[], None]) -> None:
        """Call `listener()` when `activity` changes."""


class LiveScreen(SessionScreen):
    """Follows a feed. Events that come within a frame are drawn together."""

    live = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(live=True)]

    def __init__(self, feed: LiveFeed, glyphs: Glyphs) -> None:
        super().__init__(feed, glyphs)
        self._live = feed
        self.ending = False
        self._due: Timer | None = None
        self._queued = False
        self._armed = 0.0

    def compose_below(self) -> ComposeResult:
        """What the judge does, and the composer."""
        yield Static("", id="activity", markup=False)
        yield Composer(leaks, id="composer")

    def on_mount(self) -> None:
        """Listen, and let the clock run."""
        super().on_mount()
        self.feed.subscribe(self._event)
        self._live.on_activity(self._activity)
        self._show_activity()
        self.set_interval(1.0, self.show_header)

    def _event(self, index: int) -> None:
        # The session's own task calls this, outside the application's context: timers started here would
        # never fire. The screen's message queue takes it over.
        if not self._queued and self.is_running:
            self._queued = True
            self.call_later(self._soon)

    def _soon(self) -> None:
        if self._due is None:
            self._due = self.set_timer(FRAME, self._frame)

    def _activity(self) -> None:
        if self.is_running:
            self.call_later(self._show_activity)

    def _show_activity(self) -> None:
        line = self.query_one("#activity", Static)
        line.update(Content(one_line(self._live.activity)))
        line.display = bool(self._live.activity)

    def _frame(self) -> None:
        self._due, self._queued = None, False
        moments = self._moments
        self.absorb()
        if self._moments > max(0, moments) and moments >= 0:
            self.app.bell()

    def agent_state(self) -> tuple[str, str]:
        """The badge: what the agent does, and the role it is drawn in."""
        state = self.feed.state
        if state.ended is not None:
            return "ENDED", "muted"
        if self.ending:
            return "ENDING", "warn"
        if self.feed.paused:
            return "PAUSED", "warn"
        for event in reversed(self.feed.events):
            if isinstance(event, ev.TurnEnded):
                return "IDLE", "muted"
            if isinstance(
                event, ev.AgentText | ev.Thinking | ev.ToolCall | ev.ToolResult | ev.HumanMessage | ev.Edit
            ):
                return "WORKING", "good"
        return "STARTING", "muted"

    def show_header(self) -> None:
        """Agent state, turns, time, questioner."""
        state = self.feed.state
        badge, role = self.agent_state()
        facts: list[Span] = [(f"turn {state.turns}", "text")]
        if state.started is not None:
            if state.started.time is not None:
                ended = state.ended.time if state.ended is not None else None
                now = ended or datetime.now(UTC)
                facts.append((figures.duration(max(0.0, (now - state.started.time).total_seconds())), "text"))
            if state.started.questioner:
                facts.append((f"questioner {state.started.questioner}", "muted"))
            facts.append((state.started.agent_name, "muted"))
        if self.feed.moments:
            facts.append((f"{self.glyphs.flag} {len(self.feed.moments)}", "flag"))
        self.query_one(SessionHeader).show(
            Standing(
                title=self.feed.title,
                badge=f"{self.glyphs.tool} {badge}",
                badge_role=role,
                rehearsed=self.feed.rehearsed,
                following=self.transcript.window.follow,
                facts=tuple(facts),
            )
        )

    # asking

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Grey out what this agent cannot do, or what has nothing to act on."""
        if action == "pause":
            return True if self.feed.capabilities.pause else None
        return True

    def do(self, action: Awaitable[None], done: str = "") -> None:
        """Run an action of the feed; its refusal is a notice."""

        async def run() -> None:
            try:
                await action
            except (AgentError, SessionError) as error:
                self.tell(str(error), "error")
            else:
                if done:
                    self.tell(done)
            self.sync()

        self.run_worker(run(), group="feed")

    def action_send(self) -> None:
        """Send the chosen question as it stands."""
        chosen, moment = self.suggestions.chosen, self.moment_at_cursor()
        if chosen is None or moment is None:
            has = moment is not None and moment.suggestions
            self.tell(
                "Choose a question with 1–9 first." if has else "There is no question to send: i writes one."
            )
            return
        self.suggestions.place = None
        self.do(self.feed.ask(chosen.question, chosen.entry, moment.decision.id, False))

    def action_edit(self) -> None:
        """Edit the chosen question first."""
        moment = self.moment_at_cursor()
        if self.suggestions.chosen is None and moment is not None and moment.suggestions:
            self.suggestions.choose(0)
        chosen = self.suggestions.chosen
        if chosen is None or moment is None:
            self.tell("There is no question to edit: i writes one.")
            return
        self.query_one(Composer).edit(chosen.question, chosen.entry, moment.decision.id)

    def action_put_aside(self) -> None:
        """Put the chosen suggestion aside, or with none chosen the moment."""
        moment = self.moment_at_cursor()
        if moment is None:
            self.tell("There is nothing to dismiss.")
            return
        chosen = self.suggestions.chosen
        self.suggestions.place = None
        what = chosen.entry if chosen is not None else "The decision point"
        entry = chosen.entry if chosen is not None else None
        self.do(self.feed.dismiss(moment.decision.id, entry, "dismissed on screen"), f"{what} dismissed.")

    def action_write(self) -> None:
        """Write a message."""
        self.query_one(Composer).write()

    @on(Composer.Submitted)
    def _submitted(self, message: Composer.Submitted) -> None:
        edited = message.entry is not None and message.text != message.original
        self.do(self.feed.ask(message.text, message.entry, message.decision, edited))
        self.transcript.focus()

    @on(Composer.Left)
    def _left(self) -> None:
        self.transcript.focus()

    # the agent

    def action_pause(self) -> None:
        """Hold the agent, or let it go on."""
        if self.feed.paused:
            self.do(self.feed.resume(), "The agent goes on.")
        else:
            self.do(self.feed.pause(), "The agent is held before its next step; p lets it go on.")

    def action_back(self) -> None:
        """Esc: back; twice from the transcript: interrupt."""
        if self.leave_something():
            self._armed = 0.0
            return
        now = monotonic()
        if not self.feed.capabilities.interrupt:
            self.tell("This agent cannot be interrupted.")
        elif self._armed and now - self._armed <= TWICE:
            self._armed = 0.0
            self.do(self.feed.interrupt(), "Interrupted: the agent waits for a message.")
        else:
            self._armed = now
            self.tell("Esc again interrupts the agent.", "warning")
