"""A conversation with a model of the Messages API, kept valid whatever happens to it. Pure.

Roles alternate, every tool call has its result before anything else is said, no text is empty, and nothing
half-written is kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Block = dict[str, Any]

CACHED: Block = {"type": "ephemeral"}
KEPT_RESULTS = 6
"""Tool results that stay when older ones are cleared, by the server or by us."""

CLEARED = "(This result was cleared to make room. Run the command again if you need it.)"
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of the model. `input` is whatever it wrote; `problem` says what is wrong with it."""

    id: str
    tool: str
    input: Any
    problem: str | None = None


@dataclass(slots=True)
class Conversation:
    """`messages` as the API takes them, but for the cache marks of `request`."""

    messages: list[Block] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Append a person's words: after tool results in the same message, else in one of their own."""
        if text.strip():
            self._user([{"type": "text", "text": text}])

    def reply(self, blocks: Sequence[Block]) -> None:
        """Append what the model said; whatever the API would not take back is left out."""
        kept = [block for block in blocks if block.get("type") != "text" or block["text"].strip()]
        if any(block.get("type") not in _THOUGHTS for block in kept):
            self.messages.append({"role": "assistant", "content": kept})

    def result(self, call: str, output: str, is_error: bool) -> None:
        """Append the result of a tool call."""
        block: Block = {"type": "tool_result", "tool_use_id": call, "content": output or "(no output)"}
        if is_error:
            block["is_error"] = True
        self._user([block])

    def take_back(self) -> None:
        """Forget the last message of a person, where no tool result stands in it."""
        last = self.messages[-1] if self.messages else None
        if last and last["role"] == "user" and all(block["type"] == "text" for block in last["content"]):
            self.messages.pop()

    def clear_results(self, keep: int = KEPT_RESULTS) -> int:
        """Clear all tool results but the newest `keep`; how many were.

        Thoughts go too: the API binds them to the words before them, which are others now.
        """
        results = [block for block in self._blocks() if block["type"] == "tool_result"]
        old = [block for block in results[: len(results) - keep] if block["content"] != CLEARED]
        for block in old:
            block["content"] = CLEARED
        if old:
            for message in self.messages:
                if message["role"] == "assistant":
                    spoken = [block for block in message["content"] if block["type"] not in _THOUGHTS]
                    message["content"] = spoken
        return len(old)

    def request(self) -> list[Block]:
        """The messages with the newest one marked for the cache. Shares blocks with the conversation."""
        *before, last = self.messages
        *blocks, marked = last["content"]
        content = [*blocks, {**marked, "cache_control": CACHED}]
        return [*before, {**last, "content": content}]

    def _blocks(self) -> list[Block]:
        return [block for message in self.messages for block in message["content"]]

    def _user(self, blocks: list[Block]) -> None:
        if self.messages and self.messages[-1]["role"] == "user":
            self.messages[-1]["content"] += blocks
        else:
            self.messages.append({"role": "user", "content": blocks})


def calls_in(blocks: Sequence[Mapping[str, Any]], problems: Mapping[str, str]) -> list[Call]:
    """The tool calls of a reply, in order; `problems` by the call's id."""
    return [
        Call(block["id"], block["name"], block["input"], problems.get(block["id"]))
        for block in blocks
        if block.get("type") == "tool_use"
    ]
