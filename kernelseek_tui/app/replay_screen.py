"""The screen of a replay: a clock over a finished session, and nothing shown that came later."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.worker import get_current_worker

from bank.errors import BankError
from kernelseek_tui.app import figures
from kernelseek_tui.app.advice import current, last_words, nothing_here
from kernelseek_tui.app.bindings import bindings
from kernelseek_tui.app.clock import ClockScreen
from kernelseek_tui.app.decision_bar import DecisionBar
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.header import SessionHeader, Standing
from kernelseek_tui.app.lines import Span
from kernelseek_tui.app.pace import DEFAULT
from kernelseek_tui.app.score import Read
from kernelseek_tui.app.standing_row import StandingRow
from kernelseek_tui.replay import ReplayFeed
from sessions.errors import SessionError
from sessions.state import SessionState

if TYPE_CHECKING:  # the bank need not be loaded before the first screen
    from kernelseek_tui.hindsight import Moment

NEAR = 40
"""Events around a recorded decision point within which today's version may have seen the same one."""


class ReplayScreen(ClockScreen):
    """`clock` is the newest event that is known; everything on the screen is as of it, or earlier."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(live=False)]
    feed: ReplayFeed

    def __init__(
        self,
        feed: ReplayFeed,
        glyphs: Glyphs,
        at: int | None = None,
        speed: float = DEFAULT,
        reading: Iterator[int] | None = None,
    ) -> None:
        """`reading`: `feed.read()`, begun before the screen opened."""
        super().__init__(feed, glyphs, speed)
        self._reading = reading
        self._at = at
        self._beside = False
        self._fresh = True
        self._following = False
        self._grew = False

    def compose_below(self) -> ComposeResult:
        """Why the file is followed no more."""
        yield StandingRow(self.glyphs, id="lost")

    def on_mount(self) -> None:
        """The screen first, then the file."""
        super().on_mount()
        self.call_after_refresh(self._opened)
        self.set_interval(1.0, self._watch)

    def _opened(self) -> None:
        """The first frame is drawn: what made it stays, and is never looked through for garbage again."""
        if not gc.isenabled():  # as the command left it
            gc.freeze()
            gc.enable()
        self._load()

    @work(thread=True, group="reading")
    def _load(self) -> None:
        """Read, then look for moments; the screen hears of each batch."""
        self._read((self._reading or self.feed.read(), self.feed.look()))

    @work(thread=True, group="reading", exclusive=True)
    def _load_more(self) -> None:
        """Read what the file got since, and look at it."""
        self._read((self.feed.read_on(), self.feed.look()))

    def _read(self, stages: Iterable[Iterator[int]]) -> None:
        worker, app = get_current_worker(), self.app
        try:
            for stage in stages:
                for _ in stage:
                    if worker.is_cancelled:
                        return
                    app.call_from_thread(self.absorb)
        except (SessionError, BankError) as error:
            app.call_from_thread(self._failed, str(error))

    def _failed(self, why: str) -> None:
        """What has come is all there will be: the header must not promise more."""
        self._following = False
        self.tell(why, "error")
        self._stand()
        self.show_header()

    def absorb(self) -> None:
        """More was read: total and flags change, the clock does not."""
        if self._at is not None:
            found = self.feed.at_entry(self._at)
            if found is not None:
                if self._at >= self.feed.entries:
                    last = max(0, self.feed.entries - 1)
                    self.tell(f"Entry {self._at} is beyond the end: the last is {last}.", "warning")
                self.clock, self._at, self._fresh = found, None, False
        super().absorb()
        if self._following and self.clock < len(self.feed.events) - 1:
            self.set_clock(len(self.feed.events) - 1)
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
        return current(self.feed.moments, self.feed.state_at(at), at + 1, history=True)

    def read_scores(self) -> Read | None:
        """What the text printed up to the cursor."""
        at = self.position()
        return Read(self.feed.foreign, tuple(item for item in self.feed.printed if item[0] <= at))

    def show_moment(self, moment: Moment | None, state: SessionState) -> None:
        """Recorded suggestions, or what would have been asked; with v, today's beside them."""
        index_of = self.transcript.book.index_of
        known = self.known()
        where: list[int | None] = []
        for item in moment.decision.evidence if moment else ():
            at = index_of(item.event)
            where.append(at if at is not None and at < known else None)
        reading = not (self.feed.read_done and self.feed.look_done)
        at, moments = self.position(), self.feed.moments
        hint = nothing_here(
            last_words(moments, state, at + 1),
            reading=reading and not moments,
            later=any(item.index > at for item in moments),
        )
        self.query_one(DecisionBar).show(moment, where, state, hint)
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
        passed = sum(moment.index < self.known() for moment in feed.moments)
        facts: list[Span] = [(f"{glyphs.flag} {passed}", "flag")]
        if self._grew:
            facts.append(("the file grew: f reads on", "warn"))
        if not feed.read_done:
            facts.append((f"reading{glyphs.more} {total} events", "warn"))
        elif not feed.look_done:
            facts.append((f"looking for decision points{glyphs.more}", "warn"))
        facts.append((f"event {self.known()}/{total}", "text"))
        facts.append((f"turn {self.transcript.book.turns.number(self.clock)}", "text"))
        if (elapsed := self._elapsed()) is not None:
            facts.append((figures.duration(elapsed), "muted"))
        facts.append((feed.format, "muted"))
        self.query_one(SessionHeader).show(
            Standing(
                title=feed.title,
                badge=f"{sign} REPLAY {glyphs.times}{self.speed:g}",
                badge_role="accent",
                rehearsed=feed.rehearsed,
                following=self._following,
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

    def no_flags(self) -> str:
        """Whether there is none, or none yet."""
        if not (self.feed.read_done and self.feed.look_done):
            return "Still reading: decision points are not known yet."
        return "No decision point in this session."

    def go(self, entry: int) -> None:
        """Where the reader wants the clock; a growing file is followed no more."""
        self._following, self._at, self._fresh = False, None, False
        super().go(entry)

    def jump(self, entry: int) -> None:
        """Read back; a growing file is followed no more."""
        self._following = False
        super().jump(entry)

    # a file that grows

    def _watch(self) -> None:
        """Once a second: did the file grow? It is read on when the reader follows it, else they are told.

        A file that did anything else is followed no more, and a sentence stands there that says so.
        """
        if not self.feed.look_done:
            return
        if self._stand():
            return
        grew = self.feed.grew()
        if grew and self._following:
            self._load_more()
        elif grew != self._grew:
            self._grew = grew
            self.show_header()

    def _stand(self) -> bool:
        """Say what became of the file, for as long as it is so; whether it can be followed no more."""
        lost, row = self.feed.lost(), self.query_one(StandingRow)
        if lost != row.text:
            row.show(lost)
            if lost:
                self._following = self._grew = False
            self.show_header()
        return bool(lost)

    def action_follow(self) -> None:
        """Read on, and stay at the end of the file as it grows; or stop."""
        if self._following:
            self._following = False
            self.tell("Not following any more.")
            self.show_header()
            return
        if not self.feed.look_done:
            self.tell("Still reading.")
            return
        if self._stand():
            self.tell("The file cannot be followed any more.", "warning")
            return
        self.action_go_end()
        self._following, self._grew = True, False
        self.tell("Following the file: what it gets is shown here. f stops.")
        self._watch()
        self.show_header()

    def action_kept(self) -> None:
        """What a reader thinks of a moment is a label; the history stays as it is."""
        self.tell(
            f"A replay keeps its history; `kernelseek sessions annotate {self.feed.path}` labels moments."
        )

    def action_today(self) -> None:
        """Show or hide what this version would say beside what was recorded."""
        if not self.feed.recorded:
            self.tell("This session has no recorded decision points: these are today's already.")
            return
        self._beside = not self._beside
        self.sync()
