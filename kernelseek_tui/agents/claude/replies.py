"""Replies of a live Claude Code while they are written: the text so far, and what each finally cost."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kernelseek_tui.agents.claude.signals import Partial, Signal
from kernelseek_tui.agents.claude.usage import NOTHING, Meter, Reply
from sessions import events as ev
from sessions.readers.base import Unknown, text_of
from sessions.readers.stream_json import StreamJsonReader

_RECENT = 1_000  # uuids and replies that are remembered, to know what comes a second time


class RepliesReader(StreamJsonReader):
    """The stream reader with the partial events of `--include-partial-messages`.

    A reply's usage is told once, when it is written to its end. `signals` holds what a line says to the
    driver. Ids (`c…`) are provisional; events have neither time nor source, since their driver sees them
    happen. What is remembered is bounded: a session may run for days.
    """

    def __init__(self, candidate: str | None, meter: Meter) -> None:
        super().__init__("claude", prefix="c", candidate=candidate, seen=_Recent(_RECENT))
        self.signals: list[Signal] = []
        self.meter = meter
        self.context_tokens = 0
        self.writing = ""

    def head(self, parent: str | None = None, agent: str | None = None) -> dict[str, Any]:
        """The id only: the client's time stamps tell when a message was typed, not when it arrived."""
        return {**super().head(parent, agent), "time": None, "source": None}

    def close(self) -> Iterable[ev.AnyEvent]:
        """The replies that the end of the client broke off."""
        yield from self.broken_off()
        self.write("")

    def meaning(self, entry: dict[str, Any]) -> Iterator[ev.AnyEvent]:
        """The events of one line's object."""
        match entry.get("type"):
            case "stream_event":
                yield from self._streamed(entry, entry.get("event"))
            case "assistant" if entry.get("parent_tool_use_id") is None:
                yield from super().meaning(entry)
                self.write("")
            case "assistant":  # a subagent works on, whether or not a turn is under way
                open_before = self._turn_open
                yield from super().meaning(entry)
                self._turn_open = open_before
            case _:
                yield from super().meaning(entry)

    def _streamed(self, entry: Mapping[str, Any], event: object) -> Iterator[ev.AnyEvent]:
        parent = entry.get("parent_tool_use_id")
        parent = parent if isinstance(parent, str) else None
        if not isinstance(event, dict):
            raise Unknown("stream_event without an event")
        match event.get("type"):
            case "message_start":
                self.meter.start(parent, event.get("message"))
                if parent is None:
                    self._turn_open = True
            case "message_delta":
                self.meter.update(parent, event.get("usage"))
            case "message_stop":
                for reply in self.meter.stop(parent):
                    yield from self._spent_on(reply)
                if parent is None:
                    self.write("")
            case "content_block_delta" if parent is None and isinstance(event.get("delta"), dict):
                delta = event["delta"]
                if delta.get("type") == "text_delta" and isinstance(delta.get("text"), str):
                    self.write(self.writing + delta["text"])

    def write(self, text: str) -> None:
        """The agent's unfinished text is now this."""
        if text != self.writing:
            self.writing = text
            self.signals.append(Partial(text))

    def _spent_on(self, reply: Reply) -> Iterator[ev.AnyEvent]:
        if reply.parent is None:
            self.context_tokens = sum(reply.counts)
        more = tuple(
            max(0, now - then)
            for now, then in zip(reply.counts, self._counted.get(reply.id, NOTHING), strict=True)
        )
        self._counted[reply.id] = reply.counts
        self._forget()
        if any(more):
            agent = self.subagents.known(reply.parent) if reply.parent else None
            event = self.spent(more, message=reply.id, agent=agent)
            self._count(event)
            yield event

    def broken_off(self) -> Iterator[ev.AnyEvent]:
        """The usage of replies that will not be written to their end, as far as it is known."""
        for reply in self.meter.stop_all():
            yield from self._spent_on(reply)

    def _usage(self, usage: object, reply: str | None, agent: str | None) -> Iterator[ev.AnyEvent]:
        if not self.meter.has(reply):  # else its end tells more
            yield from super()._usage(usage, reply, agent)
            self._forget()

    def _forget(self) -> None:
        while len(self._counted) > _RECENT:
            del self._counted[next(iter(self._counted))]

    def _count(self, event: ev.AnyEvent) -> None:
        if isinstance(event, ev.Usage):
            self.meter.count(
                (event.input_tokens, event.output_tokens, event.cache_read_tokens, event.cache_write_tokens)
            )

    def _result(
        self, block: Mapping[str, Any], structured: object, agent: str | None
    ) -> Iterator[ev.AnyEvent]:
        yield from super()._result(block, structured, agent)
        call = text_of(block.get("tool_use_id"))
        self._calls.pop(call, None)  # a live call has one result, and a session may run for days
        self._early.pop(call, None)


class _Recent(set[str]):
    """A set that forgets its oldest members."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._order: deque[str] = deque()

    def add(self, member: str) -> None:
        """Add a member; the oldest goes where there are too many."""
        if member not in self:
            super().add(member)
            self._order.append(member)
            if len(self._order) > self._most:
                self.discard(self._order.popleft())
