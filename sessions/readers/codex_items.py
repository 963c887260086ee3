"""Codex's items (`agentMessage`, `commandExecution`, `fileChange`, ...) as three of its formats write them.

`codex exec --json` writes `command_execution` with `exit_code`, the app server `commandExecution` with
`exitCode`, rollouts `CommandExecution` with `exit_code`: one item, told apart by spelling only.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, mapping_of, name_of, text_of
from sessions.readers.codex import PATCH, CodexReader
from sessions.readers.codex_words import exit_code, plain, shell_text, with_code
from sessions.readers.patches import Changes, changes_of

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_RUNNING = frozenset({"in_progress", "pending"})
_FAILED = frozenset({"failed", "declined"})
_FIELDS = frozenset({"id", "type", "status"})


def snake(name: str) -> str:
    """`commandExecution` and `CommandExecution` as `command_execution`."""
    return _HUMP.sub("_", name).lower()


class ItemReader(CodexReader):
    """A reader whose file holds items. `source` names it among those that tell the same words."""

    source = "item"

    def item(self, given: object, done: bool) -> Iterator[ev.AnyEvent]:
        """The events of an item that has started, or is `done`. Raises `Unknown`."""
        if not isinstance(given, dict):
            raise Unknown("(no item)")
        item = {snake(key): value for key, value in given.items()}
        kind = snake(name_of(item.get("type")))
        match kind:
            case "agent_message" | "plan" | "user_message" | "reasoning" | "hook_prompt" | "error":
                if done and self.fresh_item(text_of(item.get("id"))):
                    yield from self._words(kind, item)
            case "context_compaction":
                if done:
                    yield from self.compacted()
            case "todo_list":
                yield from self.planned(item.get("items"))
            case _ if kind in TOOL_ITEMS:
                yield from self.tool(kind, item, done)
            case _:
                raise Unknown(f"item/{kind or '(no type)'}"[:80])

    def fresh_item(self, name: str) -> bool:
        """Whether words of an item with this id were not read yet."""
        return True

    def name_of_call(self, item: Mapping[str, Any]) -> str:
        """The id of the call that an item is about."""
        return text_of(item.get("id"))

    def compacted(self, summary: str = "") -> Iterator[ev.AnyEvent]:
        """The conversation was compacted. Told again before anything else was said, it is the same one."""
        told = self.compaction
        if told is None or (summary and not told):
            self.reply_over()
            self.compaction = summary
            yield self.note("Conversation compacted" + (f": {summary}" if summary else "."))

    def _words(self, kind: str, item: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        words = plain(item.get("content")) if "content" in item else text_of(item.get("text"))
        match kind:
            case "user_message":
                yield from self.user(words, self.source)
            case "reasoning":
                yield from self.thought(_thoughts(item), self.source)
            case "hook_prompt":
                fragments = item.get("fragments")
                for fragment in fragments if isinstance(fragments, list) else []:
                    text = text_of(mapping_of(fragment).get("text"))
                    if text and self.twins.first(self.source, "user", text):
                        yield self.note(text, "hook")
            case "error":
                yield self.note(text_of(item.get("message")))
            case _:
                yield from self.said(words, self.source)

    def tool(self, kind: str, item: Mapping[str, Any], done: bool) -> Iterator[ev.AnyEvent]:
        """The events of an item that is a tool call."""
        call = self.name_of_call(item)
        changes = changes_of(item.get("changes")) if kind == "file_change" else None
        if not self.known(call):  # else it started earlier, and its item only repeats the call
            tool, input_ = _call(kind, item, changes)
            yield from self.called(call, tool, input_)
        status = snake(name_of(item.get("status")))
        if done and status not in _RUNNING:
            output, failed = _outcome(kind, item, status)
            yield from self.answered(call, output, failed, changes)


TOOL_ITEMS = frozenset(
    {
        "command_execution",
        "file_change",
        "mcp_tool_call",
        "dynamic_tool_call",
        "collab_tool_call",
        "collab_agent_tool_call",
        "web_search",
        "image_view",
        "image_generation",
        "sleep",
    }
)


def _thoughts(item: Mapping[str, Any]) -> list[str]:
    for name in ("summary_text", "summary", "raw_content", "content"):
        parts = item.get(name)
        if isinstance(parts, list) and parts:
            return [text_of(mapping_of(part).get("text")) or text_of(part) for part in parts]
    return [text_of(item.get("text"))]


def _call(kind: str, item: Mapping[str, Any], changes: Changes | None) -> tuple[str, dict[str, Any]]:
    rest = {key: value for key, value in item.items() if key not in _FIELDS and value is not None}
    match kind:
        case "command_execution":
            given: dict[str, Any] = {"command": shell_text(item.get("command"))}
            if cwd := name_of(item.get("cwd")):
                given["cwd"] = cwd.removeprefix("file://")
            return "Bash", given
        case "file_change":
            paths = [path for path, _ in changes or ()]
            return PATCH, {"path": paths[0] if paths else "", "files": paths}
        case "mcp_tool_call":
            server, tool = text_of(item.get("server")), text_of(item.get("tool"))
            return f"mcp__{server}__{tool}", _arguments(item)
        case "dynamic_tool_call":
            return text_of(item.get("tool")), _arguments(item)
        case "collab_tool_call" | "collab_agent_tool_call":
            names = ("prompt", "receiver_thread_ids", "model")
            return snake(name_of(item.get("tool"))), {key: rest[key] for key in names if key in rest}
        case "image_view":
            return "view_image", {"path": text_of(item.get("path"))}
        case _:
            return kind, {key: value for key, value in rest.items() if key not in ("result", "action")}


def _arguments(item: Mapping[str, Any]) -> dict[str, Any]:
    given = item.get("arguments")
    return given if isinstance(given, dict) else {} if given is None else {"arguments": given}


def _outcome(kind: str, item: Mapping[str, Any], status: str) -> tuple[str, bool]:
    failed = status in _FAILED
    if kind == "command_execution":
        return with_code(text_of(item.get("aggregated_output")), exit_code(item.get("exit_code")), failed)
    error = item.get("error")
    if error:
        return text_of(mapping_of(error).get("message") or error), True
    if kind == "file_change":
        return text_of(item.get("stderr") if failed else item.get("stdout")), failed
    result = item.get("content_items") if kind == "dynamic_tool_call" else item.get("result")
    content = mapping_of(result).get("content", result)
    return plain(content), failed or item.get("success") is False or mapping_of(result).get("isError") is True
