"""The screen of a replay: a clock over a finished session, and nothing shown that came later."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import BindingType
from textual.timer import Timer
from textual.worker import get_current_worker

from bank.errors import BankError
from kernelseek_tui.app import figures
from kernelseek_tui.app.advice import current
from kernelseek_tui.app.bindings import bindings
from kernelseek_tui.app.decision_bar import DecisionBar
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.header import SessionHeader, Standing
from kernelseek_tui.app.lines import Span
from kernelseek_tui.app.pace import DEFAULT, faster, wait
from kernelseek_tui.app.places import place
from kernelseek_tui.app.prompt import Prompt
from kernelseek_tui.app.session import SessionScreen
from kernelseek_tui.app.transcript import Transcript
from kernelseek_tui.replay import ReplayFeed
from sessions.errors import SessionError
from sessions.state import SessionState

if TYPE_CHECKING:  # the bank need not be loaded before the first screen
    from kernelseek_tui.hindsight import Moment

NEAR = 40
"""Events around a recorded decision point within which today's version may have seen the same one."""


class ReplayScreen(SessionScreen):
    """`clock` is the newest event that is known; everything on the screen is as of it, or earlier."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(live=False)]
    feed: ReplayFeed

    def __init__(
        self, feed: ReplayFeed, glyphs: Glyphs, at: int | None = None, speed: float = DEFAULT
    ) -> None:
        super().__init__(feed, glyphs)
        self.clock = 0
        self.speed = speed
        self.playing = False
        self._at = at
        self._beside = False
        self._fresh = True
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        """The screen first, then the file."""
        super().on_mount()
        self._load()

    @work(thread=True, group="reading")
    def _load(self) -> None:
        """Read, then look for moments; the screen hears of each batch."""
        worker, app = get_current_worker(), self.app
        try:
            for stage in (self.feed.read(), self.feed.look()):
                for _ in stage:
                    if worker.is_cancelled:
                        return
                    app.call_from_thread(self.absorb)
        except (SessionError, BankError) as error:
            app.call_from_thread(self.tell, str(error), "error")

    def known(self) -> int:
        """Events up to the clock."""
        return min(self.clock + 1, len(self.feed.events))

    def absorb(self) -> None:
        """More was read: total and flags change, the clock does not."""
        if self._at is not None:
            found = self.feed.at_entry(self._at)
            if found is not None:
                self.clock, self._at, self._fresh = found, None, False
        super().absorb()
        if self._fresh and self._at is None and self.feed.events and self.transcript.window.height > 1:
            self._fresh = False
            self._first_page()

    def _first_page(self) -> None:
        """A session opens like a document: as much of its start as fits, nothing scrolled away."""
        book, room = self.transcript.book, self.transcript.window.height
        filled = 0
        for entry in range(len(book)):
            filled += len(book.rows(entry))
            if filled > room:
                break
            self.clock = entry
        self.go(self.clock)

    def state_at_cursor(self) -> tuple[SessionState, int | None]:
        """The state as of the cursor."""
        at = self.position()
        return self.feed.state_at(at), None if at >= len(self.feed.events) - 1 else at

    def moment_at_cursor(self) -> Moment | None:
        """The newest moment that was known at the cursor."""
        at = self.position()
        return current(self.feed.moments, self.feed.state_at(at), at + 1)

    def show_moment(self, moment: Moment | None, state: SessionState) -> None:
        """Recorded suggestions, or what would have been asked; with v, today's beside them."""
        index_of = self.transcript.book.index_of
        known = self.known()
        where: list[int | None] = []
        for item in moment.decision.evidence if moment else ():
            at = index_of(item.event)
            where.append(at if at is not None and at < known else None)
        reading = not (self.feed.read_done and self.feed.look_done)
        self.query_one(DecisionBar).show(moment, where, state, reading and not self.feed.moments)
        beside = self._today(moment) if self._beside and moment is not None else None
        self.suggestions.show(moment, state, self.feed.recorded, beside)

    def _today(self, moment: Moment) -> Moment | None:
        """What this version says nearest to a recorded moment: of its kind, and not later than the clock."""
        known = self.known()
        near = [
            item
            for item in self.feed.today
            if item.decision.decision == moment.decision.decision
            and abs(item.index - moment.index) <= NEAR
            and item.index < known
        ]
        return min(near, key=lambda item: abs(item.index - moment.index), default=None)

    def show_header(self) -> None:
        """REPLAY, speed, where we are, and what is still being read."""
        feed, glyphs = self.feed, self.glyphs
        sign = glyphs.play if self.playing else glyphs.pause
        total = len(feed.events)
        facts: list[Span] = []
        if not feed.read_done:
            facts.append((f"reading{glyphs.more} {total} events", "warn"))
        elif not feed.look_done:
            facts.append((f"looking for decision points{glyphs.more}", "warn"))
        facts.append((f"event {self.known()}/{total}", "text"))
        turns = self.transcript.book.turns
        facts.append((f"turn {turns.number(self.clock)}/{len(turns.starts)}", "text"))
        passed = sum(moment.index < self.known() for moment in feed.moments)
        facts.append((f"{glyphs.flag} {passed}/{len(feed.moments)}", "flag"))
        if (elapsed := self._elapsed()) is not None:
            facts.append((figures.duration(elapsed), "muted"))
        facts.append((feed.format, "muted"))
        self.query_one(SessionHeader).show(
            Standing(
                title=feed.title,
                badge=f"{sign} REPLAY {glyphs.times}{self.speed:g}",
                badge_role="accent",
                rehearsed=feed.rehearsed,
                facts=tuple(facts),
            )
        )

    def _elapsed(self) -> float | None:
        if not self.feed.events:
            return None
        first = next((event.time for event in self.feed.events if event.time), None)
        at = min(self.clock, len(self.feed.events) - 1)
        here = next(
            (self.feed.events[index].time for index in range(at, -1, -1) if self.feed.events[index].time),
            None,
        )
        return (here - first).total_seconds() if here and first and here >= first else None

    # the clock

    def go(self, entry: int) -> None:
        """Set the clock; what came later goes out of sight."""
        total = len(self.feed.events)
        self._at = None
        self._fresh = False
        self.clock = max(0, min(entry, total - 1))
        self.transcript.pinned = None
        self.transcript.window.follow = True
        self.transcript.show(self.known())
        self.sync()

    def action_step(self, step: int) -> None:
        """The next event that can be seen, or the one before."""
        entry = self.clock + step
        while 0 <= entry < len(self.feed.events) and self.transcript.book.hidden(entry):
            entry += step
        if 0 <= entry < len(self.feed.events):
            self.go(entry)
        elif self.playing:
            self._stop()

    def on_transcript_beyond(self, message: Transcript.Beyond) -> None:
        """Down at the last known entry lets the clock go on."""
        self.action_step(1)

    def action_go_start(self) -> None:
        """The first event."""
        self.go(0)

    def action_go_end(self) -> None:
        """The last event."""
        self.go(len(self.feed.events) - 1)

    def action_turn(self, step: int) -> None:
        """The next turn from the clock, or the one before."""
        turns = self.transcript.book.turns
        to = turns.after(self.clock) if step > 0 else turns.before(self.clock)
        if to is None:
            self.tell("No later turn." if step > 0 else "No earlier turn.")
        else:
            self.go(to)

    def no_flags(self) -> str:
        """Whether there is none, or none yet."""
        if not (self.feed.read_done and self.feed.look_done):
            return "Still reading: decision points are not known yet."
        return "No decision point in this session."

    def search_to(self) -> int:
        """Only what is known is searched."""
        return self.known()

    # playing

    def action_play(self) -> None:
        """Play from the clock, or stop."""
        if self.playing:
            self._stop()
            return
        if self.clock >= len(self.feed.events) - 1:
            self.go(0)
        self.playing = True
        self._next()
        self.show_header()

    def _stop(self) -> None:
        self.playing = False
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.show_header()

    def _next(self) -> None:
        """Wait for the next event. Many that come at once are shown at once."""
        total = len(self.feed.events)
        if not self.playing:
            return
        if self.clock >= total - 1:
            self._stop()
            return
        source = self.feed.events
        delay = wait(source[self.clock].time, source[self.clock + 1].time, self.speed)
        self._timer = self.set_timer(max(1 / 30, delay), self._tick)

    def _tick(self) -> None:
        source, entry = self.feed.events, self.clock + 1
        while (
            entry + 1 < len(source) and wait(source[entry].time, source[entry + 1].time, self.speed) < 1 / 120
        ):
            entry += 1
        self.go(entry)
        self._next()

    def action_speed(self, step: int) -> None:
        """Faster or slower."""
        self.speed = faster(self.speed, step)
        if self.playing:
            if self._timer is not None:
                self._timer.stop()
            self._next()
        self.show_header()

    # going, and today's version

    def action_go_to(self) -> None:
        """Ask where to."""
        self.query_one(Prompt).ask("go to", "go to: 120 (event), turn 7, 40%")

    def answered(self, purpose: str, text: str) -> None:
        """Go there."""
        if not text.strip():
            return
        to = place(text, len(self.feed.events), self.transcript.book.turns)
        if isinstance(to, str):
            self.tell(to, "warning")
        else:
            self.go(to)

    def action_today(self) -> None:
        """Show or hide what this version would say beside what was recorded."""
        if not self.feed.recorded:
            self.tell("This session has no recorded decision points: these are today's already.")
            return
        self._beside = not self._beside
        self.sync()
