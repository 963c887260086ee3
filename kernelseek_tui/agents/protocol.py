"""What every driver of an agent offers.

A driver owns the agent's process and nothing else: it writes no journal and knows no screen. It yields
events in order; the owner of the session stamps and journals them.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from kernelseek_tui.exit_codes import ExitCode
from sessions.events import AnyEvent, TurnEnded

Delivery = Literal["queued", "delivered", "own_turn", "failed"]
Priority = Literal["now", "next", "later"]
"""`now` breaks the turn off, `next` waits for the next tool boundary, `later` for the turn's end."""

UNANSWERED = "The session was ended before anybody answered."

PermissionChoice = Literal["allow", "always", "deny"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What this driver can do; screens grey out the rest."""

    interrupt: bool = False
    pause: bool = False
    mid_turn: bool = False
    permissions: bool = False
    resume: bool = False
    usage: bool = False


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """What an agent is started with.

    `workspace` is the folder it works in, `task` its first message, `environment` what is added to its
    process environment (`KERNELSEEK_SESSION`, `KERNELSEEK_HOME`). `resume` is the client's own id of a
    session to go on with, `fork` makes that a copy. `ask_permission` False lets it use its tools unasked.
    """

    workspace: Path
    task: str
    environment: dict[str, str]
    seed: int = 0
    model: str | None = None
    resume: str | None = None
    fork: bool = False
    ask_permission: bool = True


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a message that was sent."""

    delivery: Delivery
    detail: str = ""


class AgentError(Exception):
    """The agent could not be started or reached; the message is one sentence for the user."""

    exit_code = ExitCode.INFRASTRUCTURE


class Agent(Protocol):
    """A running agent behind one interface.

    `events` ends when the agent has ended. `send` may be called at any time from the same loop and
    answers when the client took the message. `interrupt` stops the current turn, a running command
    included; the agent lives on and waits for a message. `close` ends it and everything it started.
    """

    name: str
    capabilities: Capabilities

    async def start(self, spec: AgentSpec) -> None:
        """Start the agent. Raises `AgentError`."""

    async def send(self, text: str, priority: Priority = "next") -> Receipt:
        """Send a message as the human. Priorities a client does not know are treated as its usual one."""

    async def interrupt(self) -> None:
        """Stop the current turn."""

    async def pause(self) -> None:
        """Hold the agent before its next step, where `capabilities.pause`."""

    async def resume(self) -> None:
        """Let a paused agent go on."""

    def events(self) -> AsyncIterator[AnyEvent]:
        """The agent's events, until it ends."""

    async def close(self) -> None:
        """End the agent and every process it started."""


@runtime_checkable
class ChecksFirst(Protocol):
    """An agent that can tell before a session begins that it could not be started."""

    async def check(self, spec: AgentSpec) -> None:
        """Look whether `start` could work, leaving nothing behind. Raises `AgentError`."""


@runtime_checkable
class TellsOutage(Protocol):
    """An agent whose client or model may be out of reach."""

    @property
    def outage(self) -> str:
        """Why it cannot work at all (credentials, connection, a dead client), in a sentence; empty while it
        can."""


@runtime_checkable
class HoldsToGoal(Protocol):
    """An agent whose client is to hold its stops against the goal by itself."""

    def unheld(self, ended: TurnEnded) -> str:
        """Why the stop `ended` (as it came from `events`) was not held, in a sentence; empty where it was."""


@runtime_checkable
class AsksPermission(Protocol):
    """An agent whose client asks before it uses a tool (`PermissionRequested` events)."""

    async def answer(self, request: str, choice: PermissionChoice, message: str = "") -> None:
        """Answer the request of that id; the agent reads a denial's `message`. Unknown ids are ignored."""


@runtime_checkable
class ShowsPartialText(Protocol):
    """An agent whose client tells what it is writing."""

    def on_partial(self, listener: Callable[[str], None]) -> None:
        """Call `listener(text so far)` as text grows, and `listener("")` when it became an event."""
