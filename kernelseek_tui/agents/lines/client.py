"""What the processes of our own agents share: the lines they speak, taking orders, pausing and stopping.

One JSON object a line. In, to the client:

    {"type": "user", "id": N, "text": T, "priority": "now" | "next" | "later"}
    {"type": "answer", "request": R, "choice": "allow" | "always" | "deny", "message": T}
    {"type": "place", "place": {…}}                         the rehearsal's only: go on there
    {"type": "interrupt"}, "pause", "resume", "close"; the end of stdin means close

Out, to the driver:

    {"type": "receipt", "id": N, "delivery": "queued" | "own_turn"}     the message was taken
    {"type": "user", "text": T, "mid_turn": B}              the message reaches the agent now
    {"type": "partial", "text": T | null}                   unfinished text grew by T, or is none any more
    {"type": "text", "message": M, "text": T}               the agent says something
    {"type": "thinking", "message": M, "text": T}
    {"type": "usage", "message": M, "input_tokens": N, …, "cost_usd": X | null}
    {"type": "tool_call", "message": M, "call": C, "tool": T, "input": {…}}
    {"type": "permission", "request": R, "call": C, "tool": T, "input": {…}, "always": W}
                                                            may it be used? W: what "always" would grant
    {"type": "withdrawn", "request": R}                     nobody need answer that any more
    {"type": "group", "group": PGID, "running": B}          a command's process group is there, or gone
    {"type": "edit", "call": C, "path": P, "diff": D, "candidate": B, "sha256": H}
    {"type": "tool_result", "call": C, "output": O, "is_error": B}
    {"type": "note", "text": T}                             the client's own words
    {"type": "turn_ended", "reason": "completed" | "interrupted" | "failed", "detail": T, "queued": N,
     "outage": B, "halted": B}      outage: its model cannot be had; halted: no other turn follows, it ends
    {"type": "idle"}                                        an interrupt found nothing to stop
"""

import asyncio
import contextlib
import json
import os
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from kernelseek_tui.agents.lines.files import FileChange

MAX_LINE = 16 << 20


class Client:
    """Takes orders (`obey`) and does turns (`play`). A client says what a turn is."""

    def __init__(self) -> None:
        self._messages: deque[str] = deque()
        self._later: deque[str] = deque()
        self._busy = False
        self._turning = False
        self._unfinished = False  # a turn that another client began is to be gone on with
        self._interrupted = False
        self._paused = False
        self._closed = False
        self._outage = False  # the model could not be had in the last turn
        self._halted = False  # no other turn can follow
        self._changed = asyncio.Event()

    # What a client says.

    async def turn(self) -> tuple[str, str]:
        """Work until the word goes back to the human: (reason, detail) of the turn's end."""
        raise AssertionError("a client has turns of its own")

    def hear(self, text: str) -> None:
        """Take in a message; its line has been written."""

    def stop(self) -> None:
        """Stop what runs: an interrupt or a close came."""

    def answered(self, request: str, choice: str, message: str) -> None:
        """Take in the answer to a permission request."""

    # What clients share.

    def obey(self, line: bytes) -> None:
        """Do what a line of stdin says; one that says nothing known is reported and passed over."""
        try:
            order = json.loads(line)
            kind = order["type"]
            self._do(kind, order)
        except (ValueError, TypeError, KeyError):
            print(f"client: not an order: {line[:200]!r}", file=sys.stderr)
        self._changed.set()

    def _do(self, kind: str, order: dict[str, Any]) -> None:
        match kind:
            case "user":
                text, priority = str(order["text"]), order.get("priority", "next")
                if priority == "now":
                    self._messages.appendleft(text)
                    if self._turning:
                        self._interrupt()
                else:
                    (self._later if priority == "later" and self._busy else self._messages).append(text)
                emit(type="receipt", id=order["id"], delivery="queued" if self._busy else "own_turn")
                self._busy = True  # a second message that comes before the turn begins is queued
            case "interrupt" if self._busy:
                self._interrupt()
            case "interrupt":
                emit(type="idle")
            case "pause":
                self._paused = True
            case "resume":
                self._paused = False
            case "answer":
                self.answered(str(order["request"]), str(order["choice"]), str(order["message"]))
            case "close":
                self.close()
            case _:
                print(f"client: unknown order {kind!r}", file=sys.stderr)

    def _interrupt(self) -> None:
        self._interrupted = True
        self.stop()

    def close(self) -> None:
        """End after what runs has been stopped."""
        self._closed = True
        self._interrupt()
        self._changed.set()

    async def play(self) -> None:
        """Take messages and do turns until closed."""
        while not self._closed:
            if not self._messages and self._later:
                self._messages.append(self._later.popleft())
            if not self._messages and not self._unfinished:
                self._busy = False
                await self._wait(None)
                continue
            if not self._unfinished:
                self._hear(mid_turn=False)
            self._unfinished = False
            self._turning = True
            reason, detail = await self.turn()
            self._turning = self._interrupted = False
            if self._halted:
                self._closed = True
                for text in (*self._messages, *self._later):
                    emit(type="note", text=f"The agent was never given this message: {text}")
                self._messages.clear()
                self._later.clear()
            queued = len(self._messages) + len(self._later)
            self._busy = bool(queued)
            marks = {"outage": self._outage, "halted": self._halted}
            emit(type="turn_ended", reason=reason, detail=detail, queued=queued, **marks)

    def _hear(self, mid_turn: bool) -> None:
        text = self._messages.popleft()
        emit(type="user", text=text, mid_turn=mid_turn)
        self.hear(text)

    def _hear_waiting(self) -> None:
        """Take in what came while a tool ran: this is a tool boundary."""
        while self._messages and not self._interrupted:
            self._hear(mid_turn=True)

    async def _may_go_on(self, pace: float = 0.0) -> bool:
        """Keep the pace and a pause; False when interrupted."""
        loop = asyncio.get_running_loop()
        until = loop.time() + pace
        while not self._interrupted:
            left = until - loop.time()
            if not self._paused and left <= 0:
                return True
            await self._wait(None if self._paused else left)
        return False

    async def _wait(self, seconds: float | None) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)
        self._changed.clear()


def emit(**line: object) -> None:
    """Write one line to stdout."""
    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def emit_edit(call: str, change: FileChange) -> None:
    """Say which file a call changed."""
    emit(
        type="edit",
        call=call,
        path=change.path,
        diff=change.diff,
        candidate=change.candidate,
        sha256=change.sha256,
    )


def emit_group(group: int, running: bool) -> None:
    """Say that a command's process group is there, or gone."""
    emit(type="group", group=group, running=running)


async def play_from_stdin(client: Client) -> None:
    """Play until stdin ends or `close` comes."""
    listening = asyncio.create_task(_listen(client))
    try:
        await client.play()
    finally:
        listening.cancel()


async def _listen(client: Client) -> None:
    reader = asyncio.StreamReader(limit=MAX_LINE)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    while line := await reader.readline():
        client.obey(line)
    client.close()


def run(main: Callable[[], Awaitable[None]]) -> None:
    """Run a client's `main` with its streams in order. A driver that is gone ends it quietly."""

    async def whole() -> None:
        await main()

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        asyncio.run(whole())
    except BrokenPipeError:
        # The driver is gone and so is the reason to go on; keep Python from flushing into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
