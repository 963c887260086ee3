"""Cursor's transcripts, `agent-transcripts/<id>.jsonl`: roles and blocks, without times and ids."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, mapping_of, name_of, text_of, type_name
from sessions.readers.conversation import ConversationReader, blocks_of, plain
from sessions.readers.formats import Format

_ROLES = frozenset({"user", "assistant", "tool", "system"})
_FOREIGN = frozenset({"type", "uuid", "sessionId", "session_id", "timestamp", "parentId", "kind"})
_ENDS = {"success": "completed", "aborted": "interrupted"}

# A person's words as the client wraps them, and what it puts around them.
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_TIME = re.compile(r"<timestamp>.*?</timestamp>", re.DOTALL)
_AROUND = re.compile(
    r"<(additional_data|agent_skills|agent_transcripts|attached_files|cursor_rules|external_links|git_status"
    r"|image_files|manually_attached_skills|open_and_recently_viewed_files|project_layout|rules"
    r"|system_notification|system_reminder|user_info)\b[^>]*>.*?</\1>",
    re.DOTALL,
)
_HIDDEN = "[REDACTED]"  # stands for thinking


class CursorReader(ConversationReader):
    """Reads a transcript. A row is written after its tools ran, so an edit is one without a result, too."""

    def __init__(self, file: str, candidate: str | None = None) -> None:
        super().__init__(file, candidate)
        self._waiting: list[str] = []

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The events of one row."""
        if entry.get("type") == "turn_ended":
            return list(self._ended(entry))
        role = name_of(entry.get("role"))
        if role not in _ROLES:
            raise Unknown(type_name(entry))
        content = mapping_of(entry.get("message")).get("content")
        begun = self.start(self.account.file.removesuffix(".jsonl"), "cursor")
        return self.opened(begun, self._row(role, blocks_of(content)))

    def _row(self, role: str, blocks: list[Mapping[str, Any]]) -> Iterator[ev.AnyEvent]:
        message = f"l{self._line}"
        if role == "assistant":
            self._waiting = []
        said = [block for block in blocks if block.get("type") != "tool_result"]
        for block in blocks:
            if block.get("type") == "tool_result":
                yield from self._result(block)
        if role == "user":
            if text := plain(said):
                yield from self._said(text)
            return
        for at, block in enumerate(said):
            match block.get("type"):
                case "text" if role == "assistant":
                    text = text_of(block.get("text")).replace(_HIDDEN, "").strip()
                    yield from self.text(text, message)
                case "thinking":
                    yield from self.thinking(text_of(block.get("thinking", block.get("text"))), message)
                case "tool_use":
                    yield from self._use(block, at, message)
                case _:
                    yield from self.note(plain([block]))

    def _said(self, text: str) -> Iterator[ev.AnyEvent]:
        text = _TIME.sub("", text)
        if queries := _QUERY.findall(text):
            yield from self.note(_QUERY.sub("", text).strip())
            yield from self.person("\n\n".join(queries))
            return
        yield from self.note("\n".join(match[0] for match in _AROUND.finditer(text)))
        yield from self.person(_AROUND.sub("", text))

    def _use(self, block: Mapping[str, Any], at: int, message: str) -> Iterator[ev.AnyEvent]:
        call = text_of(block.get("id")) or f"{message}.t{at}"
        new = call not in self._calls
        yield from self.call(call, text_of(block.get("name")), block.get("input"), message)
        if new:
            self._waiting.append(call)
            if call not in self._answered:
                yield from self.edit(call)

    def _result(self, block: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        call = text_of(block.get("tool_use_id")) or (self._waiting.pop(0) if self._waiting else "")
        failed = block.get("is_error") is True
        for event in self.result(call, plain(block.get("content")), failed):
            if not isinstance(event, ev.Edit):  # it came with its call
                yield event

    def _ended(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        how = _ENDS.get(name_of(entry.get("status")), "failed")
        yield ev.TurnEnded.model_validate(
            {**self.head(), "reason": how, "detail": text_of(entry.get("error"))}
        )


def _row(value: Mapping[str, Any]) -> bool:
    if value.get("type") == "turn_ended":
        return isinstance(value.get("status"), str)
    message = value.get("message")
    return (
        name_of(value.get("role")) in _ROLES
        and isinstance(message, dict)
        and "content" in message
        and not _FOREIGN & value.keys()
    )


FORMAT = Format(
    "cursor",
    "a Cursor transcript",
    lambda path, candidate: CursorReader(path.name, candidate),
    row=_row,
    live=True,
)
