"""pi's sessions: a header and then entries that form a tree by `id` and `parentId`, a line each.

Entries are read in the order of the file, branches and entries whose parent is missing included.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import (
    Unknown,
    count_of,
    mapping_of,
    money_of,
    name_of,
    text_of,
    time_of,
    type_name,
)
from sessions.readers.conversation import ConversationReader, blocks_of, plain
from sessions.readers.formats import Format

_TYPES = frozenset(
    {
        "message",
        "model_change",
        "thinking_level_change",
        "compaction",
        "branch_summary",
        "custom",
        "custom_message",
        "label",
        "session_info",
    }
)
_ROLES = frozenset({"user", "assistant", "toolResult", "bashExecution", "custom", "hookMessage"})

# A line of the client's own diffs: what became of the line, its number, the line.
_NUMBERED = re.compile(r"([-+ ])\s*(\d+)[| ](.*)\Z", re.DOTALL)
_ENDS: dict[str, str] = {"stop": "completed", "aborted": "interrupted", "error": "failed"}


class PiReader(ConversationReader):
    """Reads a session."""

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The events of one entry, none for an entry whose id was read before."""
        self._time = time_of(entry.get("timestamp"))
        if entry.get("type") == "session":
            name, session = "pi", entry.get("id")
            model, cwd = entry.get("modelId"), entry.get("cwd")
            return list(self.start(session, name, model=model, cwd=cwd, version=entry.get("cliVersion")))
        if not self.fresh(entry.get("id")):
            return ()
        return self.opened(self.start(None, "pi"), self._meaning(entry))

    def _meaning(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        match entry.get("type"):
            case "message":
                yield from self._message(mapping_of(entry.get("message")), entry)
            case "compaction":
                tokens = count_of(entry.get("tokensBefore"))
                told = f"Conversation compacted ({tokens or '?'} tokens before)."
                yield from self.note("\n\n".join(filter(None, (told, text_of(entry.get("summary"))))))
            case "branch_summary":
                yield from self.note(f"Left a branch: {text_of(entry.get('summary'))}")
            case "custom_message":
                yield from self.note(plain(entry.get("content")))
            case "custom":
                raise Unknown(f"custom/{text_of(entry.get('customType'))}"[:80])
            case _:
                raise Unknown(type_name(entry))

    def _message(self, message: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        match message.get("role"):
            case "user":
                text = plain(message.get("content"))
                if message.get("attribution", "user") == "user":
                    yield from self.person(text)
                else:
                    yield from self.note(text)
            case "assistant":
                yield from self._reply(message, text_of(entry.get("id")) or f"l{self._line}")
            case "toolResult":
                call, failed = text_of(message.get("toolCallId")), message.get("isError") is True
                diff = mapping_of(message.get("details")).get("diff")
                diff = numbered_diff(diff) if isinstance(diff, str) and diff else None
                yield from self.result(call, plain(message.get("content")), failed, diff)
            case "bashExecution":
                ran, output = text_of(message.get("command")), text_of(message.get("output"))
                yield from self.note(f"Run by hand: {ran}\n{output}", "human")
            case "custom" | "hookMessage":
                yield from self.note(plain(message.get("content")))
            case other:
                raise Unknown(f"message/{text_of(other)}"[:80])

    def _reply(self, message: Mapping[str, Any], id_: str) -> Iterator[ev.AnyEvent]:
        for at, block in enumerate(blocks_of(message.get("content"))):
            match block.get("type"):
                case "text":
                    yield from self.text(text_of(block.get("text")), id_)
                case "thinking":
                    yield from self.thinking(text_of(block.get("thinking")), id_)
                case "toolCall":
                    call = text_of(block.get("id")) or f"{id_}.{at}"
                    yield from self.call(call, text_of(block.get("name")), block.get("arguments"), id_)
                case other:
                    yield from self.note(
                        f"(a block of type {text_of(other)[:40]!r}, not shown)", "kernelseek"
                    )
        usage = mapping_of(message.get("usage"))
        given, made, cached, stored = (
            count_of(usage.get(key)) for key in ("input", "output", "cacheRead", "cacheWrite")
        )
        cost = money_of(mapping_of(usage.get("cost")).get("total"))
        yield from self.spent(id_, given, made, cached, stored, cost)
        why = name_of(message.get("stopReason"))
        if why in _ENDS:
            detail = text_of(message.get("errorMessage"))
            yield ev.TurnEnded.model_validate({**self.head(), "reason": _ENDS[why], "detail": detail})


def numbered_diff(diff: str) -> str:
    """A diff in the client's form, each line with its number, as a unified one without file names."""
    hunks: list[tuple[int, list[str]]] = []
    going = False
    for line in diff.split("\n"):
        found = _NUMBERED.match(line)
        if found is None or found[3] == "...":
            going = False
            continue
        if not going:
            hunks.append((int(found[2][:9]), []))
            going = True
        hunks[-1][1].append(found[1] + found[3])
    return "".join(
        f"@@ -{at},{sum(line[0] != '+' for line in body)} +{at},{sum(line[0] != '-' for line in body)} @@\n"
        + "".join(f"{line}\n" for line in body)
        for at, body in hunks
    )


def _row(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    if kind == "session":
        return {"id", "timestamp", "cwd"} <= value.keys()
    if not isinstance(kind, str) or kind not in _TYPES or "timestamp" not in value:
        return False
    if {"id", "parentId"} <= value.keys():
        return True
    role = mapping_of(value.get("message")).get("role")  # before entries had ids
    return kind == "message" and isinstance(role, str) and role in _ROLES


FORMAT = Format(
    "pi", "a pi session", lambda path, candidate: PiReader(path.name, candidate), row=_row, live=True
)
