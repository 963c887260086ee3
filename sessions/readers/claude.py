"""What Claude Code's messages mean, in a transcript and in a stream alike."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sessions import events as ev
from sessions.layers import edited_path, is_candidate
from sessions.readers.base import LineReader, Unknown, count_of, name_of, text_of, time_of, type_name
from sessions.readers.diffs import edit_diff
from sessions.readers.human import own_words, speaker
from sessions.readers.subagents import Subagents

_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_RESULTS = frozenset({"tool_result", "web_search_tool_result", "mcp_tool_result"})
_SILENT = frozenset({"redacted_thinking"})

# The API's names of what `Counts` holds, in its order.
_USAGE = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")

Counts = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Call:
    event: str
    tool: str
    input: Mapping[str, Any]


class ClaudeReader(LineReader):
    """Base of the readers of Claude Code's formats.

    `candidate` marks edits of that file. `agent` is the subagent whose own file this is; `main_agent` the
    id of a subagent whose file was opened by itself and is read as a session. `seen` holds the uuids that
    were read already: the same uuid again (a replay, a fork's copied history) makes no second event.
    """

    def __init__(
        self,
        file: str,
        *,
        prefix: str = "",
        candidate: str | None = None,
        agent: str | None = None,
        main_agent: str | None = None,
        seen: set[str] | None = None,
    ) -> None:
        super().__init__(file, prefix)
        self.subagents = Subagents(main_agent)
        self._candidate = candidate
        self._agent = agent
        self._only_main = main_agent is not None
        self.seen: set[str] = set() if seen is None else seen
        self._calls: dict[str, _Call] = {}
        self._early: dict[str, object] = {}
        self._counted: dict[str, Counts] = {}
        self._started = False
        self.begin()

    def begin(self) -> None:
        """What a format keeps beside this, at its start."""

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The events of one entry, none for an entry whose uuid was read before."""
        uuid = entry.get("uuid")
        if isinstance(uuid, str) and uuid in self.seen:
            return ()
        self._time = time_of(entry.get("timestamp"))
        events = list(self.meaning(entry))
        if isinstance(uuid, str):
            self.seen.add(uuid)
        return events

    def meaning(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The events of one entry that was not read before."""
        raise Unknown(type_name(entry))

    def assistant(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        """A block (or several) of a reply, its usage once a reply."""
        message = entry.get("message")
        if not isinstance(message, dict):
            raise Unknown("assistant without a message")
        agent = self._agent or self.subagents.of(entry)
        blocks = _blocks(message.get("content"), "assistant")
        if (
            message.get("model") == "<synthetic>"
            or entry.get("isApiErrorMessage")
            or entry.get("is_api_error_message")
        ):
            yield self.note(_plain(blocks), "client", agent)
            return
        reply = message.get("id")
        reply = reply if isinstance(reply, str) and reply else None
        for block in blocks:
            yield from self._block(block, reply, agent)
        yield from self._usage(message.get("usage"), reply, agent)

    def _block(self, block: Mapping[str, Any], reply: str | None, agent: str | None) -> Iterator[ev.AnyEvent]:
        kind = name_of(block.get("type"))
        if kind == "text":
            if text := text_of(block.get("text")):
                yield ev.AgentText(**self.head(agent=agent), text=text, message=reply)
        elif kind == "thinking":
            if text := text_of(block.get("thinking")):
                yield ev.Thinking(**self.head(agent=agent), text=text, message=reply)
        elif kind in _CALLS:
            yield from self._call(block, reply, agent)
        elif kind in _RESULTS:
            yield from self._result(block, None, agent)
        elif kind not in _SILENT:
            yield self.note(
                f"(a block of type {text_of(block.get('type'))[:40]!r}, not shown)", "kernelseek", agent
            )

    def _call(self, block: Mapping[str, Any], reply: str | None, agent: str | None) -> Iterator[ev.AnyEvent]:
        given = block.get("input")
        given = given if isinstance(given, dict) else {"input": given}
        call, tool = text_of(block.get("id")), text_of(block.get("name"))
        head = self.head(agent=agent)
        yield ev.ToolCall(**head, call=call, tool=tool, input=given, message=reply)
        texts = given if edited_path(tool, given) is not None else {}  # only edits need them later
        self._calls[call] = _Call(head["id"], tool, texts)
        if self.subagents.launched(call, tool, given):
            yield self._phase(call, "started", text_of(given.get("description")), head["id"])
        if call in self._early:  # its result came first
            yield from self._edit(call, self._early.pop(call), agent)

    def user(self, entry: Mapping[str, Any], mid_turn: bool = False) -> Iterator[ev.AnyEvent]:
        """Tool results, or a message of a person, or words that only look like one."""
        message = entry.get("message")
        if not isinstance(message, dict):
            raise Unknown("user without a message")
        blocks = _blocks(message.get("content"), "user")
        structured = entry.get("toolUseResult", entry.get("tool_use_result"))
        said = [block for block in blocks if name_of(block.get("type")) not in _RESULTS]
        text = _plain(said)
        agent = self._agent or self.subagents.of(entry, text)
        for block in blocks:
            if name_of(block.get("type")) in _RESULTS:
                yield from self._result(block, structured, agent)
        if said:
            yield from self.said(entry, text, mid_turn, agent)

    def said(
        self, entry: Mapping[str, Any], text: str, mid_turn: bool, agent: str | None = None
    ) -> Iterator[ev.AnyEvent]:
        """Text in the user's place: a human message, or a note of whoever wrote it."""
        who = "agent" if agent or (self._only_main and entry.get("isSidechain")) else speaker(entry, text)
        if who == "human":
            if words := own_words(text):
                yield ev.HumanMessage(**self.head(), text=words, mid_turn=mid_turn)
            return
        if who == "agent":
            return  # a subagent's orders: they stand in the call that launched it
        yield self.note(text, who)
        if who == "task":
            ended = self.subagents.notified(text)
            if ended:
                yield self._phase(ended, "ended")

    def _result(
        self, block: Mapping[str, Any], structured: object, agent: str | None
    ) -> Iterator[ev.AnyEvent]:
        call = text_of(block.get("tool_use_id"))
        output = _plain(_blocks(block.get("content"), "result")) if block.get("content") else ""
        failed = block.get("is_error") is True
        known = self._calls.get(call)
        agent = None if agent == call else agent  # the launching call's own result is the launcher's
        yield ev.ToolResult(
            **self.head(known.event if known else None, agent), call=call, output=output, is_error=failed
        )
        if self.subagents.answered(call, output, structured):
            yield self._phase(call, "ended")
        if failed:
            return
        if known is None:
            self._early[call] = structured
        else:
            yield from self._edit(call, structured, agent)

    def _edit(self, call: str, structured: object, agent: str | None) -> Iterator[ev.AnyEvent]:
        made = self._calls[call]
        path = edited_path(made.tool, made.input)
        if path is not None:
            self._calls[call] = _Call(made.event, made.tool, {})  # its texts are in the edit now
            yield ev.Edit(
                **self.head(made.event, agent),
                path=path,
                diff=edit_diff(path, made.input, structured),
                candidate=is_candidate(path, self._candidate),
            )

    def _usage(self, usage: object, reply: str | None, agent: str | None) -> Iterator[ev.AnyEvent]:
        if not isinstance(usage, dict):
            return
        counts = counts_of(usage)
        before = self._counted.get(reply or "")
        if reply is None or before is None:
            if reply is not None:
                self._counted[reply] = counts
            if any(counts):
                yield self.spent(counts, message=reply, agent=agent)
            return
        # Blocks of a reply repeat its usage. Older clients wrote the count so far: take what was added.
        more = tuple(max(0, now - then) for now, then in zip(counts, before, strict=True))
        if any(more):
            self._counted[reply] = tuple(map(max, counts, before))  # type: ignore[assignment]
            yield self.spent(more, agent=agent)

    def spent(
        self,
        counts: tuple[int, ...],
        message: str | None = None,
        agent: str | None = None,
        cost: float | None = None,
    ) -> ev.Usage:
        """A usage event."""
        given, made, cached, stored = counts
        return ev.Usage(
            **self.head(agent=agent),
            message=message,
            input_tokens=given,
            output_tokens=made,
            cache_read_tokens=cached,
            cache_write_tokens=stored,
            cost_usd=cost,
        )

    def note(self, text: str, author: str, agent: str | None = None) -> ev.Note:
        """Words that are neither the agent's nor a person's."""
        return ev.Note(**self.head(agent=agent), text=text, author=author)

    def _phase(self, name: str, phase: str, description: str = "", parent: str | None = None) -> ev.Subagent:
        return ev.Subagent.model_validate(
            {**self.head(parent), "subagent": name, "phase": phase, "description": description}
        )


def counts_of(usage: Mapping[str, Any]) -> Counts:
    """Input, output, cache read and cache write tokens; 0 for what is not a count."""
    one, two, three, four = (count_of(usage.get(name)) for name in _USAGE)
    return one, two, three, four


def _blocks(content: object, where: str) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    if not isinstance(content, list):
        raise Unknown(f"{where} without content")
    blocks = [block for block in content if isinstance(block, dict)]
    if content and not blocks:
        raise Unknown(f"{where} with content that is no block")
    return blocks


def _plain(blocks: Iterable[Mapping[str, Any]]) -> str:
    parts = (
        text_of(block.get("text")) if block.get("type") == "text" else f"[{text_of(block.get('type'))[:40]}]"
        for block in blocks
    )
    return "\n".join(parts)
