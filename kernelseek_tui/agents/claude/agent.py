"""Claude Code, owned: one long-lived `claude -p` that is spoken to in both directions.

The parts: `claude_wire` (what is written), `claude_stream` (what the lines mean), `claude_mail` (what became
of messages), `claude_usage`, `claude_faults`, `claude_process`. This file only connects them.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from kernelseek_tui.agents.claude import wire as wire
from kernelseek_tui.agents.claude.event_queue import Awaited, EventQueue
from kernelseek_tui.agents.claude.holding import Holding, settings_files, switched_off
from kernelseek_tui.agents.claude.process import (
    STOP_SECONDS,
    ClaudeProcess,
    check_version,
    environment_for,
    find_binary,
    how_it_ended,
)
from kernelseek_tui.agents.claude.signals import (
    Lifecycle,
    Partial,
    Quiet,
    Refused,
    Responded,
    Signal,
    TurnOver,
)
from kernelseek_tui.agents.claude.stream import MAX_LINE, OwnedStream
from kernelseek_tui.agents.protocol import (
    UNANSWERED,
    AgentError,
    AgentSpec,
    Capabilities,
    PermissionChoice,
    Priority,
    Receipt,
)
from kernelseek_tui.attach.discover import client_home
from sessions import events as ev

START_SECONDS = 60.0
CONFIRM_SECONDS = 15.0
INTERRUPT_SECONDS = 15.0
GRACE_SECONDS = 5.0
"""How long an agent whose background tasks are gone may take to begin the turn that reads their results."""

HOLD_SECONDS = 1800.0
"""How long the end of a turn is held back for background tasks; some never end."""

_QUEUED = {
    "now": "breaks the turn off as soon as the client can",
    "next": "given to the agent at the next tool boundary, or as a turn of its own if none comes",
    "later": "a turn of its own when this one has ended",
}


class ClaudeAgent:
    """Owns a Claude Code. `binary` None means `KERNELSEEK_CLAUDE`, then PATH.

    A message becomes a `HumanMessage` when the agent is given it. A turn is over (`TurnEnded`) when the agent
    waits for a message: not while what it runs in the background will wake it. After a fault that no retry
    mends, or at `spend_ceiling_usd`, the driver halts: a `Note` and the end of the turn say why and what to
    do, `send` answers "failed", and the client is ended. `goal_hook` holds its stops against the
    workspace's goal (see `hooks.owned`); `candidate` marks edits of that file; `rehearsed` says that its
    model is scripted. Needs the version in `claude_process.MINIMUM`.
    """

    name = "claude"
    capabilities = Capabilities(interrupt=True, mid_turn=True, permissions=True, resume=True, usage=True)

    def __init__(
        self,
        binary: Path | None = None,
        *,
        spend_ceiling_usd: float | None = None,
        goal_hook: bool = False,
        candidate: Path | None = None,
        rehearsed: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._binary = binary
        self._ceiling = spend_ceiling_usd
        self._goal_hook = goal_hook
        self._holding: Holding | None = None
        self._unheld: dict[str, str] = {}
        self._candidate = candidate
        self._rehearsed = rehearsed
        self._environment = os.environ if environment is None else environment
        self._stream = OwnedStream()
        self._process: ClaudeProcess | None = None
        self._events = EventQueue()
        self._reader: asyncio.Task[None] | None = None
        self._grace: asyncio.TimerHandle | None = None
        self._partial: Callable[[str], None] = lambda text: None
        self._taken: Awaited[bool] = Awaited()
        self._responses: Awaited[str] = Awaited()
        self._over = asyncio.Event()
        self._count = 0
        self._halted = ""
        self._outage = ""
        self._checked: Path | None = None
        self._closing = False
        self._ended = False

    @property
    def session(self) -> str | None:
        """The client's own id of the session, to resume it by; None before its first turn."""
        return self._stream.session

    @property
    def pid(self) -> int | None:
        """The client's process, once it was started."""
        return self._process.pid if self._process else None

    @property
    def context(self) -> tuple[int, int | None]:
        """Tokens in the agent's context, and how many fit (None before the first turn has ended)."""
        return self._stream.context_tokens, self._stream.context_window

    @property
    def cost_usd(self) -> float:
        """What this run has cost, as the client tells it at the end of each turn."""
        return self._stream.meter.cost_usd

    @property
    def outage(self) -> str:
        """Why it cannot work at all (credentials, connection, a dead client); empty while it can."""
        return self._outage

    def unheld(self, ended: ev.TurnEnded) -> str:
        """Why the stop `ended` was not held to the goal, in a sentence; empty where it was, and when asked
        again."""
        return self._unheld.pop(ended.id, "")

    @property
    def unknown(self) -> Mapping[str, int]:
        """How many lines had nothing for us, by type."""
        return self._stream.account.unknown

    async def start(self, spec: AgentSpec) -> None:
        """Start the client and give it the task. Raises `AgentError`."""
        if self._process:
            raise AgentError("This agent was started before; make a new one.")
        binary, environment = await self._ready(spec)
        self._stream = OwnedStream(
            name=self.name,
            task=spec.task,
            workspace=str(spec.workspace),
            candidate=str(self._candidate) if self._candidate else None,
            resumed=spec.resume is not None,
            ceiling_usd=self._ceiling,
            rehearsed=self._rehearsed,
        )
        session = spec.resume if spec.resume and not spec.fork else str(uuid4())
        self._holding = self._hold_to_goal(spec, session) if self._goal_hook else None
        settings = self._holding.settings if self._holding else None
        arguments = wire.arguments(spec, session=session, spend_ceiling_usd=self._ceiling, settings=settings)
        self._process = await ClaudeProcess.spawn(binary, arguments, spec.workspace, environment)
        self._tell_switched_on(spec)
        self._reader = asyncio.create_task(self._read())
        receipt = await self._send(spec.task, "next", START_SECONDS)
        if receipt.delivery == "failed":
            await self.close()
            words = self._process.last_words()
            raise AgentError(f"Claude Code ended before it took its task: {words or receipt.detail}")

    async def check(self, spec: AgentSpec) -> None:
        """Whether the binary is there, can be run and is new enough. Raises `AgentError`."""
        await self._ready(spec)

    async def _ready(self, spec: AgentSpec) -> tuple[Path, dict[str, str]]:
        if not spec.workspace.is_dir():
            raise AgentError(f"There is no workspace at {spec.workspace}; make one with `kernelseek init`.")
        environment = environment_for(spec, self._environment)
        binary = find_binary(self._binary, environment)
        if binary != self._checked:  # it takes a second to say its version
            await check_version(binary, environment)
            self._checked = binary
        return binary, environment

    def _hold_to_goal(self, spec: AgentSpec, session: str) -> Holding:
        home, ours = Path(spec.environment["KERNELSEEK_HOME"]), spec.environment["KERNELSEEK_SESSION"]
        try:
            return Holding(home, session, ours, spec.workspace)
        except OSError as error:
            raise AgentError(f"The goal's hook cannot be set up in {home}: {error.strerror}.") from error

    def _tell_switched_on(self, spec: AgentSpec) -> None:
        """Hooks that a person switched off run in this session: the goal's cannot run alone."""
        files = switched_off(settings_files(spec.workspace, client_home(self._environment)))
        if files and self._holding:
            self._stream.later(
                f"Hooks are switched off in {', '.join(map(str, files))}; for this session KernelSeek "
                "switches them on, since the goal is held by one; the others that are set up run, too."
            )

    async def send(self, text: str, priority: Priority = "next") -> Receipt:
        """Send a message. `own_turn`: the agent waited and begins; `queued`: the detail says for when."""
        return await self._send(text, priority, CONFIRM_SECONDS)

    async def _send(self, text: str, priority: Priority, patience: float) -> Receipt:
        if self._halted:
            return Receipt("failed", self._halted)
        process = self._process
        if process is None or self._ended or self._closing:
            return Receipt("failed", "the agent has ended")
        uuid, busy = str(uuid4()), self._stream.working
        self._stream.mail.sending(uuid, text)
        with self._events.hurry(), self._taken.expect(uuid) as taken:
            if not await process.write(wire.message(text, uuid, priority)):
                self._stream.mail.forget(uuid)
                return Receipt("failed", "the agent takes no more messages")
            try:
                async with asyncio.timeout(patience):
                    reached = await taken
            except TimeoutError:
                return Receipt(
                    "queued", f"written; the client has not said in {patience:.0f} s that it took it"
                )
        if not reached:
            return Receipt("failed", self._halted or "the agent ended before it took the message")
        return Receipt("queued", _QUEUED[priority]) if busy else Receipt("own_turn", "the agent was waiting")

    async def interrupt(self) -> None:
        """Stop the current turn and a running tool; returns when it has stopped."""
        process, request = self._process, f"interrupt-{uuid4()}"
        if process is None or self._ended or not self._stream.working:
            return
        self._over.clear()
        try:
            with self._events.hurry(), self._responses.expect(request) as answered:
                if await process.write(wire.interrupt(request)):
                    async with asyncio.timeout(INTERRUPT_SECONDS):
                        if error := await answered:
                            self._note(f"Claude Code did not interrupt its turn: {error}.")
                        else:
                            await self._over.wait()
        except TimeoutError:
            self._note(
                f"Claude Code has not stopped {INTERRUPT_SECONDS:.0f} s after the interrupt; close the "
                "session to end it."
            )

    async def answer(self, request: str, choice: PermissionChoice, message: str = "") -> None:
        """Answer a permission request. "Always" is the client's suggested rule, for this session only."""
        asked = self._stream.permissions.pop(request, None)
        if asked and self._process:
            await self._process.write(wire.answer(asked, choice, message))

    def on_partial(self, listener: Callable[[str], None]) -> None:
        """Call `listener(text so far)` as the agent writes, and `listener("")` when that became an event."""
        self._partial = listener

    async def pause(self) -> None:
        """Claude Code cannot be held (`capabilities.pause` is False)."""

    async def resume(self) -> None:
        """See `pause`."""

    async def events(self) -> AsyncIterator[ev.AnyEvent]:
        """The events, until the client has ended. For one reader."""
        while (event := await self._events.get()) is not None:
            yield event

    async def close(self) -> None:
        """End the client and everything it started. May be called again."""
        self._closing = True
        self._events.open()
        if self._process is None or self._reader is None:
            self._events.close()
            self._release()
            return
        if not self._ended and self._stream.working and not self._halted:
            # With its input closed it would first finish the turn, and pay for it.
            await self._process.write(wire.interrupt("close"))
        self._process.close_input()
        await self._process.end()
        await asyncio.gather(self._reader)

    # Reading.

    async def _read(self) -> None:
        assert self._process
        try:
            async for line in self._process.lines(MAX_LINE):
                if self._halted:
                    continue  # a turn that nobody wants any more; what was queued for it is told as not given
                for event in self._stream.feed(line):
                    self._put(event)
                for signal in self._drain():
                    await self._heed(signal)
                await self._events.room()
            self._finish(await self._process.end())
        finally:
            self._events.close()  # also where a defect of ours ends the reading: `close` raises it

    def _drain(self) -> list[Signal]:
        signals, self._stream.signals = self._stream.signals, []
        return signals

    async def _heed(self, signal: Signal) -> None:
        match signal:
            case Lifecycle(uuid=uuid):
                self._taken.give(uuid, True)
            case Partial(text=text):
                self._partial(text)
            case Responded(request=request, error=error):
                self._responses.give(request, error)
            case Refused(request=request, what=what):
                assert self._process
                await self._process.write(wire.refuse(request, f"KernelSeek does not answer {what!r}"))
            case Quiet():
                self._release_in(GRACE_SECONDS)
            case TurnOver(halt=halt, outage=outage):
                self._over.set()
                if halt:
                    self._outage = halt if outage else ""
                    self._halt(halt)
                elif self._stream.holding:
                    self._release_in(HOLD_SECONDS)

    def _halt(self, why: str) -> None:
        """Nothing more is sent, and the client is ended: what is queued would only fail in its turn."""
        assert self._process
        self._halted = why
        self._process.close_input()
        patience = 0.0 if self._stream.mail.waiting else STOP_SECONDS
        asyncio.get_running_loop().call_later(patience, self._process.terminate)

    def _release_in(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        if self._grace:
            self._grace.cancel()
        self._grace = loop.call_later(seconds, self._end_wait)

    def _end_wait(self) -> None:
        for event in self._stream.release():
            self._put(event)

    def _release(self) -> None:
        if self._holding:
            self._holding.release()

    def _finish(self, code: int) -> None:
        """Its output has ended, and so has everything that waits for it."""
        if self._grace:
            self._grace.cancel()
        working = self._stream.working and not self._halted
        how = f"Claude Code {how_it_ended(code)}"
        self._stream.gone = UNANSWERED if self._closing else f"{how}."
        for event in (*self._stream.finish(), *self._stream.release()):
            self._put(event)
        for signal in self._drain():
            if isinstance(signal, Partial):
                self._partial(signal.text)
        assert self._process
        words = self._process.last_words()
        said = f"{how}{': ' + words if words else ''}."
        if not self._closing:
            said = f"{said.rstrip('.')}; {self._stream.again}."
        if working and not self._closing:
            self._put(ev.TurnEnded(id="", reason="failed", detail=said))
        for text in self._stream.mail.untold:
            self._note(f"The agent was never given this message: {text}")
        if not self._closing and not self._halted:
            self._outage = said
            self._note(said)
        self._ended = True
        self._taken.give_all(False)
        self._responses.give_all("")
        self._over.set()
        self._release()

    def _note(self, text: str) -> None:
        self._put(ev.Note(id="", text=text))

    def _put(self, event: ev.Event | ev.UnknownEvent) -> None:
        unheld = ""
        if self._holding:
            self._holding.see(event)
            if isinstance(event, ev.TurnEnded):
                if unheld := self._holding.missed(event):
                    self._note(unheld)
                if why := self._holding.unknown:
                    self._put(ev.GoalVerdict(id="", met=None, reason=why))
        self._count += 1
        name = event.id or f"d{self._count}"
        stamp = {"id": name, "time": datetime.now(UTC)}
        if unheld:
            self._unheld[name] = unheld
        self._events.put(event.model_copy(update=stamp))  # type: ignore[arg-type]  # one of the union
