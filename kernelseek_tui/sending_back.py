"""Sends an agent back to an unmet goal where its client's own stop hook did not run.

The second line of the hold: same clauses, same limits, but as a message, so the agent begins another turn.
"""

from collections.abc import Callable
from dataclasses import dataclass

from kernelseek_tui.hooks.stop import Chain, Standing, rule
from sessions import events as ev

AUTHOR = "goal"
"""Who asks, in the journal: neither a person nor a questioner."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What follows from a stop that nobody held: a message for the agent and events, either may be none."""

    message: str = ""
    events: tuple[ev.GoalVerdict | ev.Note, ...] = ()


class SendingBack:
    """Rules on stops, one after another. `look` says where the goal stands, from files (`hooks.standing`)."""

    def __init__(self, look: Callable[[], Standing]) -> None:
        self._look = look
        self._chain = Chain()
        self._sent = False
        self._worked = False

    def see(self, event: ev.AnyEvent) -> None:
        """Take note of what happens between two stops."""
        if isinstance(event, ev.ToolCall):
            self._worked = True

    def stopped(self, why: str) -> Verdict:
        """Rule on a stop that was not held for the reason `why`."""
        where = self._look()
        ruling = rule(where, self._chain, continued=self._sent, worked=self._worked)
        self._chain, self._sent, self._worked = ruling.chain, ruling.block, False
        events: tuple[ev.GoalVerdict | ev.Note, ...] = ()
        if where.kind == "unknown":
            events = (ev.GoalVerdict(id="", met=None, reason=f"{why} {where.words}"),)
        if ruling.aloud:
            events = (*events, ev.Note(id="", text=ruling.aloud))
        return Verdict(ruling.words if ruling.block else "", events)
