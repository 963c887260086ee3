"""The panes of a session's screen, how they are drawn from a feed, and which of them has the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from kernelseek_tui.app.advice import current, last_words, nothing_yet
from kernelseek_tui.app.decision_bar import DecisionBar
from kernelseek_tui.app.figures import ratio
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.header import SessionHeader
from kernelseek_tui.app.key_bar import KeyBar
from kernelseek_tui.app.keys import Mode
from kernelseek_tui.app.notice import Notice, NoticeScreen
from kernelseek_tui.app.painted import PAINT
from kernelseek_tui.app.prompt import Prompt
from kernelseek_tui.app.score import Conduct, Read
from kernelseek_tui.app.scoreboard import Scoreboard
from kernelseek_tui.app.small import MIN_COLUMNS, MIN_ROWS, too_small
from kernelseek_tui.app.suggestions import Suggestions
from kernelseek_tui.app.tabs import PANES, Tabs
from kernelseek_tui.app.timeline import Timeline
from kernelseek_tui.app.transcript import Transcript
from kernelseek_tui.feed import Feed
from sessions.state import SessionState

if TYPE_CHECKING:  # the bank need not be loaded before the first screen
    from kernelseek_tui.hindsight import Moment


class PanesScreen(NoticeScreen):
    """Draws a feed. Subclasses say how many events are known and what the cursor means for the state."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012 - as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]  # noqa: RUF012 - as Textual declares it
    AUTO_FOCUS = "#transcript"
    COMPONENT_CLASSES = PAINT
    live = False

    def __init__(self, feed: Feed, glyphs: Glyphs) -> None:
        super().__init__()
        self.feed = feed
        self.glyphs = glyphs
        self.pane = "transcript"
        self._counted = 0
        self._moments = -1
        self._ready = False

    # what is drawn

    def compose(self) -> ComposeResult:
        """Header, tabs, panes, prompt, timeline, what the subclass adds, keys."""
        yield SessionHeader(self.glyphs, id="header")
        yield Tabs(self.glyphs, id="tabs")
        with Horizontal(id="main"):
            yield Transcript(self.glyphs, id="transcript")
            with Vertical(id="side"):
                yield Scoreboard(self.glyphs, id="score")
                with Vertical(id="ask") as ask:
                    ask.border_title = Content("ASK")
                    yield DecisionBar(self.glyphs, replay=not self.live, id="moment")
                    yield Suggestions(self.glyphs, replay=not self.live, id="suggestions")
        yield Prompt(id="prompt")
        yield Timeline(self.glyphs, id="timeline")
        yield from self.compose_below()
        yield KeyBar(self.glyphs, self.live, id="keys")
        yield Notice(self.glyphs, id="notice")
        yield Static(too_small(self.glyphs), id="too-small", markup=False)

    def compose_below(self) -> ComposeResult:
        """What stands between timeline and keys."""
        yield from ()

    @property
    def transcript(self) -> Transcript:
        """The transcript pane."""
        return self.query_one(Transcript)

    @property
    def suggestions(self) -> Suggestions:
        """The suggestions pane."""
        return self.query_one(Suggestions)

    def on_mount(self) -> None:
        """First drawing."""
        self._ready = True
        self.set_class(not self.glyphs.braille, "-ascii")
        self._show_pane("transcript")
        self.absorb()

    def on_resize(self, event: events.Resize) -> None:
        """Say which size is needed where there is too little room."""
        was = self.has_class("-tiny")
        self.set_class(event.size.width < MIN_COLUMNS or event.size.height < MIN_ROWS, "-tiny")
        if was and not self.has_class("-tiny") and self._ready and self.focused is None:
            self._show_pane(self.pane)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """On a screen that is too small to show anything nothing is done."""
        return not self.has_class("-tiny")

    def known(self) -> int:
        """How many events may be shown."""
        return len(self.feed.events)

    def position(self) -> int:
        """The event that the cursor stands for: the picked entry, or the newest known event."""
        pinned = self.transcript.pinned
        return max(0, self.known() - 1) if pinned is None else pinned

    def state_at_cursor(self) -> tuple[SessionState, int | None]:
        """The state for the scoreboard, and the event it is as of when that is not the newest."""
        pinned = self.transcript.pinned
        return (self.feed.state, None) if pinned is None else (self.feed.state.as_of(pinned), pinned)

    def moment_at_cursor(self) -> Moment | None:
        """The moment that the decision bar shows."""
        return current(self.feed.moments, self.feed.state, self.known())

    def absorb(self) -> None:
        """Take in what the feed has more than before and draw it, once for all of it."""
        source = self.feed.events
        track = self.query_one(Timeline).track
        for index in range(self._counted, len(source)):
            track.take(source[index])
        self._counted = len(source)
        self.transcript.take(source, self.known())
        moments = self.feed.moments
        if len(moments) != self._moments:
            self._moments = len(moments)
            self.transcript.mark(moments)
            track.flag(moment.index for moment in moments)
        self.sync()

    def sync(self) -> None:
        """Draw everything but the transcript for where the cursor is."""
        if not self._ready:
            return
        state, as_of = self.state_at_cursor()
        self.query_one(Scoreboard).show(state, as_of, self.read_scores(), self.conduct())
        self.query_one(Timeline).show(self.known(), self.position())
        moment = self.moment_at_cursor()
        self.show_moment(moment, state)
        flags = sum(moment.index < self.known() for moment in self.feed.moments)
        newest = state.latest.event.geomean if state.latest else None
        self.query_one(Tabs).show(self.pane, flags, ratio(newest, self.glyphs.times) if newest else "")
        self.show_header()
        self.show_keys()

    def show_keys(self) -> None:
        """Draw the bottom row for what the keyboard does now."""
        self.query_one(KeyBar).show(self.mode(), self.off())

    def mode(self) -> Mode:
        """What the keyboard does."""
        prompt = self.query_one(Prompt)
        if prompt.display:
            return "search" if prompt.purpose == "search" else "go to"
        return "reading"

    def off(self) -> frozenset[str]:
        """Actions that are not to be had here."""
        return frozenset()

    def show_moment(self, moment: Moment | None, state: SessionState) -> None:
        """Draw the decision bar and the suggestions."""
        index_of = self.transcript.book.index_of
        where = [index_of(item.event) for item in moment.decision.evidence] if moment else []
        hint = nothing_yet(last_words(self.feed.moments, state, self.known()))
        self.query_one(DecisionBar).show(moment, where, state, hint)
        self.suggestions.show(moment, state)
        self.query_one("#ask").set_class(moment is not None and self.live, "-open")

    def read_scores(self) -> Read | None:
        """Of a replay: what its text holds of scores up to the cursor."""
        return None

    def conduct(self) -> Conduct | None:
        """What is known at the cursor of the agent's claims and reading."""
        return None

    def show_header(self) -> None:
        """Draw the top row."""

    @on(KeyBar.Pressed)
    async def _pressed(self, message: KeyBar.Pressed) -> None:
        await self.run_action(message.action)

    @on(Transcript.Moved)
    def _moved(self) -> None:
        self.sync()

    @on(Transcript.Followed)
    def _followed(self) -> None:
        self.show_header()

    @on(Timeline.Seek)
    def _sought(self, message: Timeline.Seek) -> None:
        self.go(message.entry)

    @on(Tabs.Picked)
    def _picked(self, message: Tabs.Picked) -> None:
        if message.pane in PANES:
            self._show_pane(message.pane)

    def go(self, entry: int) -> None:
        """Put the cursor on an entry."""
        self.transcript.select(entry)

    # panes

    def action_pane(self, pane: str) -> None:
        """Show and focus a pane; on a small screen, or when it has the focus, its key leads back."""
        self._show_pane("transcript" if pane == self.pane else pane)

    def action_next_pane(self, step: int) -> None:
        """The next pane."""
        self._show_pane(PANES[(PANES.index(self.pane) + step) % len(PANES)])

    def _show_pane(self, pane: str) -> None:
        self.pane = pane
        for name in PANES:
            self.set_class(name == pane, f"-{name}")
        into: dict[str, type[Widget]] = {"transcript": Transcript, "score": Scoreboard, "ask": Suggestions}
        self.query_one(into[pane]).focus()
        self.sync()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A click that focuses a pane makes it the current one; the keys are those of what has the focus."""
        if self._ready:
            self.show_keys()
        for pane, kind in (("transcript", Transcript), ("score", Scoreboard), ("ask", Suggestions)):
            if isinstance(event.widget, kind):
                self.pane = pane
