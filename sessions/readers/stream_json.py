"""What `claude -p --output-format stream-json` prints, one event a line."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, count_of, mapping_of, money_of, text_of, type_name
from sessions.readers.claude import ClaudeReader, counts_of
from sessions.readers.claude_code import compacted
from sessions.readers.formats import Format

# Exporters write the start of a session as text; the folder and the model stand in it.
_CWD = re.compile(r"\bcwd=(\S+)")
_MODEL = re.compile(r"\bmodel=(.+?)(?:  |$)", re.MULTILINE)


class StreamJsonReader(ClaudeReader):
    """Reads a recorded stream, or a live one line by line.

    `assistant` events carry the token counts of a reply's start; the `result` that ends a turn has the
    final ones and the money, so it brings the rest. Partial messages (`stream_event`) repeat what whole
    blocks say and are only counted.
    """

    def begin(self) -> None:
        """Nothing was read yet."""
        self._turn_open = False
        self._turn = [0, 0, 0, 0]
        self._cost = 0.0
        self._replied = False

    def meaning(self, entry: dict[str, Any]) -> Iterator[ev.AnyEvent]:
        """The events of one stream event."""
        match entry.get("type"):
            case "assistant":
                yield from self._start(entry)
                for event in self.assistant(entry):
                    self._count(event)
                    yield event
                self._turn_open = True
            case "user":
                yield from self._start(entry)
                for event in self.user(entry, mid_turn=self._turn_open):
                    self._turn_open |= isinstance(event, ev.HumanMessage)
                    yield event
            case "system":
                yield from self._system(entry)
            case "result":
                yield from self._ended(entry)
            case _:
                raise Unknown(type_name(entry))

    def _start(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        session = entry.get("session_id")
        if self._started or self._agent or not isinstance(session, str):
            return
        self._started = True
        message = entry.get("message")
        model = entry.get("model") or (message.get("model") if isinstance(message, dict) else None)
        cwd, version, content = entry.get("cwd"), entry.get("claude_code_version"), entry.get("content")
        if isinstance(content, str):
            model = model or _found(_MODEL, content)
            cwd = cwd or _found(_CWD, content)
        yield ev.SessionStarted(
            **self.head(),
            session=session,
            agent_name="claude-code" if version else "agent",
            model=model if isinstance(model, str) and model not in ("unknown", "<synthetic>") else None,
            cwd=cwd if isinstance(cwd, str) else None,
            versions={"claude-code": version} if isinstance(version, str) else {},
        )

    def _system(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        content = entry.get("content")
        match entry.get("subtype"):
            case "init":
                yield from self._start(entry)
            case "api_retry":
                yield self.note(_retry(entry), "client")
            case "compact_boundary":
                yield self.note(compacted(entry), "client")
            case "notification":
                yield self.note(text_of(entry.get("text")), "client")
            case "hook_response":
                yield self.note(_added_context(entry), "hook")
            case "task_started":
                self._task_started(entry)
            case "task_notification":
                ended = self.subagents.ended((entry.get("tool_use_id"), entry.get("task_id")))
                if ended is None:
                    raise Unknown(type_name(entry))
                yield self._phase(ended, "ended")
            case "end":
                yield ev.SessionEnded(**self.head(), reason=text_of(content) or "The session ended.")
            case "informational" | "note" | None if isinstance(content, str) and content:
                yield self.note(content, "client")
            case _:
                raise Unknown(type_name(entry))

    def _task_started(self, entry: Mapping[str, Any]) -> None:
        call, task = entry.get("tool_use_id"), entry.get("task_id")
        if not isinstance(call, str) or not isinstance(task, str) or self.subagents.known(call) is None:
            raise Unknown(type_name(entry))  # a command in the background, which its result tells, too
        self.subagents.alias(task, call)

    def _count(self, event: ev.AnyEvent) -> None:
        if isinstance(event, ev.AgentText | ev.Note) and event.agent is None:
            self._replied = True
        if isinstance(event, ev.Usage) and event.agent is None:
            more = (
                event.input_tokens,
                event.output_tokens,
                event.cache_read_tokens,
                event.cache_write_tokens,
            )
            self._turn = [one + other for one, other in zip(self._turn, more, strict=True)]

    def _ended(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        final = counts_of(mapping_of(entry.get("usage")))
        rest = tuple(max(0, all_ - counted) for all_, counted in zip(final, self._turn, strict=True))
        cost = money_of(entry.get("total_cost_usd")) - self._cost
        if any(rest) or cost > 0:
            self._cost += max(0.0, cost)
            yield self.spent(rest, cost=cost if cost > 0 else None)
        replied, self._replied = self._replied, False
        self._turn, self._turn_open = [0, 0, 0, 0], False
        words = text_of(entry.get("result"))
        if words.strip() and not replied and not entry.get("is_error"):
            yield ev.AgentText(**self.head(), text=words)  # kept nowhere else: only results were recorded
        if entry.get("is_error"):  # not `subtype`: an API error ends with subtype "success"
            why = entry.get("terminal_reason") or entry.get("subtype")
            words = text_of(entry.get("result"))
            yield self.note(
                f"The turn ended with an error ({text_of(why)}){': ' + words if words else '.'}", "client"
            )


def _retry(entry: Mapping[str, Any]) -> str:
    attempt, most = count_of(entry.get("attempt")), count_of(entry.get("max_retries"))
    return (
        f"API error {text_of(entry.get('error_status'))} ({text_of(entry.get('error'))}),"
        f" attempt {attempt} of {most}."
    )


def _added_context(entry: Mapping[str, Any]) -> str:
    """What a hook told the model; only additional context is told nowhere else in the stream."""
    try:
        said = json.loads(text_of(entry.get("stdout") or entry.get("output")))
        words = said["hookSpecificOutput"]["additionalContext"]
    except (ValueError, KeyError, TypeError):
        words = None
    if not isinstance(words, str) or not words:
        raise Unknown(type_name(entry))
    return words


def _found(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return match.group(1).strip() if match else None


_STREAM_TYPES = frozenset(
    {
        "system",
        "assistant",
        "user",
        "result",
        "stream_event",
        "command_lifecycle",
        "control_request",
        "control_response",
        "rate_limit_event",
    }
)


def is_stream(value: Mapping[str, Any]) -> bool:
    """Whether a JSON object is an event of the stream."""
    kind = value.get("type")
    return (
        isinstance(kind, str)
        and "hook_event_name" not in value
        and kind in _STREAM_TYPES
        and ("session_id" in value or "request_id" in value or isinstance(value.get("response"), dict))
    )


FORMAT = Format(
    "claude-stream-json",
    "what `claude -p --output-format stream-json` prints",
    lambda path, candidate: StreamJsonReader(path.name, candidate=candidate),
    row=is_stream,
)
