"""Logs of the Agent Client Protocol: its JSON-RPC messages, or only the updates of a session."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from sessions import events as ev
from sessions.readers.acp_tools import ToolUse
from sessions.readers.acp_updates import UpdateReader
from sessions.readers.base import Unknown, count_of, mapping_of, name_of, text_of
from sessions.readers.codex_words import plain
from sessions.readers.formats import Format
from sessions.readers.rpc import Message, Requests, message_of, refused

# Requests that only set something up.
_REQUESTS = frozenset({"initialize", "authenticate", "session/new", "session/load", "session/prompt"})
_ANSWERS: dict[str, Literal["allow", "always", "deny"]] = {"allow_once": "allow", "allow_always": "always"}
_ENDS: dict[str, Literal["completed", "interrupted", "failed"]] = {
    "end_turn": "completed",
    "cancelled": "interrupted",
}
_USAGE = ("inputTokens", "outputTokens", "cachedReadTokens", "cachedWriteTokens")


class AcpReader(UpdateReader):
    """Reads a log. A person's words are the prompts; a session that is loaded tells its history once."""

    def __init__(self, path: Path, candidate: str | None = None) -> None:
        super().__init__(path, candidate)
        self._requests = Requests()
        self._asked: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self._prompts = 0

    def entry(self, entry: dict[str, Any]) -> Iterator[ev.AnyEvent]:
        """The events of one line."""
        message = message_of(entry)
        held = entry if message is None else message.params
        self.session = self.session or name_of(held.get("sessionId"))
        if message is None:
            update = entry.get("update")
            if not isinstance(update, dict):
                raise Unknown("(no message)")
            yield from self.update(update)
        elif message.answer:
            yield from self._answer(message)
        elif message.method == "session/update":
            yield from self.update(mapping_of(message.params.get("update")))
        elif message.method == "session/request_permission":
            yield from self._permission(message)
        elif message.method == "session/prompt":
            self._requests.sent("client", message)
            yield from self._prompt(message.params)
        elif message.method == "session/cancel":
            yield from self.flush()
        elif message.method in _REQUESTS:
            self._requests.sent("client", message)
            self.cwd = name_of(message.params.get("cwd")) or self.cwd
        else:
            raise Unknown(message.method[:80])

    def _prompt(self, params: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        yield from self.flush()
        yield from self.begun()
        mid_turn = self._prompts > 0
        self._prompts += 1
        yield from self.user(plain(params.get("prompt")), "prompt", self.head(), mid_turn)

    def _answer(self, message: Message) -> Iterator[ev.AnyEvent]:
        result = mapping_of(message.result)
        outcome = result.get("outcome")
        ours = message.way == "in" or (not message.way and isinstance(outcome, dict))
        if ours and self._requests.asks("agent", message):
            self._requests.answered("agent", message)
            yield from self._answered_permission(message.id or "", mapping_of(outcome))
            return
        asked = self._requests.answered("client", message)
        method = asked[0] if asked else ""
        if method == "session/prompt" or "stopReason" in result:
            yield from self._turn_over(result, message.error)
        elif message.error is not None:
            yield self._note(f"{method or 'A request'} was refused: {refused(message.error)}")
        elif "protocolVersion" in result:
            info = mapping_of(result.get("agentInfo"))
            self.agent = name_of(info.get("name")) or self.agent
            self.version = name_of(info.get("version"))
        elif method in ("session/new", "session/load") or "sessionId" in result:
            yield from self._opened(name_of(result.get("sessionId")))
        elif method not in _REQUESTS:
            raise Unknown(f"answer to {method or 'a request'}"[:80])

    def _opened(self, session: str) -> Iterator[ev.AnyEvent]:
        if session and session != self.session:  # another one of the same process, perhaps
            yield from self.flush()
            self.session, self.started = session, False
        yield from self.begun()

    def _turn_over(self, result: Mapping[str, Any], error: object) -> Iterator[ev.AnyEvent]:
        yield from self.flush()
        self._prompts = max(0, self._prompts - 1)
        self.reply = None
        usage = mapping_of(result.get("usage"))
        counts = [count_of(usage.get(name)) for name in _USAGE]
        if any(counts):
            yield ev.Usage(
                **self.head(),
                input_tokens=counts[0],
                output_tokens=counts[1],
                cache_read_tokens=counts[2],
                cache_write_tokens=counts[3],
            )
        stopped = text_of(result.get("stopReason"))
        reason = "failed" if error is not None else _ENDS.get(stopped, "failed")
        detail = refused(error) if error is not None else "" if stopped in _ENDS else stopped
        if self._prompts == 0:  # else the turn goes on with the next prompt
            yield ev.TurnEnded.model_validate({**self.head(), "reason": reason, "detail": detail})

    def _permission(self, message: Message) -> Iterator[ev.AnyEvent]:
        self._requests.sent("agent", message)
        yield from self.flush_text()
        asked = mapping_of(message.params.get("toolCall"))
        call = text_of(asked.get("toolCallId"))
        if call:
            yield from self.tool(asked)
            yield from self.tell(upto=call)
        use = self.tools.get(call)
        if use is None:
            use = ToolUse(call, {}, "")
            use.update(asked)
        head = self.head(use.head.get("id"))
        self._asked[message.id or ""] = (head["id"], message.params)
        yield ev.PermissionRequested(**head, request=message.id or "", tool=use.tool, input=use.input)

    def _answered_permission(self, request: str, outcome: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        parent, params = self._asked.pop(request, (None, {}))
        options = params.get("options")
        kinds = {
            text_of(option.get("optionId")): name_of(option.get("kind"))
            for option in map(mapping_of, options if isinstance(options, list) else [])
        }
        chosen = kinds.get(text_of(outcome.get("optionId")), "")
        yield ev.PermissionAnswered(**self.head(parent), request=request, answer=_ANSWERS.get(chosen, "deny"))

    def _note(self, text: str) -> ev.Note:
        return ev.Note(**self.head(), text=text, author="client")


_METHODS = frozenset(
    {
        "session/update",
        "session/new",
        "session/load",
        "session/prompt",
        "session/cancel",
        "session/request_permission",
    }
)


def _row(value: Mapping[str, Any]) -> bool:
    message = message_of(value)
    if message is None:
        return isinstance(mapping_of(value.get("update")).get("sessionUpdate"), str)
    if message.answer:
        result = mapping_of(message.result)
        return isinstance(result.get("stopReason"), str) or (
            isinstance(result.get("protocolVersion"), int) and "agentCapabilities" in result
        )
    if message.method == "initialize":
        return isinstance(message.params.get("protocolVersion"), int)
    return message.method in _METHODS


FORMAT = Format("acp", "a log of the Agent Client Protocol", AcpReader, row=_row)
