"""Gemini CLI's chats: one JSON document `{sessionId, projectHash, messages}`, or since 2026 a row a line.

In rows, the first says which session it is, a message that changed is written again whole, and `$set` and
`$rewindTo` change what stands before; what was read once makes no second event.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, count_of, mapping_of, name_of, text_of, time_of, type_name
from sessions.readers.conversation import ConversationReader, blocks_of
from sessions.readers.documents import elements, plain_top
from sessions.readers.formats import Format, Head

_TYPES = frozenset({"user", "gemini", "info", "warning", "error"})
_INJECTED = (
    "<session_context>",
    "<hook_context>",
    "<state_snapshot>",
    "<activated_skill",
    "System: Please continue.",
    "This is the Gemini CLI. We are setting up the context for our chat.",
)
_EXIT = re.compile(r"^Exit Code: (\d+)", re.MULTILINE)


class GeminiReader(ConversationReader):
    """Reads the messages of a chat, or the rows of one. `top` holds the document's plain members."""

    def __init__(self, file: str, candidate: str | None = None, top: Mapping[str, Any] | None = None) -> None:
        super().__init__(file, candidate)
        self._top: Mapping[str, Any] = top or {}
        self._said: dict[str, str] = {}
        self._thoughts: dict[str, int] = {}

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The events of one message or row."""
        self._time = time_of(entry.get("timestamp"))
        if "projectHash" in entry:
            self._top = entry
            self._time = time_of(entry.get("startTime"))
            return list(self._start())
        if "$rewindTo" in entry:
            return list(self.note("The chat was taken back to an earlier message."))
        if "$set" in entry:
            found = mapping_of(entry["$set"]).get("messages")
            messages = found if isinstance(found, list) else []
            if not messages:
                raise Unknown("$set")
            return [made for one in messages if isinstance(one, dict) for made in self._message(one)]
        if name_of(entry.get("type")) not in _TYPES:
            raise Unknown(type_name(entry))
        return [*self._start(entry.get("model")), *self._message(entry)]

    def injected(self, text: str) -> str | None:
        """The client's own words at the start of a chat."""
        return "client" if text.lstrip().startswith(_INJECTED) else None

    def _start(self, model: object = None) -> Iterator[ev.AnyEvent]:
        yield from self.start(self._top.get("sessionId"), "gemini-cli", model=model)

    def _message(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        kind, id_ = name_of(entry.get("type")), text_of(entry.get("id"))
        content = blocks_of(entry.get("content"))
        if kind == "gemini":
            yield from self._reply(entry, id_ or f"l{self._line}", content)
            return
        for at, block in enumerate(content):  # answers to calls that stand in the content itself
            if "functionResponse" in block:
                yield from self._response(mapping_of(block["functionResponse"]), f"{id_}.{at}")
        words = "\n".join(_words(block) for block in content if not block.keys() & _FUNCTIONS)
        if not self.fresh(entry.get("id")):
            return
        if kind == "user":
            yield from self.person(words, "subagent" if self._top.get("kind") == "subagent" else None)
        elif kind in _TYPES:
            yield from self.note(words if kind == "info" else f"{kind.capitalize()}: {words}")

    def _reply(
        self, entry: Mapping[str, Any], id_: str, content: list[Mapping[str, Any]]
    ) -> Iterator[ev.AnyEvent]:
        thoughts = entry.get("thoughts")
        thoughts = thoughts if isinstance(thoughts, list) else []
        for thought in thoughts[self._thoughts.get(id_, 0) :]:
            said = mapping_of(thought)
            parts = (text_of(said.get(key)).strip() for key in ("subject", "description"))
            yield from self.thinking("\n".join(part for part in parts if part), id_)
        self._thoughts[id_] = max(len(thoughts), self._thoughts.get(id_, 0))
        spoken = [block for block in content if not block.keys() & _FUNCTIONS]
        before = self._said.get(id_, "")
        text = "\n".join(_words(block) for block in spoken if not block.get("thought"))
        if text != before:
            yield from self.text(text.removeprefix(before), id_)
            self._said[id_] = text
        for at, block in enumerate(content):
            if "functionCall" in block:
                made = mapping_of(block["functionCall"])
                call = text_of(made.get("id")) or f"{id_}.{at}"
                yield from self.call(call, text_of(made.get("name")), made.get("args"), id_)
        calls = entry.get("toolCalls")
        for at, one in enumerate(calls if isinstance(calls, list) else []):
            yield from self._tool(mapping_of(one), f"{id_}.t{at}", id_)
        tokens = mapping_of(entry.get("tokens"))
        given, made_, cached, thought_, tool = (
            count_of(tokens.get(key)) for key in ("input", "output", "cached", "thoughts", "tool")
        )
        # The client counts what came from its cache as input, too, and thinking beside the output.
        yield from self.spent(id_, max(0, given - cached) + tool, made_ + thought_, cached)

    def _tool(self, made: Mapping[str, Any], otherwise: str, message: str) -> Iterator[ev.AnyEvent]:
        call = text_of(made.get("id")) or otherwise
        yield from self.call(call, text_of(made.get("name")), made.get("args"), message)
        status = name_of(made.get("status"))
        result = made.get("result")
        if result is None and status not in ("success", "error", "cancelled"):
            return  # still running when this was written
        shown = made.get("resultDisplay")
        diff = mapping_of(shown).get("fileDiff")
        answers = [mapping_of(part.get("functionResponse")) for part in blocks_of(result)]
        output = "\n".join(filter(None, map(_output, answers))) or (shown if isinstance(shown, str) else "")
        failed = status in ("error", "cancelled") or self._exit(call, output)
        yield from self.result(call, output, failed, diff if isinstance(diff, str) else None)

    def _response(self, answer: Mapping[str, Any], otherwise: str) -> Iterator[ev.AnyEvent]:
        output = _output(answer)
        call = text_of(answer.get("id")) or otherwise
        failed = "error" in mapping_of(answer.get("response")) or self._exit(call, output)
        yield from self.result(call, output, failed)

    def _exit(self, call: str, output: str) -> bool:
        """A shell command that ended with another exit code than 0; the client calls that a success."""
        known = self._calls.get(call)
        codes = _EXIT.findall(output) if known is not None and known.tool == "Bash" else []
        return bool(codes) and codes[-1] != "0"


_FUNCTIONS = frozenset({"functionCall", "functionResponse"})


def _words(block: Mapping[str, Any]) -> str:
    return text_of(block["text"]) if "text" in block else f"[{', '.join(map(str, block))[:40]}]"


def _output(answer: Mapping[str, Any]) -> str:
    response = answer.get("response")
    given = mapping_of(response)
    return text_of(given.get("output", given.get("error", response)))


def _whole(head: Head) -> bool:
    top = head.object
    return (
        isinstance(top.get("sessionId"), str)
        and "projectHash" in top
        and isinstance(top.get("messages"), list)
    )


def _row(value: Mapping[str, Any]) -> bool:
    if (
        isinstance(value.get("$rewindTo"), str)
        or {"lastUpdated", "messages"} & mapping_of(value.get("$set")).keys()
    ):
        return True
    if isinstance(value.get("sessionId"), str) and "projectHash" in value:
        return "type" not in value and "uuid" not in value
    kind = value.get("type")
    message = isinstance(kind, str) and kind in _TYPES and {"id", "timestamp", "content"} <= value.keys()
    return message and not {"sessionId", "session_id", "uuid", "parentId", "message"} & value.keys()


FORMAT = Format(
    "gemini-cli",
    "a Gemini CLI chat, one JSON document",
    lambda path, candidate: GeminiReader(path.name, candidate, plain_top(path)),
    whole=_whole,
    items=elements("messages.item"),
)
LINES = Format(
    "gemini-cli-jsonl",
    "a Gemini CLI chat, a row a line",
    lambda path, candidate: GeminiReader(path.name, candidate),
    row=_row,
    live=True,
)
