"""A clock over the events of a session: stepping, jumping, playing."""

from textual.timer import Timer

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.pace import faster, wait
from kernelseek_tui.app.places import place
from kernelseek_tui.app.prompt import Prompt
from kernelseek_tui.app.session import SessionScreen
from kernelseek_tui.app.transcript import Transcript
from kernelseek_tui.feed import Feed


class ClockScreen(SessionScreen):
    """`clock` is the newest event that is known; nothing is shown that came later."""

    def __init__(self, feed: Feed, glyphs: Glyphs, speed: float) -> None:
        super().__init__(feed, glyphs)
        self.clock = 0
        self.speed = speed
        self.playing = False
        self._timer: Timer | None = None

    def known(self) -> int:
        """Events up to the clock."""
        return min(self.clock + 1, len(self.feed.events))

    # the clock

    def go(self, entry: int) -> None:
        """Set the clock as the reader wants it."""
        self.set_clock(entry)

    def set_clock(self, entry: int) -> None:
        """Set the clock; what came later goes out of sight."""
        total = len(self.feed.events)
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

    def jump(self, entry: int) -> None:
        """Read back in what is known; the clock stays, and stops for it."""
        if self.playing:
            self._stop()
        super().jump(entry)

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

    # going

    def action_go_to(self) -> None:
        """Ask where to."""
        self.query_one(Prompt).ask("go to", "go to: 120 (event), turn 7, 40%")
        self.show_keys()

    def answered(self, purpose: str, text: str) -> bool:
        """Go there; with an answer that is no place, the question stays."""
        if not text.strip():
            return True
        to = place(text, len(self.feed.events), self.transcript.book.turns)
        if isinstance(to, str):
            self.tell(to, "warning")
            return False
        self.go(to)
        return True
