"""The built-in agent's own process: `python -m kernelseek_tui.agents.builtin.client --workspace DIR …`.

The loop of an agent over the Messages API: ask the model, run the tools it calls (after asking a person where
that is needed), give it the results and the messages that came meanwhile, until it gives the word back. It
speaks the lines of `lines_client`. Exit code 0 when closed.
"""

import argparse
import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kernelseek_tui.agents.builtin import editor
from kernelseek_tui.agents.builtin.budget import DEFAULT_TOKENS, Budget, Tokens
from kernelseek_tui.agents.builtin.conversation import Call, Conversation
from kernelseek_tui.agents.builtin.model import TOOLS, Draft, HaltError, Model, OutageError, Reply
from kernelseek_tui.agents.builtin.permissions import SHELL, Permissions
from kernelseek_tui.agents.builtin.prompt import system_prompt
from kernelseek_tui.agents.lines.client import Client, emit, emit_edit, emit_group, play_from_stdin, run
from kernelseek_tui.agents.lines.files import RefusedError, ToolOutcome
from kernelseek_tui.agents.lines.tools import INTERRUPTED, Tools
from sessions.redaction import secret_values

MAX_TOKENS = 32_000
MAX_CUTS = 3
"""Replies in a row that may run into the limit of output before the turn is given up."""

STOPPED = "[Request interrupted by user]"
"""What the model reads of an interrupt: the words its makers' own client has for it."""

_NAMES = " and ".join(tool["name"] for tool in TOOLS)


class _DeniedError(Exception):
    """A person did not allow a call."""


class Builtin(Client):
    """One agent: a model, a conversation, tools, permissions and a budget."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        workspace: Path = options.workspace.resolve()
        # Commands have no business with the API, and what they print is written down.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC_")}
        self._secrets = secret_values(os.environ)
        self._tools = Tools(workspace, options.candidate, environment, emit_group)
        self._editor = editor.Editor(self._tools.files)
        self._permissions = Permissions(ask=not options.allow_all)
        self._budget = Budget(options.model, options.spend_ceiling, options.token_ceiling)
        self._conversation = Conversation()
        self._max_tokens = options.max_tokens
        self._model = Model(
            options.model,
            system_prompt(str(workspace), options.candidate),
            max_tokens=options.max_tokens,
            backoff=options.backoff,
            on_text=lambda text: emit(type="partial", text=text),
            on_note=_note,
            on_cost=self._spend_draft,
        )
        self._stopped = asyncio.Event()
        self._requests: dict[str, asyncio.Future[tuple[str, str]]] = {}
        self._asked = 0
        self._cuts = 0
        self._warning = self._budget.warning()

    def hear(self, text: str) -> None:
        """The model hears it with the next request."""
        self._conversation.say(text)

    def stop(self) -> None:
        """Stop the stream, a running command and waiting for a permission."""
        self._stopped.set()
        self._tools.stop()

    def answered(self, request: str, choice: str, message: str) -> None:
        """Pass the answer to the call that waits for it; ids nobody waits for are ignored."""
        waiting = self._requests.get(request)
        if waiting and not waiting.done():
            waiting.set_result((choice, message))

    async def turn(self) -> tuple[str, str]:
        """Ask and run tools until the model gives the word back."""
        if not self._interrupted:
            self._stopped.clear()
        if self._warning:
            _note(self._warning)
            self._warning = None
        self._cuts, self._outage = 0, False
        try:
            while await self._may_go_on():
                if halt := self._budget.halt():
                    self._halted = True
                    raise HaltError(halt)
                reply = await self._reply()
                if reply is None or not await self._take(reply):
                    break
                if not self._budget.halt():  # else nobody would read what it hears
                    self._hear_waiting()
        except HaltError as error:
            self._outage = isinstance(error, OutageError)
            return "failed", self._clean(str(error))
        if not self._interrupted:
            return "completed", ""
        self._conversation.say(STOPPED)
        return "interrupted", ""

    async def _reply(self) -> Reply | None:
        """The next reply; None when interrupted, and then the words so far are kept."""
        asking = asyncio.create_task(self._model.reply(self._conversation))
        stopped = asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait({asking, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
        if asking.done():
            return asking.result()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        draft = self._model.draft
        emit(type="partial", text=None)
        if draft.text.strip():
            emit(type="text", message=draft.message, text=draft.text)
            self._conversation.reply([{"type": "text", "text": draft.text}])
        if draft.message:
            self._spend_draft(draft)
        return None

    async def _take(self, reply: Reply) -> bool:
        """Show a reply and do what it asks; False when the word goes back to the person."""
        emit(type="partial", text=None)
        self._spend(reply.message, reply.tokens)
        if reply.stop == "refusal":
            self._conversation.take_back()
            raise HaltError(
                "The model declined to go on (stop reason: refusal) and its reply was not kept; ask for "
                "something else, or in other words."
            )
        for block in reply.blocks:
            kind = block["type"]
            if kind in ("text", "thinking") and block[kind].strip():
                emit(type=kind, message=reply.message, text=block[kind])
        self._conversation.reply(reply.blocks)
        for call in reply.calls:
            await self._call(call, reply.message)
        if reply.cut:
            self._after_cut(reply)
            return True
        self._cuts = 0
        if reply.stop not in ("end_turn", "stop_sequence", "tool_use", "pause_turn"):
            _note(f"The reply ended for a reason that is not known here: {reply.stop}.")
        return bool(reply.calls) or reply.stop == "pause_turn"

    def _after_cut(self, reply: Reply) -> None:
        """Tell the model that its reply lacks its end. Raises `HaltError` when that goes on."""
        self._cuts += 1
        if reply.stop == "max_tokens":
            limit = f"the limit of {self._max_tokens} tokens a reply"
        else:
            limit = "the end of the model's context window"
            if not self._conversation.clear_results():
                raise HaltError("The conversation fills the model's context window; start a new session.")
        if self._cuts == MAX_CUTS:
            raise HaltError(f"{MAX_CUTS} replies in a row ran into {limit}; send a message to go on.")
        _note(f"A reply ran into {limit}; what it had not finished was not run.")
        self._conversation.say(
            f"<system-reminder>Your reply ran into {limit}; its end is missing and was not run. Go on in "
            "smaller steps.</system-reminder>"
        )

    async def _call(self, call: Call, message: str) -> None:
        emit(type="tool_call", message=message, call=call.id, tool=call.tool, input=call.input)
        done = await self._run(call)
        if done.change:
            emit_edit(call.id, done.change)
        output = self._clean(done.output)
        emit(type="tool_result", call=call.id, output=output, is_error=done.is_error)
        self._conversation.result(call.id, output, done.is_error)

    async def _run(self, call: Call) -> ToolOutcome:
        arguments: dict[str, Any] = call.input
        if self._interrupted:
            return ToolOutcome(INTERRUPTED, is_error=True, interrupted=True)
        path = ""
        try:
            if call.problem:
                raise RefusedError(f"This call was not run: {call.problem}.")
            if call.tool == editor.NAME:
                path = str(self._editor.target(arguments).relative_to(self._tools.files.workspace))
            elif call.tool != SHELL:
                raise RefusedError(f"There is no tool named {call.tool}; there are {_NAMES}.")
            elif arguments.get("restart"):
                return ToolOutcome("Every command runs in a new shell; there is nothing to restart.")
            elif not isinstance(arguments.get("command"), str) or not arguments["command"].strip():
                raise RefusedError("bash needs 'command', the text to run.")
            if self._permissions.needed(call.tool, arguments, path):
                await self._ask(call, path)
        except RefusedError as error:
            return ToolOutcome(f"Error: {error}", is_error=True)
        except _DeniedError as error:
            return ToolOutcome(str(error), is_error=True, interrupted=self._interrupted)
        if call.tool == editor.NAME:
            return self._editor.run(arguments)
        return await self._tools.run("Bash", {"command": arguments["command"]})

    async def _ask(self, call: Call, path: str) -> None:
        """Wait for a person's word. Raises `_DeniedError` with what the model reads instead of a result."""
        self._asked += 1
        request = f"p{self._asked}"
        answer: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
        stopped = asyncio.create_task(self._stopped.wait())
        either: set[asyncio.Future[Any]] = {answer, stopped}
        self._requests[request] = answer
        always = self._permissions.words(call.tool, call.input, path)
        emit(
            type="permission", request=request, call=call.id, tool=call.tool, input=call.input, always=always
        )
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            del self._requests[request]
        if self._interrupted:
            emit(type="withdrawn", request=request)
            raise _DeniedError(INTERRUPTED)
        choice, message = answer.result()
        if choice == "always":
            _note(f"Allowed from now on: {self._permissions.always(call.tool, call.input, path)}.")
        elif choice != "allow":
            raise _DeniedError(f"Not allowed. {message}".strip())

    def _spend_draft(self, draft: Draft) -> None:
        self._spend(draft.message, draft.tokens)

    def _spend(self, message: str | None, tokens: Tokens) -> None:
        emit(
            type="usage",
            message=message,
            input_tokens=tokens.given,
            output_tokens=tokens.made,
            cache_read_tokens=tokens.cache_read,
            cache_write_tokens=tokens.cache_write,
            cost_usd=self._budget.count(tokens),
        )

    def _clean(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        return text


def _note(text: str) -> None:
    emit(type="note", text=text)


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line of this process."""
    parser = argparse.ArgumentParser(prog="python -m kernelseek_tui.agents.builtin.client")
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--candidate", required=True, help="the file that is judged")
    parser.add_argument("--model", required=True)
    parser.add_argument("--allow-all", action="store_true", help="use tools without asking")
    parser.add_argument("--spend-ceiling", type=float, default=None, metavar="DOLLARS")
    parser.add_argument("--token-ceiling", type=int, default=DEFAULT_TOKENS)
    parser.add_argument("--max-tokens", type=int, default=MAX_TOKENS, help="of one reply")
    parser.add_argument("--backoff", type=float, default=2.0, help="seconds before the first own retry")
    return parser.parse_args(arguments)


def main() -> None:
    """Work until stdin ends."""
    options = read_options()

    async def play() -> None:
        await play_from_stdin(Builtin(options))

    run(play)


if __name__ == "__main__":
    main()
