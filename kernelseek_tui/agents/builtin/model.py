"""The built-in agent's connection to the Messages API: one whole reply for one conversation, or a sentence.

A reply that broke off is asked for again from the start and nothing of it is used, so no text comes twice and
no half tool call runs. The anthropic SDK repeats a refused request by itself; what goes on failing, and what
breaks off, is repeated here, each time with a note. Only the client process imports this module: it loads
the SDK.
"""

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anthropic
import httpx2

from kernelseek_tui.agents.builtin import editor
from kernelseek_tui.agents.builtin.budget import Tokens
from kernelseek_tui.agents.builtin.conversation import (
    CACHED,
    KEPT_RESULTS,
    Block,
    Call,
    Conversation,
    calls_in,
)
from kernelseek_tui.agents.builtin.credentials import KEY_VARIABLES, NO_KEY

BETA = "context-management-2025-06-27"
CLEAR_ABOVE = 100_000
"""Tokens of a request above which old tool results are cleared (the API's own default)."""

CLEAR_AT_LEAST = 20_000
"""Clearing breaks the cache behind it; less than this is not worth that."""

TRIES = 6
SDK_RETRIES = 2
LONGEST_WAIT = 60.0

TOOLS: tuple[Block, ...] = (
    {"type": "bash_20250124", "name": "bash"},
    {
        "type": "text_editor_20250728",
        "name": editor.NAME,
        "max_characters": editor.MAX_SHOWN,
        "cache_control": CACHED,
    },
)
_EDITS: Block = {
    "edits": [
        {
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": CLEAR_ABOVE},
            "keep": {"type": "tool_uses", "value": KEPT_RESULTS},
            "clear_at_least": {"type": "input_tokens", "value": CLEAR_AT_LEAST},
        }
    ]
}
# The kinds of error that come inside a stream, where the status was 200 long ago.
_PASSING = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})


class HaltError(Exception):
    """The agent cannot go on; the message is one sentence for the user."""


class OutageError(HaltError):
    """The model cannot be had: no credentials, no connection, a service that goes on failing."""


class _CutError(Exception):
    """The reply broke off."""


@dataclass(slots=True)
class Draft:
    """What has arrived of a reply: its id, its words so far and the tokens it has cost."""

    message: str | None = None
    text: str = ""
    tokens: Tokens = field(default_factory=Tokens)


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply; `blocks` are as the API takes them back, `cut` where its end is missing."""

    message: str
    blocks: list[Block]
    calls: list[Call]
    stop: str
    tokens: Tokens
    cut: bool = False


class Model:
    """Asks `name`, each time with the same tools and system prompt.

    `on_text` gets text as it grows (None: what was shown is void), `on_note` what a person should know,
    `on_cost` the tokens of replies that broke off. `backoff` is the first wait in seconds, doubled each time.
    """

    def __init__(
        self,
        name: str,
        system: str,
        *,
        max_tokens: int,
        backoff: float,
        on_text: Callable[[str | None], None],
        on_note: Callable[[str], None],
        on_cost: Callable[[Draft], None],
    ) -> None:
        self._name = name
        self._system = [{"type": "text", "text": system, "cache_control": CACHED}]
        self._max_tokens = max_tokens
        self._backoff = backoff
        self._on_text, self._on_note, self._on_cost = on_text, on_note, on_cost
        self._client = anthropic.AsyncAnthropic(max_retries=SDK_RETRIES)
        self._editing = True
        self._proven = False
        self._context = 0
        self.draft = Draft()

    async def reply(self, conversation: Conversation) -> Reply:
        """The next reply. Raises `HaltError`; when cancelled, `draft` is what had come."""
        if not self._editing and self._context > CLEAR_ABOVE and conversation.clear_results():
            self._on_note("Old tool results were taken out of the conversation to make room.")
        tried = 0
        while True:
            self.draft = Draft()
            try:
                reply = await self._ask(conversation)
            except anthropic.APIStatusError as error:
                self._drop_draft()
                if self._without_editing(error) or self._made_room(error, conversation):
                    continue
                problem = self._problem(error)
            except (anthropic.APIError, httpx2.HTTPError, _CutError) as error:
                problem = self._broken(error)
                self._drop_draft()
            except (ValueError, LookupError, AttributeError) as error:
                # What the SDK raises over a stream that is not one of the API.
                problem = f"The reply could not be read ({type(error).__name__}: {error})"
                self._drop_draft()
            except TypeError as error:
                # The SDK's word for no credentials at all; any other TypeError is a defect and stays one.
                if "authentication" not in str(error):
                    raise
                raise OutageError(NO_KEY) from error
            else:
                self._context = reply.tokens.prompt
                return reply
            tried += 1
            if tried == TRIES:
                raise OutageError(f"{problem} {TRIES} times; send a message to try again.")
            wait = min(self._backoff * 2 ** (tried - 1), LONGEST_WAIT)
            self._on_note(f"{problem}; asking again in {wait:g} s ({tried} of {TRIES - 1}).")
            await asyncio.sleep(wait)

    async def _ask(self, conversation: Conversation) -> Reply:
        request: dict[str, Any] = {
            "model": self._name,
            "max_tokens": self._max_tokens,
            "system": self._system,
            "tools": list(TOOLS),
            "messages": conversation.request(),
        }
        draft, whole, inputs = self.draft, False, dict[int, str]()
        messages: Any = self._client.messages
        if self._editing:
            messages = self._client.beta.messages
            request |= {"betas": [BETA], "context_management": _EDITS}
        async with messages.stream(**request) as stream:
            async for event in stream:
                if event.type == "message_start":
                    draft.message, draft.tokens = event.message.id, _tokens(event.message.usage)
                elif (
                    event.type == "content_block_start" and event.content_block.type == "text" and draft.text
                ):
                    self._grow("\n\n")
                elif event.type == "text":
                    self._grow(event.text)
                elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                    inputs[event.index] = inputs.get(event.index, "") + event.delta.partial_json
                elif event.type == "message_stop":
                    whole = True
            if not whole or draft.message is None:
                raise _CutError
            message = await stream.get_final_message()
        self._note_editing()
        return _reply(message, inputs)

    def _grow(self, text: str) -> None:
        self.draft.text += text
        self._on_text(text)

    def _drop_draft(self) -> None:
        if self.draft.text:
            self._on_text(None)
        if self.draft.message:
            self._on_cost(self.draft)  # it was billed
        self.draft = Draft()

    def _without_editing(self, error: anthropic.APIStatusError) -> bool:
        """Whether to ask again without the beta: some servers refuse it, in words of their own."""
        if not self._editing or self._proven or error.status_code not in (400, 404, 422):
            return False
        self._editing = False
        return True

    def _note_editing(self) -> None:
        if not self._editing and not self._proven:
            self._on_note("This server does not edit the context; old tool results are cleared here instead.")
        self._proven = True

    def _made_room(self, error: anthropic.APIStatusError, conversation: Conversation) -> bool:
        too_long = error.status_code == 413 or (error.status_code == 400 and "too long" in _said(error))
        if too_long and conversation.clear_results():
            self._on_note("The conversation was too long; old tool results were taken out of it.")
            return True
        return False

    def _problem(self, error: anthropic.APIStatusError) -> str:
        """What to say before asking again. Raises `HaltError` where that would help nothing."""
        status, said = error.status_code, _said(error)
        if status == 401 or error.type == "authentication_error":
            name = next((name for name in KEY_VARIABLES if os.environ.get(name)), None)
            what = f"the key in {name}" if name else "the credentials of this user's profile"
            raise OutageError(
                f"The API refused {what} (401): wrong, revoked or expired. Set {name or KEY_VARIABLES[0]} to "
                "a valid one and start again."
            ) from error
        if status == 404:
            raise OutageError(
                f"The API knows no model {self._name!r} (404: {said}); choose another with --model."
            ) from error
        if status in (408, 409, 429) or status >= 500:
            return f"The API answers {status} ({said})"
        if status == 200 and error.type in _PASSING:
            return f"The reply broke off with an error of the API ({said})"
        if "too long" in said:
            raise HaltError(
                f"The conversation is too long for {self._name} ({said}); start a new session."
            ) from error
        raise OutageError(f"The API refused the request ({status}: {said}).") from error

    def _broken(self, error: Exception) -> str:
        if self.draft.message is None and isinstance(error, anthropic.APIConnectionError):
            return f"The API at {self._client.base_url.host} could not be reached"
        return "The reply broke off in mid-message"


def _said(error: anthropic.APIStatusError) -> str:
    return " ".join((error.api_message or error.message).split())[:300]


def _tokens(usage: Any) -> Tokens:
    return Tokens(
        given=usage.input_tokens or 0,
        made=usage.output_tokens or 0,
        cache_read=usage.cache_read_input_tokens or 0,
        cache_write=usage.cache_creation_input_tokens or 0,
    )


def _reply(message: Any, inputs: Mapping[int, str]) -> Reply:
    blocks: list[Block] = []
    problems: dict[str, str] = {}
    for index, block in enumerate(message.content):
        plain: Block = block.to_dict(mode="json", exclude_none=True, warnings=False)
        plain.pop("parsed_output", None)  # the SDK's own, which the API does not take
        if plain["type"] == "tool_use":
            # The SDK mends JSON that stops early; half a command must not look like a whole one.
            try:
                plain["input"] = json.loads(inputs.get(index) or "{}")
            except ValueError:
                plain["input"], problems[plain["id"]] = {}, "the input is not whole JSON"
            if not isinstance(plain["input"], dict):
                plain["input"], problems[plain["id"]] = {}, "the input is not a JSON object"
        blocks.append(plain)
    stop = message.stop_reason or "none"
    cut = stop in ("max_tokens", "model_context_window_exceeded")
    if cut and blocks and blocks[-1]["type"] != "text":
        blocks.pop()  # a tool call or a thought without its end
    tokens = _tokens(message.usage)
    return Reply(message.id, blocks, calls_in(blocks, problems), stop, tokens, cut)
