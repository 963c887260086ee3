"""The driver of our own agents: a client in a process of its own that speaks JSON lines (`lines_client`).

It owns the process: what it says becomes events, what is asked of it becomes orders, and when it is gone
nothing that it started is left. `RehearsalAgent` and `BuiltinAgent` only say how it is started.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from kernelseek_tui.agents.guard import MARK, Guard
from kernelseek_tui.agents.protocol import (
    UNANSWERED,
    AgentError,
    AgentSpec,
    Capabilities,
    Delivery,
    PermissionChoice,
    Priority,
    Receipt,
)
from sessions import events as ev
from sessions.redaction import secret_values, with_escaped

MAX_LINE = 64 << 20
STOP_SECONDS = 5.0
ERROR_LINES = 20
WITHDRAWN = "The client withdrew the question."
_SPENT = ("message", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost_usd")


class LinesAgent:
    """An agent whose client is one of our modules.

    Event ids (`r1`, `r2`, …) are provisional and only tie events of this driver to each other. A message
    becomes a `HumanMessage` when it reaches the agent: at once where the agent waits, at the next tool
    boundary where it works. If the process dies in mid-session, its turn ends as failed and the last event
    is a `Note` that says what happened. Values of secret-named variables are taken out of every line.
    """

    name: str
    label: str
    """What messages call it, without an article: "rehearsal agent"."""

    capabilities: Capabilities

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._guard: Guard | None = None
        self._events: asyncio.Queue[ev.AnyEvent | None] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self._count = 0
        self._calls: dict[str, str] = {}
        self._asked: dict[str, str] = {}  # requests that nobody has answered, and their events
        self._outage = ""
        self._halted = ""
        self._receipts: dict[int, asyncio.Future[Delivery]] = {}
        self._sent = 0
        self._settled: list[asyncio.Future[None]] = []
        self._groups: set[int] = set()
        self._errors: list[str] = []
        self._secrets: tuple[str, ...] = ()
        self._partial = ""
        self._partial_listener: Callable[[str], None] = lambda text: None
        self._turn = False
        self._closing = False
        self._ended = False
        self._idle = asyncio.Event()

    @property
    def idle(self) -> bool:
        """The agent waits for a message and has none."""
        return self._idle.is_set()

    @property
    def outage(self) -> str:
        """Why it cannot work at all (credentials, connection, a dead client); empty while it can."""
        return self._outage

    @property
    def ended(self) -> bool:
        """The agent's process is gone."""
        return self._ended

    def _check(self, spec: AgentSpec) -> None:
        """Raise `AgentError` where it cannot be started at all."""
        if self._process:
            raise AgentError(f"This {self.label} was started before; make a new one.")
        if not spec.workspace.is_dir():
            raise AgentError(f"There is no workspace at {spec.workspace}; make one with `kernelseek init`.")

    async def _launch(
        self,
        spec: AgentSpec,
        module: str,
        arguments: Sequence[str],
        started: ev.SessionStarted,
        place: dict[str, Any] | None = None,
    ) -> None:
        """Start `module` with `arguments` and give it the task, or the `place` where it goes on.

        Raises `AgentError`.
        """
        token = uuid4().hex
        environment = {**_environment(spec), MARK: token}
        # Lines are JSON, where a key may be written with escapes.
        self._secrets = tuple(sorted(with_escaped(secret_values(environment)), key=len, reverse=True))
        try:
            self._guard = await Guard.start(f"{MARK}={token}")
            self._process = await asyncio.create_subprocess_exec(
                # -P: a module of the workspace must not stand in for one of ours
                *(sys.executable, "-P", "-m", module, *arguments),
                cwd=spec.workspace,
                env=environment,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=MAX_LINE,
            )
        except OSError as error:
            if self._guard:
                await self._guard.close()
            raise AgentError(f"The {self.label} could not be started: {error.strerror}.") from error
        self._guard.watch(self._process.pid)
        self._put(started)
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._read_errors())]
        if place is not None:
            self._turn = not place["waiting"]
            await self._order(type="place", place=place)
            return
        receipt = await self.send(spec.task)
        if receipt.delivery == "failed":
            await self.close()
            raise AgentError(f"The {self.label} ended before it took its task: {receipt.detail}")

    async def send(self, text: str, priority: Priority = "next") -> Receipt:
        """Send a message. `own_turn`: it starts a turn; `queued`: it is taken at the next tool boundary."""
        if self._halted:
            return Receipt("failed", self._halted)
        self._sent += 1
        number = self._sent
        answer: asyncio.Future[Delivery] = asyncio.get_running_loop().create_future()
        self._receipts[number] = answer
        if not await self._order(type="user", id=number, text=text, priority=priority):
            self._receipts.pop(number, None)
            return Receipt("failed", "the agent has ended")
        delivery = await answer
        queued = {
            "now": "taken once the turn has been broken off",
            "next": "taken at the next tool boundary",
            "later": "taken when the turn has ended",
        }
        details: dict[Delivery, str] = {
            "queued": queued[priority],
            "own_turn": "the agent was waiting",
            "failed": "the agent ended before it took the message",
        }
        return Receipt(delivery, details.get(delivery, ""))

    async def interrupt(self) -> None:
        """Stop the current turn and a running command; returns when it has stopped."""
        settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._settled.append(settled)
        if await self._order(type="interrupt"):
            await settled

    async def pause(self) -> None:
        """Hold the agent before its next reply; a running command goes on."""
        await self._order(type="pause")

    async def resume(self) -> None:
        """Let it go on."""
        await self._order(type="resume")

    async def events(self) -> AsyncIterator[ev.AnyEvent]:
        """The events, until the client has ended. For one reader."""
        while (event := await self._events.get()) is not None:
            yield event

    async def close(self) -> None:
        """End the client and every command it started. May be called again."""
        self._closing = True
        process = self._process
        if process is None:
            return
        await self._order(type="close")
        if process.stdin:
            process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        self._kill()
        await asyncio.gather(*self._tasks)

    async def _answer(self, request: str, choice: PermissionChoice, message: str) -> None:
        self._asked.pop(request, None)
        await self._order(type="answer", request=request, choice=choice, message=message)

    def _kill(self) -> None:
        """Kill what is left. Commands have groups of their own: the client may have died before them."""
        groups = set(self._groups)
        if self._process and self._process.returncode is None:
            groups.add(self._process.pid)
        for group in groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        self._groups.clear()

    async def _order(self, **order: object) -> bool:
        """Write one line to the client; False when it has ended."""
        process = self._process
        if process is None or process.stdin is None or self._ended or process.stdin.is_closing():
            return False
        try:
            process.stdin.write(json.dumps(order).encode() + b"\n")
            await process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            return False
        return not self._ended

    async def _read(self) -> None:
        assert self._process
        assert self._process.stdout
        try:
            while line := await self._process.stdout.readline():
                try:
                    self._take(json.loads(self._without_secrets(line.decode(errors="replace"))))
                except (ValueError, KeyError) as error:  # pydantic's errors are ValueErrors
                    self._note(f"The {self.label} wrote a line that is not understood ({error}).")
        except ValueError:
            self._note(f"The {self.label} wrote a line that is too long.")
        await self._finish()

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        return text

    async def _finish(self) -> None:
        """The client's output has ended: so do its process, its commands and what waits for an answer."""
        process = self._process
        assert process is not None
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        self._kill()
        code = await process.wait()
        if self._guard:
            self._guard.forget(process.pid)
            await self._guard.close()
        self._ended = True
        self._idle.set()
        self._write(None)
        gone = UNANSWERED if self._closing else f"The {self.label} {_how(code)}."
        for request in list(self._asked):
            self._withdraw(request, gone)
        if code or not (self._closing or self._halted):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._tasks[1]), STOP_SECONDS)
            said = f"The {self.label} {_how(code)}{self._last_words()}"
            if self._turn:
                self._put(ev.TurnEnded(id="", reason="failed", detail=said))
            if not self._closing:
                self._outage = said
            self._note(said)
        for answer in self._receipts.values():
            if not answer.done():
                answer.set_result("failed")
        self._settle()
        self._events.put_nowait(None)

    async def _read_errors(self) -> None:
        assert self._process
        assert self._process.stderr
        while chunk := await self._process.stderr.read(1 << 14):
            lines = "".join(self._errors) + chunk.decode(errors="replace")
            self._errors = lines.splitlines(keepends=True)[-ERROR_LINES:]

    def _last_words(self) -> str:
        lines = [line.strip() for line in self._errors if line.strip()]
        return f": {self._without_secrets(lines[-1])}" if lines else "."

    def _take(self, line: dict[str, Any]) -> None:
        match line["type"]:
            case "receipt":
                self._idle.clear()
                self._receipts.pop(line["id"]).set_result(line["delivery"])
            case "user":
                self._turn = True
                self._put(ev.HumanMessage(id="", text=line["text"], mid_turn=line["mid_turn"]))
            case "partial":
                self._write(line["text"])
            case "text":
                self._put(ev.AgentText(id="", text=line["text"], message=line["message"]))
            case "thinking":
                self._put(ev.Thinking(id="", text=line["text"], message=line["message"]))
            case "usage":
                self._put(ev.Usage(id="", **{key: line[key] for key in _SPENT}))
            case "tool_call":
                call, tool, message = line["call"], line["tool"], line["message"]
                event = ev.ToolCall(id="", call=call, tool=tool, input=line["input"], message=message)
                self._calls[call] = self._put(event)
            case "permission":
                known = {key: line[key] for key in ("request", "tool", "input", "always")}
                asked = ev.PermissionRequested(id="", parent=self._calls[line["call"]], **known)
                self._asked[asked.request] = self._put(asked)
            case "withdrawn":
                self._withdraw(line["request"])
            case "tool_result":
                call, output, failed = line["call"], line["output"], line["is_error"]
                parent = self._calls.pop(call)
                self._put(ev.ToolResult(id="", parent=parent, call=call, output=output, is_error=failed))
            case "edit":
                parent = self._calls[line["call"]]
                known = {key: line[key] for key in ("path", "diff", "candidate", "sha256")}
                self._put(ev.Edit(id="", parent=parent, **known))
            case "group":
                self._group(line["group"], line["running"])
            case "note":
                self._note(line["text"])
            case "turn_ended":
                self._turn = False
                self._outage = line["detail"] if line["outage"] else ""
                self._halted = line["detail"] if line["halted"] else ""
                self._put(ev.TurnEnded(id="", reason=line["reason"], detail=line["detail"]))
                if not line["queued"] and not self._receipts:
                    self._idle.set()
                self._settle()
            case "idle":
                self._settle()
            case other:
                raise ValueError(f"type {other!r}")

    def _group(self, group: int, running: bool) -> None:
        (self._groups.add if running else self._groups.discard)(group)
        if self._guard:
            (self._guard.watch if running else self._guard.forget)(group)

    def _write(self, more: str | None) -> None:
        """The agent's unfinished text grew by `more`, or (None) is unfinished no longer."""
        if more is None and not self._partial:
            return
        self._partial = "" if more is None else self._without_secrets(self._partial + more)
        self._partial_listener(self._partial)

    def _withdraw(self, request: str, why: str = WITHDRAWN) -> None:
        """The client waits for no answer to that request any more; one that has its answer has no news."""
        parent = self._asked.pop(request, None)
        if parent is not None:
            answered = ev.PermissionAnswered(
                id="", parent=parent, request=request, answer="deny", message=why, by="client"
            )
            self._put(answered)

    def _settle(self) -> None:
        for settled in self._settled:
            if not settled.done():
                settled.set_result(None)
        self._settled.clear()

    def _note(self, text: str) -> None:
        self._put(ev.Note(id="", text=text))

    def _put(self, event: ev.Event) -> str:
        self._count += 1
        own = f"r{self._count}"
        stamped = event.model_copy(update={"id": own, "time": datetime.now(UTC)})
        self._events.put_nowait(stamped)  # type: ignore[arg-type]  # every event made here is of the union
        return own


def _environment(spec: AgentSpec) -> dict[str, str]:
    """Ours, the spec's, and `kernelseek` of this installation before any other."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return {**os.environ, "PATH": path, **spec.environment}


def _how(code: int) -> str:
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return "ended by itself" if code == 0 else f"ended with exit code {code}"
