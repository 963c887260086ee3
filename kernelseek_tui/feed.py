"""What a screen needs from a session, live or replayed, and what it may do to it.

The screen never opens files, spawns processes or folds events itself: it draws a `Feed` and calls it.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from kernelseek_tui.agents.protocol import Capabilities, PermissionChoice
from sessions.events import AnyEvent
from sessions.state import SessionState

if TYPE_CHECKING:  # a screen need not load the bank before it draws
    from kernelseek_tui.hindsight import Moment

Listener = Callable[[int], None]


class Feed(Protocol):
    """A session as a screen sees it.

    `events` only grows; `state` is folded over all of it. `moments` are the decision points with their
    suggestions, in order; each has the index of the event it was seen at. For a live session `subscribe`
    calls back with the index of each new event, on the screen's own loop. The actions are only called
    when `live`; `capabilities` says which of them the agent can do.
    """

    @property
    def title(self) -> str:
        """What the session is called."""

    @property
    def live(self) -> bool:
        """There is an agent to act on."""

    @property
    def rehearsed(self) -> bool:
        """The agent is a scripted one."""

    @property
    def capabilities(self) -> Capabilities:
        """What the agent can do."""

    @property
    def events(self) -> Sequence[AnyEvent]:
        """All events so far."""

    @property
    def state(self) -> SessionState:
        """The state folded over `events`."""

    @property
    def moments(self) -> "Sequence[Moment]":
        """Decision points with their ranked suggestions, oldest first."""

    def subscribe(self, listener: Listener) -> None:
        """Call `listener(index)` for every event that comes from now on."""

    async def ask(self, text: str, entry: str | None, decision: str | None, edited: bool) -> None:
        """Send `text` to the agent exactly as it is and record who asked what, answering `decision`."""

    async def answer(self, request: str, choice: PermissionChoice, message: str) -> None:
        """Answer what the agent's client asks (`state.open_permissions`)."""

    async def dismiss(self, decision: str, entry: str | None, reason: str) -> None:
        """Put a suggestion (or, without `entry`, the whole decision point) aside."""

    async def interrupt(self) -> None:
        """Stop the agent's current turn."""

    async def pause(self) -> None:
        """Hold the agent before its next step."""

    async def resume(self) -> None:
        """Let a paused agent go on."""

    @property
    def paused(self) -> bool:
        """The agent is held."""

    async def close(self) -> None:
        """End the session in order: the agent, then the journal."""
