"""Claude Code's on-disk transcript, `<session>.jsonl`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, count_of, mapping_of, money_of, text_of, type_name
from sessions.readers.claude import ClaudeReader
from sessions.readers.formats import Format
from sessions.readers.human import begins


class ClaudeCodeReader(ClaudeReader):
    """Reads the main file of a session, or with `agent` a subagent's file.

    A message typed while the agent works is a `queue-operation` first and an `attachment/queued_command`
    when the agent is given it, never a `user` entry: the attachment is the human message. One that was
    still queued at the end of the file is noted as never delivered.
    """

    def begin(self) -> None:
        """Nothing was read yet."""
        self._queued: list[str] = []
        self._absorbed: list[str] = []
        self._operations: set[tuple[str, str, str]] = set()
        self._cost = 0.0

    def meaning(self, entry: dict[str, Any]) -> Iterator[ev.AnyEvent]:
        """The events of one entry."""
        yield from self._start(entry)
        match entry.get("type"):
            case "assistant":
                yield from self.assistant(entry)
            case "user":
                yield from self.user(entry)
            case "attachment" if isinstance(entry.get("attachment"), dict):
                yield from self._attachment(entry, entry["attachment"])
            case "queue-operation":
                self._queue(entry)
            case "system":
                yield from self._system(entry)
            case "cost-state":
                yield from self._spent(entry)
            case _:
                raise Unknown(type_name(entry))

    def close(self) -> Iterator[ev.AnyEvent]:
        """Messages that the queue held to the end."""
        for text in self._absorbed:
            yield ev.HumanMessage(**self.head(), text=text, mid_turn=True)
        for text in self._queued:
            if begins(text) is None:
                yield self.note(f"Typed while the agent worked and never delivered: {text}", "client")

    def _start(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        session = entry.get("sessionId")
        if self._started or self._agent or not isinstance(session, str) or "uuid" not in entry:
            return
        self._started = True
        cwd, version = entry.get("cwd"), entry.get("version")
        yield ev.SessionStarted(
            **self.head(),
            session=session,
            agent_name="claude-code",
            cwd=cwd if isinstance(cwd, str) else None,
            versions={"claude-code": version} if isinstance(version, str) else {},
        )

    def user(self, entry: Mapping[str, Any], mid_turn: bool = False) -> Iterator[ev.AnyEvent]:
        """As in the base, and a delivered message leaves the queue."""
        for event in super().user(entry, mid_turn):
            if isinstance(event, ev.HumanMessage):
                self._delivered(event.text)
            yield event

    def _attachment(self, entry: Mapping[str, Any], attachment: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        match attachment.get("type"):
            case "queued_command":
                text = _prompt(attachment.get("prompt"))
                self._delivered(text)
                if attachment.get("commandMode", "prompt") == "prompt":
                    marked = {**attachment, "isMeta": entry.get("isMeta")}
                    agent = self._agent or self.subagents.of(entry)
                    yield from self.said(marked, text, mid_turn=True, agent=agent)
                else:
                    yield from self.said({"isMeta": True}, text, mid_turn=True)
            case "hook_additional_context":
                content = attachment.get("content")
                parts = content if isinstance(content, list) else [content]
                yield self.note("\n".join(map(text_of, parts)), "hook", self._agent)
            case "hook_blocking_error":
                if attachment.get("hookEvent") not in ("Stop", "SubagentStop"):  # those come as text, too
                    error = attachment.get("blockingError")
                    words = error.get("blockingError") if isinstance(error, dict) else error
                    yield self.note(text_of(words), "hook", self._agent)
            case _:
                raise Unknown(type_name(entry))

    def _queue(self, entry: Mapping[str, Any]) -> None:
        text = text_of(entry.get("content"))
        time = text_of(entry.get("timestamp"))
        # These entries have no uuid to know a line by that stands in the file twice.
        this = (text_of(entry.get("operation")), text, time)
        if time and this in self._operations:
            return
        self._operations.add(this)
        match entry.get("operation"):
            case "enqueue":
                if text:
                    self._queued.append(text)
            case "remove" | "dequeue":
                waiting = text in self._queued
                if waiting:
                    self._queued.remove(text)
                elif not text and self._queued:
                    self._queued.pop(0)
                if waiting and entry.get("reason") == "absorbed_mid_turn" and begins(text) is None:
                    self._absorbed.append(text)  # until its attachment comes, should that be later
            case "popAll":
                self._queued.clear()
            case _:
                raise Unknown(f"queue-operation/{text_of(entry.get('operation'))[:40]}")

    def _delivered(self, text: str) -> None:
        for waiting in (self._queued, self._absorbed):
            if text in waiting:
                waiting.remove(text)

    def _system(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        content = entry.get("content")
        match entry.get("subtype"):
            case "api_error":
                yield self.note(_api_error(entry), "client", self._agent)
            case "compact_boundary":
                yield self.note(compacted(entry), "client", self._agent)
            case "informational" | None if isinstance(content, str) and content:
                yield self.note(content, "client", self._agent)
            case _:
                raise Unknown(type_name(entry))

    def _spent(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        total = money_of(entry.get("totalCostUSD"))
        if total > self._cost:
            more, self._cost = total - self._cost, total
            yield self.spent((0, 0, 0, 0), cost=more)


def compacted(entry: Mapping[str, Any]) -> str:
    """A remark on a compaction, from either format's fields."""
    meta = mapping_of(entry.get("compactMetadata", entry.get("compact_metadata")))
    tokens = count_of(meta.get("preTokens", meta.get("pre_tokens")))
    how = text_of(meta.get("trigger"))
    return f"Conversation compacted ({how or 'unknown trigger'}, {tokens or '?'} tokens before)."


def _api_error(entry: Mapping[str, Any]) -> str:
    error = entry.get("error")
    error = error if isinstance(error, dict) else {"message": error}
    status = text_of(error.get("status"))
    words = text_of(error.get("message") or error.get("formatted"))
    attempt, most = count_of(entry.get("retryAttempt")), count_of(entry.get("maxRetries"))
    tries = f", attempt {attempt} of {most}" if attempt else ""
    return f"API error {status}{tries}{': ' + words if words else ''}"


def _prompt(prompt: object) -> str:
    if isinstance(prompt, list):
        return "\n".join(
            text_of(block.get("text")) if block.get("type") == "text" else f"[{text_of(block.get('type'))}]"
            for block in prompt
            if isinstance(block, dict)
        )
    return text_of(prompt)


AGENT_FILE = "agent-"
"""A subagent's file is `agent-<id>.jsonl`."""

# Types of entries that no stream has, so that a file without sessions is still known.
_DISK_ONLY = frozenset(
    {
        "summary",
        "file-history-snapshot",
        "queue-operation",
        "attachment",
        "last-prompt",
        "progress",
        "permission-mode",
        "mode",
        "ai-title",
        "custom-title",
        "cost-state",
        "tools-used",
        "atis-latch",
        "api-request",
        "api-request-shape",
        "api-request-blob",
    }
)


def _row(value: Mapping[str, Any]) -> bool:
    if not isinstance(value.get("type"), str) or "hook_event_name" in value:
        return False
    if "sessionId" in value or {"uuid", "parentUuid"} <= value.keys():
        return True
    return value["type"] in _DISK_ONLY and bool({"leafUuid", "messageId", "snapshot", "uuid"} & value.keys())


def _reader(path: Path, candidate: str | None) -> ClaudeCodeReader:
    alone = path.stem.removeprefix(AGENT_FILE) if path.name.startswith(AGENT_FILE) else None
    return ClaudeCodeReader(path.name, candidate=candidate, main_agent=alone)


FORMAT = Format("claude-code", "Claude Code's transcript", _reader, row=_row, live=True)
