"""What the events of OpenHands' SDK mean: `{kind: "ActionEvent", source, tool_name, action, ...}`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, mapping_of, name_of, text_of
from sessions.readers.conversation import ConversationReader, plain

_KINDS = frozenset(
    {
        "SystemPromptEvent",
        "MessageEvent",
        "ActionEvent",
        "ObservationEvent",
        "AgentErrorEvent",
        "UserRejectObservation",
        "Condensation",
        "CondensationRequest",
        "CondensationSummaryEvent",
        "ConversationStateUpdateEvent",
        "ConversationErrorEvent",
        "LLMCompletionLogEvent",
        "PauseEvent",
        "TokenEvent",
    }
)
_BESIDE = frozenset({"source", "tool_call_id", "llm_message", "tool_name"})


def is_sdk_event(value: Mapping[str, Any]) -> bool:
    """Whether a JSON object is an event of the SDK."""
    return (
        name_of(value.get("kind")) in _KINDS
        and bool(_BESIDE & value.keys())
        and "schema_version" not in value
    )


class SdkEvents:
    """Gives a reader the meaning of SDK events."""

    def __init__(self, reader: ConversationReader) -> None:
        self._reader = reader

    def meaning(self, entry: Mapping[str, Any], otherwise: str) -> Iterator[ev.AnyEvent]:
        """The events of one SDK event; `otherwise` names a reply or call that has no id of its own."""
        reader, kind = self._reader, name_of(entry.get("kind"))
        call = text_of(entry.get("tool_call_id")) or otherwise
        match kind:
            case "MessageEvent":
                yield from self._message(entry, otherwise)
            case "ActionEvent":
                yield from self._action(entry, call, text_of(entry.get("llm_response_id")) or otherwise)
            case "ObservationEvent":
                seen = mapping_of(entry.get("observation"))
                content = seen["content"] if "content" in seen else text_of(seen.get("output"))
                code = seen.get("exit_code")
                failed = seen.get("is_error") is True or (isinstance(code, int) and code != 0)
                yield from reader.result(call, plain(content), failed)
            case "AgentErrorEvent":
                yield from reader.result(call, text_of(entry.get("error")), True)
            case "UserRejectObservation":
                yield from reader.result(call, text_of(entry.get("rejection_reason")), True)
            case "SystemPromptEvent":
                yield from reader.note(plain(entry.get("system_prompt")))
            case "Condensation" | "CondensationSummaryEvent":
                summary = text_of(entry.get("summary"))
                yield from reader.note("\n\n".join(filter(None, ("Conversation compacted.", summary))))
            case "ConversationErrorEvent":
                yield from reader.note(f"Error: {text_of(entry.get('detail') or entry.get('code'))}")
            case "PauseEvent":
                yield ev.TurnEnded(**reader.head(), reason="interrupted")
            case _:
                raise Unknown(kind)

    def _message(self, entry: Mapping[str, Any], message: str) -> Iterator[ev.AnyEvent]:
        reader, said = self._reader, mapping_of(entry.get("llm_message"))
        text = plain(said.get("content"))
        match entry.get("source"):
            case "user":
                yield from reader.person(text)
            case "agent":
                yield from reader.thinking(text_of(said.get("reasoning_content")), message)
                yield from reader.text(text, message)
            case _:
                yield from reader.note(text)
        if extended := plain(entry.get("extended_content")):
            yield from reader.note(extended)

    def _action(self, entry: Mapping[str, Any], call: str, message: str) -> Iterator[ev.AnyEvent]:
        reader, tool = self._reader, name_of(entry.get("tool_name"))
        yield from reader.thinking(text_of(entry.get("reasoning_content")), message)
        yield from reader.text(plain(entry.get("thought")), message)
        action = mapping_of(entry.get("action"))
        given = {key: value for key, value in action.items() if key != "kind"}
        if not given:
            given = _arguments(mapping_of(entry.get("tool_call")))
        if tool == "think":
            yield from reader.thinking(text_of(given.get("thought")), message)
        elif tool == "finish":
            yield from reader.text(text_of(given.get("message")), message)
            yield ev.TurnEnded(**reader.head(), reason="completed")
        else:
            yield from reader.call(call, tool or "tool", given, message)


def _arguments(call: Mapping[str, Any]) -> dict[str, Any]:
    """What a model gave a tool that could not be called so."""
    arguments = call.get("arguments", mapping_of(call.get("function")).get("arguments"))
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return {"arguments": arguments}
    return dict(arguments) if isinstance(arguments, dict) else {}
