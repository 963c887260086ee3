"""OpenHands' event logs: actions and observations, in a JSON array, a line each, or a file each.

An observation's `cause` is the id of its action. Logs of the SDK, which name events by `kind`, are read by
`openhands_sdk`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sessions import events as ev
from sessions.clean import mend
from sessions.readers.base import Unknown, count_of, mapping_of, money_of, name_of, text_of, time_of
from sessions.readers.conversation import ConversationReader
from sessions.readers.documents import CUT, elements, top_of
from sessions.readers.formats import Format, Head, Item
from sessions.readers.lines import DEEP, MAX_LINE, too_deep
from sessions.readers.openhands_sdk import SdkEvents, is_sdk_event

_SOURCES = frozenset({"agent", "user", "environment"})
# What an action is called as a tool.
_TOOLS = {"run": "bash", "edit": "str_replace_editor", "call_tool_mcp": "mcp"}
_PRIVATE = ("thought", "confirmation_state", "is_confirmed", "security_risk")
_ENDS = {
    "awaiting_user_input": "completed",
    "finished": "completed",
    "stopped": "interrupted",
    "error": "failed",
}
_NUDGE = "Please continue working on the task on whatever approach you think is suitable."
_EVENT_FILE = re.compile(r"(?:event-)?\d+(?:-[-0-9a-fA-F]+)?\.json\Z")


class OpenHandsReader(ConversationReader):
    """Reads the events of either generation."""

    def __init__(self, file: str, candidate: str | None = None) -> None:
        super().__init__(file, candidate)
        self._sdk = SdkEvents(self)
        self._last = ""  # the newest action, for observations that name none
        self._totals: tuple[int, int, int, int, float] | None = None

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The events of one event, none for one whose id was read before."""
        self._time = time_of(entry.get("timestamp"))
        if not self.fresh(entry.get("id")):
            return ()
        begun = self.start(_session(self.account.file), "openhands")
        if is_sdk_event(entry):
            return self.opened(begun, self._sdk.meaning(entry, f"l{self._line}"))
        return self.opened(begun, self._meaning(entry))

    def injected(self, text: str) -> str | None:
        """What an evaluation says in the place of a user who is not there."""
        return "client" if text.lstrip().startswith(_NUDGE) else None

    def _meaning(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        if isinstance(entry.get("action"), str):
            yield from self._action(entry["action"], mapping_of(entry.get("args")), entry)
        elif isinstance(entry.get("observation"), str):
            yield from self._observed(entry["observation"], entry)
        else:
            raise Unknown(f"an event with {', '.join(sorted(entry)[:4])}"[:80])
        yield from self._metrics(mapping_of(entry.get("llm_metrics")))

    def _action(self, kind: str, args: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        made = mapping_of(entry.get("tool_call_metadata"))
        response = mapping_of(made.get("model_response"))
        message = text_of(response.get("id")) or f"l{self._line}"
        thought = text_of(args.get("thought"))
        by_user = entry.get("source") == "user"
        match kind:
            case "message":
                said = text_of(args.get("content")) or text_of(entry.get("message"))
                yield from self.person(said) if by_user else self.text(said, message)
            case "system":
                yield from self.note(text_of(args.get("content")) or text_of(entry.get("message")))
            case "think":
                yield from self.thinking(thought or text_of(args.get("content")), message)
            case "finish" | "reject":
                told = (args.get("final_thought"), args.get("outputs"), thought, entry.get("message"))
                yield from self.text(next((text_of(one) for one in told if one), ""), message)
            case "condensation":
                summary = text_of(args.get("summary"))
                yield from self.note("\n\n".join(filter(None, ("Conversation compacted.", summary))))
            case "null" | "recall" | "change_agent_state" | "condensation_request" | "loop_recovery":
                raise Unknown(f"action/{kind}")
            case _:
                yield from self.text(thought, message)
                self._last = text_of(entry.get("id")) or f"l{self._line}"
                given = {key: value for key, value in args.items() if key not in _PRIVATE}
                tool = text_of(given.get("name")) if kind in ("mcp", "call_tool_mcp") else ""
                yield from self.call(
                    self._last,
                    tool or _TOOLS.get(kind, kind),
                    given.get("arguments", given) if tool else given,
                    message,
                )
        if self._totals is None:
            yield from self._usage(mapping_of(response.get("usage")), message)

    def _observed(self, kind: str, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        extras, content = mapping_of(entry.get("extras")), text_of(entry.get("content"))
        cause = text_of(entry.get("cause")) if entry.get("cause") is not None else self._last
        match kind:
            case "agent_state_changed":
                state = name_of(extras.get("agent_state"))
                if state not in _ENDS:
                    raise Unknown(f"observation/agent_state_changed/{state}"[:80])
                detail = text_of(extras.get("reason"))
                yield ev.TurnEnded.model_validate({**self.head(), "reason": _ENDS[state], "detail": detail})
            case "null" | "think" | "condense" | "success":
                raise Unknown(f"observation/{kind}")
            case "recall":
                yield from self.note(content)
            case "error" if cause not in self._calls:
                yield from self.note(f"Error: {content}")
            case _:
                codes = (extras.get("exit_code"), mapping_of(extras.get("metadata")).get("exit_code"))
                code = next((one for one in codes if isinstance(one, int)), 0)
                failed = kind in ("error", "user_rejected") or code != 0 or bool(extras.get("error"))
                diff = extras.get("diff")
                yield from self.result(
                    cause, content, failed, diff if isinstance(diff, str) and diff else None
                )

    def _usage(self, usage: Mapping[str, Any], message: str) -> Iterator[ev.AnyEvent]:
        given, made = count_of(usage.get("prompt_tokens")), count_of(usage.get("completion_tokens"))
        cached = count_of(mapping_of(usage.get("prompt_tokens_details")).get("cached_tokens"))
        yield from self.spent(message, max(0, given - cached), made, cached)

    def _metrics(self, metrics: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        """What a running total grew by. Where there are totals, single replies are not counted."""
        usage = mapping_of(metrics.get("accumulated_token_usage"))
        if not usage and "accumulated_cost" not in metrics:
            return
        given, made, cached, stored = (
            count_of(usage.get(key))
            for key in ("prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens")
        )
        now = (max(0, given - cached), made, cached, stored, money_of(metrics.get("accumulated_cost")))
        before = self._totals or (0, 0, 0, 0, 0.0)
        self._totals = now
        more = [max(0, one - other) for one, other in zip(now[:4], before[:4], strict=True)]
        given, made, cached, stored = more
        yield from self.spent(None, given, made, cached, stored, max(0.0, now[4] - before[4]))


def _session(file: str) -> str:
    return file.removesuffix(".jsonl").removesuffix(".json")


def _is_event(value: object) -> bool:
    entry = mapping_of(value)
    if is_sdk_event(entry):
        return True
    if name_of(entry.get("source")) not in _SOURCES:
        return False
    action = isinstance(entry.get("action"), str) and isinstance(entry.get("args"), dict)
    return action or (isinstance(entry.get("observation"), str) and {"content", "extras"} <= entry.keys())


def _list(top: object) -> str | None:
    """The prefix of the events in a document with this top; None where it has none."""
    if isinstance(top, list):
        return "item" if any(map(_is_event, top)) else None
    for key, value in mapping_of(top).items():
        if isinstance(value, list) and any(map(_is_event, value)):
            return f"{key}.item"
    return None


def _items(path: Path) -> Iterator[Item]:
    if _EVENT_FILE.match(path.name) and path.parent.name == "events":
        for number, file in enumerate(event_files(path.parent)):
            yield _one(file, number)
    else:
        yield from elements(_list(top_of(path)) or "")(path)


def event_files(folder: Path) -> list[Path]:
    """The files of a folder that hold an event each, in their order; none where there is no such folder."""
    if not folder.is_dir():
        return []
    found = (file for file in folder.iterdir() if _EVENT_FILE.match(file.name))
    return sorted(found, key=lambda file: int(re.findall(r"\d+", file.name)[0]))


def _one(file: Path, number: int) -> Item:
    with file.open("rb") as opened:
        data = opened.read(MAX_LINE)
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return Item(number, damage=f"{file.name}: {CUT}")
    return Item(number, damage=DEEP) if too_deep(value) else Item(number, mend(value))


def _whole(head: Head) -> bool:
    return _list(head.value) is not None or _is_event(head.object)


FORMAT = Format(
    "openhands",
    "an OpenHands event log",
    lambda path, candidate: OpenHandsReader(path.name, candidate),
    whole=_whole,
    items=_items,
)
LINES = Format(
    "openhands-jsonl",
    "an OpenHands event log, an event a line",
    lambda path, candidate: OpenHandsReader(path.name, candidate),
    row=_is_event,
)
