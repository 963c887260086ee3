"""A message on its way to an attached session: what it waits for, and how it arrived."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from kernelseek_tui.attach.discover import Running
from kernelseek_tui.hooks.mailbox import MAX_DELIVERED, length

UNHEARD = "the client does not run KernelSeek's hooks; it waits until it does"

Arrival = Literal["delivered", "own_turn"]
WORDS: dict[str, tuple[Arrival, str]] = {
    "post-tool-use": ("delivered", "at a tool boundary, by a hook"),
    "post-tool-use-failure": ("delivered", "at a tool boundary, by a hook"),
    "user-prompt-submit": ("delivered", "with the next prompt, by a hook"),
    "stop": ("own_turn", "at the turn's end, by the stop hook"),
    "wake": ("own_turn", "the idle session was woken for it"),
    "prompt": ("own_turn", "typed into the session's own terminal"),
}


@dataclass(slots=True)
class Underway:
    """A message on its way. `route`: what took it, as a key of `WORDS`, empty while it waits. `waits` is what
    was last said of what it waits for, `next_wait` what the last look found."""

    id: str
    text: str
    route: str = ""
    waits: str = ""
    next_wait: str = ""


def waits_for(text: str, now: Running | None, *, woken: Callable[[], bool]) -> str:
    """What has to happen before a hook can hand over a message: `now` is what the client says of itself,
    `woken` whether a process waits beside the idle session to wake it."""
    whole = length(text) <= MAX_DELIVERED
    if now is not None and now.waiting:
        return f"waits until the client's own dialog ({now.waiting}) is answered in its terminal"
    if now is None or now.status != "idle":
        if whole:
            return "waits for the next tool boundary or the turn's end"
        return "waits for the turn's end: it is too long for a tool boundary"
    if woken():
        return "the idle session is being woken"
    if whole:
        return "the session is idle and no hook waits yet; it comes with the next prompt"
    return "the session is idle; too long to go with a prompt, it comes when the next turn ends"
