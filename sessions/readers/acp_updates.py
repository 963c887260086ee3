"""A session's updates in the Agent Client Protocol: pieces of texts, tool calls, plans, costs."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sessions import events as ev
from sessions.layers import is_candidate
from sessions.readers.acp_tools import ENDED, ToolUse
from sessions.readers.base import LineReader, Unknown, mapping_of, money_of, name_of, text_of
from sessions.readers.codex_words import plain, writer
from sessions.readers.human import begins, own_words
from sessions.readers.twins import Twins

# Kinds of updates that stream a text in pieces, and who speaks in them.
_CHUNKS = {"agent_message_chunk": "agent", "agent_thought_chunk": "thought", "user_message_chunk": "user"}


class UpdateReader(LineReader):
    """Reads a log. Pieces of a text are joined; the text stands at the line of its first piece.

    A call is told when its input is complete: some agents write the input piece by piece, too. Where other
    updates stand between pieces, the message's id says whether they belong together; without one they do not.
    """

    def __init__(self, path: Path, candidate: str | None = None) -> None:
        super().__init__(path.name)
        self._name = path.stem
        self._candidate = candidate
        self._twins = Twins()
        self.tools: dict[str, ToolUse] = {}
        self._held: dict[str, ToolUse] = {}
        self._text: tuple[str, str | None, dict[str, Any], list[str]] | None = None
        self._told: set[tuple[str, str, int]] = set()
        self.reply: str | None = None
        self._broken = False
        self.started = False
        self._start: dict[str, Any] | None = None
        self._cost = 0.0
        self.session, self.agent, self.version, self.cwd, self._model = "", "agent", "", "", ""

    def close(self) -> Iterator[ev.AnyEvent]:
        """A text and calls that the end of the file left open."""
        yield from self.flush()

    def begun(self) -> Iterator[ev.AnyEvent]:
        """The session's start, told once before anything else. Without an id it is named by its file."""
        if self.started:
            return
        self.started = True
        head, self._start = self._start or self.head(), None
        yield ev.SessionStarted(
            **head,
            session=self.session or self._name,
            agent_name=self.agent,
            model=self._model or None,
            cwd=self.cwd or None,
            versions={self.agent: self.version} if self.version else {},
        )

    def user(
        self, text: str, source: str, head: dict[str, Any], mid_turn: bool = False
    ) -> Iterator[ev.AnyEvent]:
        """Text in the user's place, from `source`: a human message, or a note of whoever wrote it."""
        wrote = writer(text)
        who = begins(text) or (None if wrote == "human" else wrote)
        words = own_words(text) if who is None else text
        if not words.strip() or not self._twins.first(source, words):
            return
        self.reply = None
        if who is None:
            yield ev.HumanMessage(**head, text=words, mid_turn=mid_turn)
        else:
            yield ev.Note(**head, text=words, author=who)

    def update(self, update: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        """The events of one update. Raises `Unknown` before any event."""
        kind = name_of(update.get("sessionUpdate"))
        self._learn(update)
        if kind in _CHUNKS:
            yield from self._chunk(_CHUNKS[kind], update)
            return
        match kind:
            case "tool_call" | "tool_call_update":
                yield from self.flush_text()
                yield from self.tool(update)
            case "plan" | "plan_update":
                yield from self.flush()
                yield from self._plan(update.get("entries"))
            case "usage_update":
                self._broken = True
                yield from self._spent(mapping_of(update.get("cost")))
            case _:
                self._broken = True
                raise Unknown(kind[:80] or "(no sessionUpdate)")

    def _learn(self, update: Mapping[str, Any]) -> None:
        """Which agent this is, from the notes it adds to its updates."""
        meta = mapping_of(update.get("_meta"))
        self._model = name_of(meta.get("_claude/model")) or self._model
        if self.agent == "agent":
            if "claudeCode" in meta or "_claude/model" in meta:
                self.agent = "claude-code"
            elif "codex" in meta:
                self.agent = "codex"

    def _chunk(self, who: str, update: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        content = update.get("content")
        piece = plain(content if isinstance(content, list) else [content])
        message = name_of(update.get("messageId")) or None
        if self._text is not None and (
            (self._text[0], self._text[1]) != (who, message) or (message is None and self._broken)
        ):
            yield from self.flush_text()
        if self._text is None:
            yield from self.tell()
            if not self.started and self._start is None:
                self._start = self.head()
            self._text = (who, message, self.head(), [])
        self._broken = False
        self._text[3].append(piece)

    def flush(self) -> Iterator[ev.AnyEvent]:
        """The text and the calls that were still being written."""
        yield from self.flush_text()
        yield from self.tell()

    def flush_text(self) -> Iterator[ev.AnyEvent]:
        """The text that was still being written."""
        if self._text is None:
            return
        who, message, head, pieces = self._text
        self._text = None
        text = "".join(pieces)
        if not text.strip():
            return
        yield from self.begun()
        if message is not None:
            told = (who, message, hash(text))
            if told in self._told:
                return  # a loaded session tells its history again
            self._told.add(told)
        if who == "user":
            yield from self.user(text, "chunk", head)
        elif who == "agent" and message is None and text.startswith("Warning: "):
            yield ev.Note(**head, text=text.strip(), author="client")  # the bridge's, not the model's
        else:
            self.reply = message or self.reply or f"reply-{head['source'].line}"
            kind = ev.AgentText if who == "agent" else ev.Thinking
            yield kind(**head, text=text, message=self.reply)

    def tool(self, update: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        """What a message about a call brings: the call once its input is whole, the result at its end."""
        call = text_of(update.get("toolCallId"))
        yield from self.begun()
        use = self.tools.get(call)
        if use is None:
            self.reply = self.reply or f"reply-{self._line}"
            use = self.tools[call] = self._held[call] = ToolUse(call, self.head(), self.reply)
        use.update(update)
        if use.status in ENDED and not use.ended:
            use.ended = True
            yield from self.tell(upto=call)
            output, failed = use.outcome
            yield ev.ToolResult(**self.head(use.head["id"]), call=call, output=output, is_error=failed)
            self.reply = None
            if not failed:
                yield from self._edits(use)
        elif use.ready and not use.told:
            yield from self.tell(upto=call)

    def _edits(self, use: ToolUse) -> Iterator[ev.AnyEvent]:
        for path, diff in use.changes or use.told_change:
            mine = is_candidate(path, self._candidate)
            yield ev.Edit(**self.head(use.head["id"]), path=path, diff=diff, candidate=mine)

    def tell(self, upto: str | None = None) -> Iterator[ev.AnyEvent]:
        """Calls whose input was still being written, up to one or all, in their order."""
        if upto is not None and upto not in self._held:
            return
        for call in list(self._held):
            use = self._held.pop(call)
            use.told = True
            yield ev.ToolCall(**use.head, call=call, tool=use.tool, input=use.input, message=use.message)
            if call == upto:
                return

    def _plan(self, entries: object) -> Iterator[ev.AnyEvent]:
        yield from self.begun()
        self.reply = self.reply or f"reply-{self._line}"
        head, call = self.head(), f"plan-{self._line}"
        yield ev.ToolCall(**head, call=call, tool="update_plan", input={"plan": entries}, message=self.reply)
        yield ev.ToolResult(**self.head(head["id"]), call=call, output="")

    def _spent(self, cost: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        """The session's cost so far; the tokens beside it are the context's, which nobody spent."""
        total = money_of(cost.get("amount"))
        if cost.get("currency") == "USD" and total > self._cost:
            more, self._cost = total - self._cost, total
            yield from self.flush()
            yield ev.Usage(**self.head(), cost_usd=more)
