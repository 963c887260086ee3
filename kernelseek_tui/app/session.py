"""What a reader does on the screen of a session, live or replayed: move, search, expand, copy."""

from __future__ import annotations

import os

from textual import on

from kernelseek_tui.app.bank_over import BrowsingScreen
from kernelseek_tui.app.clipboard import osc52
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.help import Help
from kernelseek_tui.app.prompt import Prompt
from kernelseek_tui.app.scoreboard import Scoreboard
from kernelseek_tui.app.search import find, words_of
from kernelseek_tui.app.suggestions import Suggestions
from kernelseek_tui.feed import Feed


class SessionScreen(BrowsingScreen):
    """Keys that live sessions and replays share."""

    def __init__(self, feed: Feed, glyphs: Glyphs) -> None:
        super().__init__(feed, glyphs)
        self._searching = False

    @on(Suggestions.Chosen)
    def _clicked(self, message: Suggestions.Chosen) -> None:
        self.action_choose(message.place)

    # moving

    def action_up(self) -> None:
        """The entry above, or a row up in the focused pane."""
        self._up_or_down(-1)

    def action_down(self) -> None:
        """The entry below, or a row down in the focused pane."""
        self._up_or_down(1)

    def _up_or_down(self, step: int) -> None:
        focused = self.focused
        if isinstance(focused, Scoreboard | Suggestions):
            focused.scroll_relative(y=step, animate=False)
        else:
            self.transcript.move(step)

    def action_page(self, step: int) -> None:
        """A page up or down."""
        self.transcript.page(step)

    def action_top(self) -> None:
        """The first entry."""
        self.transcript.select(0)

    def action_bottom(self) -> None:
        """The end, and follow it."""
        self.transcript.select(None)

    def action_follow(self) -> None:
        """Follow the end, or stop."""
        follow = not self.transcript.window.follow
        self.transcript.set_follow(follow)

    def action_turn(self, step: int) -> None:
        """The next turn, or the one before."""
        turns, cursor = self.transcript.book.turns, self.position()
        to = turns.after(cursor) if step > 0 else turns.before(cursor)
        if to is None:
            self.tell("No later turn." if step > 0 else "No earlier turn.")
        else:
            self.go(to)

    def flag_entries(self) -> list[int]:
        """Where the decision points stand, in order."""
        return sorted({moment.index for moment in self.feed.moments})

    def action_next_flag(self, step: int) -> None:
        """The next decision point, or the one before; search hits while searching."""
        if self._searching:
            self._find(step)
            return
        cursor = self.position()
        places = self.flag_entries()
        ahead = [at for at in places if (at > cursor if step > 0 else at < cursor)]
        if ahead:
            self.go(ahead[0] if step > 0 else ahead[-1])
        else:
            self.tell(
                ("No later decision point." if step > 0 else "No earlier one.") if places else self.no_flags()
            )

    def no_flags(self) -> str:
        """What to say when there is no decision point at all."""
        return "No decision point so far."

    # searching and going

    def action_search(self) -> None:
        """Ask what to search."""
        self.query_one(Prompt).ask("search", "search the transcript; Enter, then n and N; Esc ends")
        self.show_keys()

    def _find(self, step: int, start: int | None = None) -> None:
        transcript = self.transcript
        at = transcript.cursor if start is None else start
        found = find(self.feed.events, transcript.pattern, at, step, self.search_to())
        if found is None:
            self.tell(f"Nothing holds “{transcript.pattern}”.")
            return
        if found == at:
            self.tell("This is the only hit.")
        elif (found < at) == (step > 0):
            self.tell("Round from the end to the start." if step > 0 else "Round from the start to the end.")
        self.go(found)

    def search_to(self) -> int:
        """Events that a search looks at."""
        return self.known()

    @on(Prompt.Answered)
    def _answered(self, message: Prompt.Answered) -> None:
        if message.purpose == "search":
            self.transcript.pattern = message.text
            self.transcript.refresh()
            if message.final:
                self._searching = bool(message.text)
                self._close_prompt()
                if message.text:
                    self._find(1, start=self.transcript.cursor - 1)
        elif message.final and self.answered(message.purpose, message.text):
            self._close_prompt()

    def answered(self, purpose: str, text: str) -> bool:
        """Something else was asked for and answered; False: it is no answer, and asked for still."""
        return True

    @on(Prompt.GivenUp)
    def _given_up(self) -> None:
        self._end_search()
        self._close_prompt()

    def _close_prompt(self) -> None:
        self.query_one(Prompt).done()
        self.transcript.focus()
        self.show_keys()

    def _end_search(self) -> bool:
        was = self._searching or bool(self.transcript.pattern)
        self._searching = False
        self.transcript.pattern = ""
        self.transcript.refresh()
        return was

    # reading

    def action_expand(self) -> None:
        """Show the entry whole, or its first rows."""
        self.transcript.toggle_entry()

    def action_expand_all(self) -> None:
        """Show every entry whole, or none."""
        self.transcript.toggle_all()

    def action_copy(self) -> None:
        """Copy the entry."""
        entry = self.transcript.target()
        driver = self.app._driver
        if entry is None or driver is None:
            return
        driver.write(osc52(words_of(self.feed.events[entry]), os.environ))
        self.tell(f"Event {entry + 1} was sent to the terminal's clipboard (OSC 52).")

    def action_choose(self, place: int) -> None:
        """Choose a suggestion."""
        if self.suggestions.choose(place):
            if self.has_class("-narrow"):
                self._show_pane("ask")
        else:
            self.tell(f"There is no suggestion {place + 1} here.")

    def action_claims(self) -> None:
        """The claim ledger."""
        self.open_claims()

    def action_help(self) -> None:
        """All keys."""
        self.app.push_screen(Help(self.glyphs, self.live))

    def action_palette(self) -> None:
        """All commands."""
        self.app.action_command_palette()

    def leave_something(self) -> bool:
        """End the search or go back to the transcript; False when there was nothing to leave."""
        if self._end_search():
            return True
        if self.pane != "transcript":
            self._show_pane("transcript")
            return True
        return False

    def action_back(self) -> None:
        """Esc."""
        self.leave_something()
