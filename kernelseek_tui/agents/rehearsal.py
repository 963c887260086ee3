"""The rehearsal agent: a scripted client in a process of its own, behind the interface of every agent.

What it says was written beforehand; what it does is real: it edits the candidate, runs `kernelseek evaluate`
and reads the numbers off what comes back. `SessionStarted.rehearsed` marks its sessions.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kernelseek_tui.agents.protocol import AgentError, AgentSpec, Capabilities, Delivery, Priority, Receipt
from kernelseek_tui.agents.script import DEFAULT, ScriptError, load_script
from sessions import events as ev

MAX_LINE = 64 << 20
STOP_SECONDS = 5.0
ERROR_LINES = 20


class RehearsalAgent:
    """Plays `script` (None: the attention script), waiting `pace` seconds before each of its replies.

    Event ids (`r1`, `r2`, …) are provisional and only tie events of this driver to each other. A message
    becomes a `HumanMessage` when it reaches the agent: at once where the agent waits, at the next tool
    boundary where it works. If the process dies in mid-session, its turn ends as failed and the last event
    is a `Note` that says what happened.
    """

    name = "rehearsal"
    capabilities = Capabilities(interrupt=True, pause=True, mid_turn=True)

    def __init__(self, script: Path | None = None, pace: float = 0.4) -> None:
        self._path = script or DEFAULT
        self._pace = pace
        self._process: asyncio.subprocess.Process | None = None
        self._events: asyncio.Queue[ev.AnyEvent | None] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self._count = 0
        self._calls: dict[str, str] = {}
        self._receipts: dict[int, asyncio.Future[Delivery]] = {}
        self._sent = 0
        self._settled: list[asyncio.Future[None]] = []
        self._groups: set[int] = set()
        self._errors: list[str] = []
        self._turn = False
        self._closing = False
        self._ended = False
        self._idle = asyncio.Event()

    @property
    def idle(self) -> bool:
        """The agent waits for a message and has none."""
        return self._idle.is_set()

    @property
    def ended(self) -> bool:
        """The agent's process is gone."""
        return self._ended

    async def start(self, spec: AgentSpec) -> None:
        """Start the player and give it the task. Raises `AgentError` (a bad script, no workspace)."""
        if self._process:
            raise AgentError("This rehearsal agent was started before; make a new one.")
        if not spec.workspace.is_dir():
            raise AgentError(f"There is no workspace at {spec.workspace}; make one with `kernelseek init`.")
        try:
            script = load_script(self._path)
        except ScriptError as error:
            raise AgentError(str(error)) from error
        arguments = ["--script", str(self._path.resolve()), "--workspace", str(spec.workspace.resolve())]
        arguments += ["--seed", str(spec.seed), "--pace", str(self._pace)]
        try:
            self._process = await asyncio.create_subprocess_exec(
                # -P: a module of the workspace must not stand in for one of ours
                *(sys.executable, "-P", "-m", "kernelseek_tui.agents.player", *arguments),
                cwd=spec.workspace,
                env=_environment(spec),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=MAX_LINE,
            )
        except OSError as error:
            raise AgentError(f"The rehearsal agent could not be started: {error.strerror}.") from error
        self._put(
            ev.SessionStarted(
                id="",
                session=spec.environment.get("KERNELSEEK_SESSION", "rehearsal"),
                agent_name=self.name,
                cwd=str(spec.workspace),
                workspace=str(spec.workspace),
                operator=script.operator,
                task=spec.task,
                rehearsed=True,
                versions={"script": f"{script.name}, format {script.version}"},
            )
        )
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._read_errors())]
        receipt = await self.send(spec.task)
        if receipt.delivery == "failed":
            await self.close()
            raise AgentError(f"The rehearsal agent ended before it took its task: {receipt.detail}")

    async def send(self, text: str, priority: Priority = "next") -> Receipt:
        """Send a message. `own_turn`: it starts a turn; `queued`: it is taken at the next tool boundary."""
        self._sent += 1
        number = self._sent
        answer: asyncio.Future[Delivery] = asyncio.get_running_loop().create_future()
        self._receipts[number] = answer
        if not await self._order(type="user", id=number, text=text):
            self._receipts.pop(number, None)
            return Receipt("failed", "the agent has ended")
        delivery = await answer
        details: dict[Delivery, str] = {
            "queued": "taken at the next tool boundary",
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
        """The events, until the player has ended. For one reader."""
        while (event := await self._events.get()) is not None:
            yield event

    async def close(self) -> None:
        """End the player and every command it started. May be called again."""
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

    def _kill(self) -> None:
        """Kill what is left. Commands have groups of their own: the player may have died before them."""
        groups = set(self._groups)
        if self._process and self._process.returncode is None:
            groups.add(self._process.pid)
        for group in groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        self._groups.clear()

    async def _order(self, **order: object) -> bool:
        """Write one line to the player; False when it has ended."""
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
                    self._take(json.loads(line))
                except (ValueError, KeyError) as error:  # pydantic's errors are ValueErrors
                    self._note(f"The rehearsal agent wrote a line that is not understood ({error}).")
        except ValueError:
            self._note("The rehearsal agent wrote a line that is too long.")
        await self._finish()

    async def _finish(self) -> None:
        """The player's output has ended: so do its process, its commands and what waits for an answer."""
        process = self._process
        assert process is not None
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        self._kill()
        code = await process.wait()
        self._ended = True
        self._idle.set()
        if code or not self._closing:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._tasks[1]), STOP_SECONDS)
            said = f"The rehearsal agent {_how(code)}{self._last_words()}"
            if self._turn:
                self._put(ev.TurnEnded(id="", reason="failed", detail=said))
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
        return f": {lines[-1]}" if lines else "."

    def _take(self, line: dict[str, Any]) -> None:
        match line["type"]:
            case "receipt":
                self._idle.clear()
                self._receipts.pop(line["id"]).set_result(line["delivery"])
            case "user":
                self._turn = True
                self._put(ev.HumanMessage(id="", text=line["text"], mid_turn=line["mid_turn"]))
            case "text":
                self._put(ev.AgentText(id="", text=line["text"], message=line["message"]))
            case "tool_call":
                call, tool, message = line["call"], line["tool"], line["message"]
                event = ev.ToolCall(id="", call=call, tool=tool, input=line["input"], message=message)
                self._calls[call] = self._put(event)
            case "tool_result":
                call, output, failed = line["call"], line["output"], line["is_error"]
                parent = self._calls.pop(call)
                self._put(ev.ToolResult(id="", parent=parent, call=call, output=output, is_error=failed))
            case "edit":
                parent = self._calls[line["call"]]
                known = {key: line[key] for key in ("path", "diff", "candidate", "sha256")}
                self._put(ev.Edit(id="", parent=parent, **known))
            case "group":
                (self._groups.add if line["running"] else self._groups.discard)(line["group"])
            case "turn_ended":
                self._turn = False
                self._put(ev.TurnEnded(id="", reason=line["reason"]))
                if not line["queued"] and not self._receipts:
                    self._idle.set()
                self._settle()
            case "idle":
                self._settle()
            case other:
                raise ValueError(f"type {other!r}")

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
