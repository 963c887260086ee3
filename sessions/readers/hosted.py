"""Events of a hosted agent session: `{id, type, processed_at, ...}`, or an export that has them under `raw`.

The first part of a type says whose event it is: `user.`, `agent.`, `session.` or `span.`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, mapping_of, name_of, text_of, time_of
from sessions.readers.claude import counts_of
from sessions.readers.conversation import ConversationReader, plain
from sessions.readers.formats import Format

_SPEAKERS = ("user.", "agent.", "session.", "span.")
_THREAD = "session_thread_id"


class HostedReader(ConversationReader):
    """Reads the events. What stands between the start and the end of a model request is one reply."""

    def __init__(self, file: str, candidate: str | None = None) -> None:
        super().__init__(file, candidate)
        self._reply: str | None = None
        self._main: str | None = None

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The events of one event, none for one whose id was read before."""
        raw = mapping_of(entry.get("raw")) or entry
        self._time = time_of(raw.get("processed_at")) or time_of(entry.get("time"))
        if not self.fresh(raw.get("id")):
            return ()
        kind = name_of(raw.get("type"))
        return self.opened(self._begun(kind, raw), self._meaning(kind, raw))

    def _begun(self, kind: str, raw: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        if not kind.startswith("session.") or "agent_name" in raw:
            yield from self.start(raw.get(_THREAD), text_of(raw.get("agent_name")) or "hosted agent")

    def _meaning(self, kind: str, raw: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        agent = self._agent(raw)
        match kind:
            case "user.message":
                yield from self.person(plain(raw.get("content")))
            case "user.define_outcome":
                wanted = (text_of(raw.get("description")), plain(raw.get("rubric")))
                yield from self.person("\n\n".join(filter(None, wanted)))
            case "user.interrupt":
                yield from self.note("Interrupted by the user.")
            case "agent.message":
                yield from self.text(plain(raw.get("content")), self._reply, agent)
            case "agent.thinking" if raw.get("content") or raw.get("thinking"):
                words = plain(raw.get("content")) or text_of(raw.get("thinking"))
                yield from self.thinking(words, self._reply, agent)
            case "agent.tool_use" | "agent.mcp_tool_use" | "agent.custom_tool_use":
                call, tool = text_of(raw.get("id")), text_of(raw.get("name"))
                yield from self.call(call, tool, raw.get("input"), self._reply, agent)
            case "agent.tool_result" | "agent.mcp_tool_result" | "user.custom_tool_result":
                call = next(
                    (text_of(raw[key]) for key in raw if key.endswith("tool_use_id") and raw[key]), ""
                )
                yield from self.result(
                    call, plain(raw.get("content")), raw.get("is_error") is True, agent=agent
                )
            case "agent.thread_context_compacted":
                yield from self.note("Conversation compacted.", agent=agent)
            case "span.model_request_start":
                self._reply = text_of(raw.get("id")) or None
            case "span.model_request_end":
                given, made, cached, stored = counts_of(mapping_of(raw.get("model_usage")))
                reply = text_of(raw.get("model_request_start_id")) or None
                yield from self.spent(reply, given, made, cached, stored, agent=agent)
            case "span.outcome_evaluation_end":
                words = f"{text_of(raw.get('result'))}: {text_of(raw.get('explanation'))}"
                yield from self.note(f"The outcome was judged {words}", "grader")
            case "session.error":
                error = mapping_of(raw.get("error"))
                told = ": ".join(filter(None, (text_of(error.get("type")), text_of(error.get("message")))))
                yield from self.note(f"The session had an error ({told}).")
            case "session.status_idle":
                why = name_of(mapping_of(raw.get("stop_reason")).get("type"))
                if why == "requires_action":
                    raise Unknown(kind)
                yield ev.TurnEnded(**self.head(), reason="completed", detail=why)
            case "session.status_terminated":
                yield ev.SessionEnded(**self.head(), reason="The session was terminated.")
            case _:
                raise Unknown(kind[:80] or "(no type)")

    def _agent(self, raw: Mapping[str, Any]) -> str | None:
        """The thread of an event where it is not the first one's."""
        thread = raw.get(_THREAD)
        if not isinstance(thread, str):
            return None
        self._main = self._main or thread
        return thread if thread != self._main else None


def _is_event(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and kind.startswith(_SPEAKERS) and {"id", "processed_at"} <= value.keys()


def _row(value: Mapping[str, Any]) -> bool:
    raw = value.get("raw")
    if isinstance(raw, dict):
        return {"role", "kind"} <= value.keys() and _is_event(raw)
    return _is_event(value)


FORMAT = Format(
    "hosted-agent",
    "the events of a hosted agent session",
    lambda path, candidate: HostedReader(path.name, candidate),
    row=_row,
)
