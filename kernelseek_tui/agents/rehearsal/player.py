"""The rehearsed agent's own process: `python -m kernelseek_tui.agents.rehearsal.player --script FILE …`.

It plays a script as a coding agent's client would run a model, with real tools in a real workspace, and
speaks the lines of `lines_client`. Exit codes: 0 closed, 3 the script is refused (the sentence is on stderr).
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from kernelseek_tui.agents.lines.client import Client, emit, emit_edit, emit_group, play_from_stdin, run
from kernelseek_tui.agents.lines.files import RefusedError, ToolOutcome
from kernelseek_tui.agents.lines.tools import INTERRUPTED, Tools
from kernelseek_tui.agents.rehearsal.script import ScriptError, load_script
from kernelseek_tui.agents.rehearsal.story import Outcome, Story, ToolUse
from kernelseek_tui.exit_codes import ExitCode


class Player(Client):
    """Plays one story."""

    def __init__(self, story: Story, tools: Tools, pace: float) -> None:
        super().__init__()
        self._story = story
        self._tools = tools
        self._pace = pace
        self._replies = 0
        self._calls = 0
        self._done: list[Outcome] = []
        self._all_said = False
        self._in_doubt = False

    def _do(self, kind: str, order: dict[str, Any]) -> None:
        """One order more than every client has: `place`, to go on where another player stopped."""
        if kind == "place":
            self._go_on(**order["place"])
        else:
            super()._do(kind, order)

    def _go_on(
        self,
        story: dict[str, Any],
        done: list[dict[str, Any]],
        waiting: bool,
        all_said: bool,
        replies: int,
        calls: int,
    ) -> None:
        self._story.restore(story)
        self._done = [Outcome(**outcome) for outcome in done]
        self._all_said = all_said
        self._replies, self._calls = replies, calls
        self._in_doubt = self._unfinished = self._busy = not waiting

    def hear(self, text: str) -> None:
        """The story hears it."""
        self._story.hear(text)

    def stop(self) -> None:
        """Stop a running command."""
        self._tools.stop()

    async def turn(self) -> tuple[str, str]:
        """Reply and use tools until the story gives the word back."""
        if self._all_said:
            self._all_said = False
            return "completed", ""
        while await self._may_go_on(self._pace):
            self._replies += 1
            message = f"m{self._replies}"
            reply = self._story.reply()
            for text in reply.texts:
                emit(type="text", message=message, text=text)
            if not reply.calls:
                break
            done, self._done = self._done, []
            for call in reply.calls[len(done) :]:
                done.append(await self._call(call, message))
            self._story.results(done)
            self._hear_waiting()
        return ("interrupted" if self._interrupted else "completed"), ""

    async def _call(self, use: ToolUse, message: str) -> Outcome:
        self._calls += 1
        call = f"c{self._calls}"
        emit(type="tool_call", message=message, call=call, tool=use.tool, input=use.input)
        if self._interrupted and use.tool == "Bash":
            outcome = Outcome(INTERRUPTED, is_error=True, interrupted=True)
        else:
            done = self._made_before(use) or await self._tools.run(use.tool, use.input)
            if done.change:
                emit_edit(call, done.change)
            outcome = Outcome(done.output, done.is_error, done.interrupted)
        emit(type="tool_result", call=call, output=outcome.output, is_error=outcome.is_error)
        return outcome

    def _made_before(self, use: ToolUse) -> ToolOutcome | None:
        """What came of an edit that was made before the session broke off, though nobody wrote it down."""
        in_doubt, self._in_doubt = self._in_doubt, False
        if not in_doubt or use.tool != "Edit":
            return None
        old, new = str(use.input["old_string"]), str(use.input["new_string"])
        try:
            path = self._tools.files.inside(use.input["file_path"])
            text = self._tools.files.read(path)
        except (OSError, ValueError, RefusedError):
            return None  # the tool itself says what is wrong
        if new not in text or (old in text and old not in new):
            return None
        if not new:  # what was taken out has left no place
            return ToolOutcome(f"The file {path.name} has been updated.")
        return self._tools.files.save(path, text.replace(new, old, 1), text)


def main() -> None:
    """Play a script until stdin ends."""
    parser = argparse.ArgumentParser(prog="python -m kernelseek_tui.agents.rehearsal.player")
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pace", type=float, default=0.4, help="seconds before each reply")
    options = parser.parse_args()

    async def play() -> None:
        script = load_script(options.script)
        workspace = options.workspace.resolve()
        tools = Tools(workspace, script.candidate, os.environ, emit_group)
        await play_from_stdin(Player(Story(script, options.seed, str(workspace)), tools, options.pace))

    try:
        run(play)
    except ScriptError as error:
        print(error, file=sys.stderr)
        sys.exit(ExitCode.INPUT_REFUSED)


if __name__ == "__main__":
    main()
