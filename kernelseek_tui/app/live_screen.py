"""The screen of a live session: what comes, as it comes."""

from collections.abc import Callable
from datetime import UTC, datetime
from time import monotonic
from typing import ClassVar, Protocol

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from kernelseek_tui.app import figures
from kernelseek_tui.app.acting import ActingScreen, leaks
from kernelseek_tui.app.bindings import bindings
from kernelseek_tui.app.composer import Composer
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.header import SessionHeader, Standing
from kernelseek_tui.app.lines import Span
from kernelseek_tui.app.permission_bar import PermissionBar
from kernelseek_tui.app.reason_bar import ReasonBar
from kernelseek_tui.app.score import Read, spend_words
from kernelseek_tui.feed import Feed
from kernelseek_tui.plain import ascii_only, one_line
from sessions import events as ev

FRAME = 1 / 30
HOLD = 0.3
"""Seconds that unfinished text stays when it is no more, for the event that it became to take its place."""


class LiveFeed(Feed, Protocol):
    """A live session as this screen needs it."""

    @property
    def judged(self) -> bool:
        """The session works in a workspace, so that our judge can make evaluations."""

    @property
    def activity(self) -> str:
        """One line on what the judge is doing, or nothing."""

    @property
    def partial(self) -> str:
        """What the agent has written of an event that is not there yet, or nothing."""

    def on_activity(self, listener: Callable[[], None]) -> None:
        """Call `listener()` when `activity` or `partial` changes."""


class LiveScreen(ActingScreen):
    """Follows a feed. Events that come within a frame are drawn together."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(live=True)]

    def __init__(self, feed: LiveFeed, glyphs: Glyphs) -> None:
        super().__init__(feed, glyphs)
        self._live = feed
        self.ending = False
        self._due: Timer | None = None
        self._queued = False
        self._drawn = 0
        self._held: float | None = None

    def read_scores(self) -> Read | None:
        """That nothing is ever judged here, where it is so."""
        return None if self._live.judged else Read(foreign=True, live=True)

    def compose_below(self) -> ComposeResult:
        """What the judge does, why it all stopped, what the agent asks to be allowed, and the composer."""
        yield Static("", id="activity", markup=False)
        yield Static("", id="stopped", markup=False)
        yield PermissionBar(self.glyphs, id="permission")
        yield ReasonBar(self.glyphs, id="reason")
        yield Composer(leaks, self.glyphs, id="composer")

    def on_mount(self) -> None:
        """Listen, and let the clock run."""
        super().on_mount()
        self._drawn = len(self.feed.events)
        self.feed.subscribe(self._event)
        self._live.on_activity(self._activity)
        self._show_activity()
        self._show_partial()
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
        self._event(0)

    def _show_activity(self) -> None:
        line = self.query_one("#activity", Static)
        text = one_line(self._live.activity)
        line.update(Content(text if self.glyphs.braille else ascii_only(text)))
        line.display = bool(text)

    def _frame(self) -> None:
        self._due, self._queued = None, False
        moments = self._moments
        self._show_activity()
        self._show_partial()
        if len(self.feed.events) == self._drawn and len(self.feed.moments) == moments:
            return  # only the judge's line or the unfinished text changed
        self._drawn = len(self.feed.events)
        self.absorb()
        if self._moments > max(0, moments) and moments >= 0:
            self.app.bell()

    def stop(self, why: str) -> None:
        """The session had to end, in the middle: say why for as long as the screen stays."""
        self.stopped = f"{why} The session has stopped; what is shown is in the journal. q leaves."
        words = one_line(self.stopped, 1000)
        line = self.query_one("#stopped", Static)
        line.update(Content(words if self.glyphs.braille else ascii_only(words)))
        line.display = True
        self.show_header()

    def _show_partial(self) -> None:
        """Draw unfinished text; when it is gone, the old stays until what it became is there."""
        text = self._live.partial
        arrived = len(self.feed.events) > self._drawn
        if not text and self.transcript.book.writing and not arrived:
            if self._held is None:
                self._held = monotonic()
            if monotonic() - self._held < HOLD:
                self.set_timer(HOLD, self._frame)
                return
        self._held = None
        self.transcript.write(text)

    def agent_state(self) -> tuple[str, str]:
        """The badge: what the agent does, and the role it is drawn in."""
        state = self.feed.state
        if self.stopped:
            return "STOPPED", "bad"
        if state.ended is not None:
            return "ENDED", "muted"
        if self.ending:
            return "ENDING", "warn"
        if self.feed.paused:
            return "PAUSED", "warn"
        if state.open_permissions:
            return "ASKS YOU", "warn"
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
            if state.started.model:
                facts.append((state.started.model, "muted"))
        if words := spend_words(state.spend, ""):
            facts.insert(min(2, len(facts)), (words[-1], "text"))
        if self.feed.moments:
            facts.insert(0, (f"{self.glyphs.flag} {len(self.feed.moments)}", "flag"))
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
