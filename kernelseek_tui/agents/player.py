"""The rehearsed agent's own process: `python -m kernelseek_tui.agents.player --script FILE --workspace DIR`.

It plays a script as a coding agent's client would run a model, with real tools in a real workspace. One JSON
object a line. In: `{"type": "user", "id": N, "text": T}`, and `interrupt`, `pause`, `resume`, `close`; the
end of stdin means close. Out:

    {"type": "receipt", "id": N, "delivery": "queued" | "own_turn"}     the message was taken
    {"type": "user", "text": T, "mid_turn": B}              the message reaches the agent now
    {"type": "text", "message": M, "text": T}               the agent says something
    {"type": "tool_call", "message": M, "call": C, "tool": T, "input": {…}}
    {"type": "group", "group": PGID, "running": B}          a command's process group is there, or gone
    {"type": "edit", "call": C, "path": P, "diff": D, "candidate": B, "sha256": H}
    {"type": "tool_result", "call": C, "output": O, "is_error": B}
    {"type": "turn_ended", "reason": "completed" | "interrupted", "queued": N}     N messages wait
    {"type": "idle"}                                        an interrupt found nothing to stop

Exit codes: 0 closed, 3 the script is refused (the sentence is on stderr).
"""

import argparse
import asyncio
import contextlib
import json
import os
import sys
from collections import deque
from pathlib import Path

from kernelseek_tui.agents.script import ScriptError, load_script
from kernelseek_tui.agents.story import Outcome, Story, ToolUse
from kernelseek_tui.agents.tools import INTERRUPTED, Tools
from kernelseek_tui.exit_codes import ExitCode

MAX_LINE = 16 << 20


class Player:
    """Plays one story. `emit` writes a line; `obey` takes one."""

    def __init__(self, story: Story, tools: Tools, pace: float) -> None:
        self._story = story
        self._tools = tools
        self._pace = pace
        self._messages: deque[str] = deque()
        self._busy = False
        self._interrupted = False
        self._paused = False
        self._closed = False
        self._changed = asyncio.Event()
        self._replies = 0
        self._calls = 0

    def obey(self, line: bytes) -> None:
        """Do what a line of stdin says; one that says nothing known is reported and passed over."""
        try:
            order = json.loads(line)
            kind = order["type"]
        except (ValueError, TypeError, KeyError):
            print(f"player: not an order: {line[:200]!r}", file=sys.stderr)
            return
        match kind:
            case "user":
                self._messages.append(str(order["text"]))
                emit(type="receipt", id=order["id"], delivery="queued" if self._busy else "own_turn")
                self._busy = True  # a second message that comes before the turn begins is queued
            case "interrupt" if self._busy:
                self._interrupted = True
                self._tools.stop()
            case "interrupt":
                emit(type="idle")
            case "pause":
                self._paused = True
            case "resume":
                self._paused = False
            case "close":
                self.close()
            case _:
                print(f"player: unknown order {kind!r}", file=sys.stderr)
        self._changed.set()

    def close(self) -> None:
        """End after what runs has been stopped."""
        self._closed = self._interrupted = True
        self._tools.stop()
        self._changed.set()

    async def play(self) -> None:
        """Take messages and do turns until closed."""
        while not self._closed:
            if not self._messages:
                self._busy = False
                await self._wait(None)
                continue
            self._hear(mid_turn=False)
            await self._turn()

    async def _turn(self) -> None:
        while await self._may_go_on():
            self._replies += 1
            message = f"m{self._replies}"
            reply = self._story.reply()
            for text in reply.texts:
                emit(type="text", message=message, text=text)
            if not reply.calls:
                break
            self._story.results([await self._call(call, message) for call in reply.calls])
            while self._messages and not self._interrupted:
                self._hear(mid_turn=True)
        interrupted, self._interrupted = self._interrupted, False
        self._busy = bool(self._messages)
        reason = "interrupted" if interrupted else "completed"
        emit(type="turn_ended", reason=reason, queued=len(self._messages))

    async def _call(self, use: ToolUse, message: str) -> Outcome:
        self._calls += 1
        call = f"c{self._calls}"
        emit(type="tool_call", message=message, call=call, tool=use.tool, input=use.input)
        if self._interrupted and use.tool == "Bash":
            outcome = Outcome(INTERRUPTED, is_error=True, interrupted=True)
        else:
            done = await self._tools.run(use.tool, use.input)
            if change := done.change:
                emit(
                    type="edit",
                    call=call,
                    path=change.path,
                    diff=change.diff,
                    candidate=change.candidate,
                    sha256=change.sha256,
                )
            outcome = Outcome(done.output, done.is_error, done.interrupted)
        emit(type="tool_result", call=call, output=outcome.output, is_error=outcome.is_error)
        return outcome

    def _hear(self, mid_turn: bool) -> None:
        text = self._messages.popleft()
        emit(type="user", text=text, mid_turn=mid_turn)
        self._story.hear(text)

    async def _may_go_on(self) -> bool:
        """Keep the pace and a pause; False when interrupted."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._pace
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


async def _listen(player: Player) -> None:
    reader = asyncio.StreamReader(limit=MAX_LINE)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    while line := await reader.readline():
        player.obey(line)
    player.close()


async def _main(options: argparse.Namespace) -> None:
    script = load_script(options.script)
    workspace = options.workspace.resolve()
    tools = Tools(
        workspace,
        script.candidate,
        os.environ,
        lambda group, running: emit(type="group", group=group, running=running),
    )
    player = Player(Story(script, options.seed, str(workspace)), tools, options.pace)
    listening = asyncio.create_task(_listen(player))
    try:
        await player.play()
    finally:
        listening.cancel()


def main() -> None:
    """Play a script until stdin ends."""
    parser = argparse.ArgumentParser(prog="python -m kernelseek_tui.agents.player")
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pace", type=float, default=0.4, help="seconds before each reply")
    options = parser.parse_args()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        asyncio.run(_main(options))
    except ScriptError as error:
        print(error, file=sys.stderr)
        sys.exit(ExitCode.INPUT_REFUSED)
    except BrokenPipeError:
        # The driver is gone and so is the reason to go on; keep Python from flushing into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
