"""What the readers of other agents' conversations share: who speaks, calls and their results, tokens."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sessions import events as ev
from sessions.layers import edited_path, is_candidate
from sessions.readers.base import LineReader, Unknown, text_of
from sessions.readers.diffs import edit_diff
from sessions.readers.human import begins, own_words
from sessions.readers.toolnames import known_name


@dataclass(frozen=True, slots=True)
class _Call:
    event: str
    tool: str
    input: Mapping[str, Any]
    agent: str | None


class ConversationReader(LineReader):
    """Base of the readers of conversations that are not Claude Code's.

    `candidate` marks edits of that file. A result may stand before its call; the edit comes with whichever
    is second. Each method gives the events of one thing said or done, none where there is nothing in it.
    """

    def __init__(self, file: str, candidate: str | None = None) -> None:
        super().__init__(file)
        self._candidate = candidate
        self._calls: dict[str, _Call] = {}
        self._early: dict[str, str | None] = {}
        self._answered: set[str] = set()
        self._ids: set[str] = set()
        self._billed: set[str] = set()
        self._started = False

    def start(
        self,
        session: object,
        agent_name: str,
        *,
        model: object = None,
        cwd: object = None,
        version: object = None,
    ) -> Iterator[ev.AnyEvent]:
        """The session began; only the first call gives an event."""
        if self._started:
            return
        self._started = True
        yield ev.SessionStarted(
            **self.head(),
            session=session if isinstance(session, str) and session else self.account.file,
            agent_name=agent_name,
            model=model if isinstance(model, str) and model else None,
            cwd=cwd if isinstance(cwd, str) and cwd else None,
            versions={agent_name: version} if isinstance(version, str) and version else {},
        )

    def opened(self, begun: Iterator[ev.AnyEvent], rest: Iterator[ev.AnyEvent]) -> list[ev.AnyEvent]:
        """The events of `rest` behind those of `begun`: a row that began the session was understood."""
        first = list(begun)
        try:
            return [*first, *rest]
        except Unknown:
            if not first:
                raise
            return first

    def fresh(self, id_: object) -> bool:
        """Whether a row's id was not read before; a row without one is fresh."""
        if not isinstance(id_, str | int):
            return True
        seen = str(id_) in self._ids
        self._ids.add(str(id_))
        return not seen

    def person(self, text: str, agent: str | None = None) -> Iterator[ev.AnyEvent]:
        """Text in the user's place: a human message, or a note where the client wrote it."""
        who = self.injected(text) or begins(text)
        if agent is not None:
            yield from self.note(text, "agent", agent)
        elif who is not None:
            yield from self.note(text, who)
        elif words := own_words(text):
            yield ev.HumanMessage(**self.head(), text=words)

    def injected(self, text: str) -> str | None:
        """Who wrote a text in the user's place, where this format's own marks say that no person did."""
        return None

    def text(self, text: str, message: str | None, agent: str | None = None) -> Iterator[ev.AnyEvent]:
        """The agent said this, in the reply `message`."""
        if text.strip():
            yield ev.AgentText(**self.head(agent=agent), text=text, message=message)

    def thinking(self, text: str, message: str | None, agent: str | None = None) -> Iterator[ev.AnyEvent]:
        """The agent thought this, in the reply `message`."""
        if text.strip():
            yield ev.Thinking(**self.head(agent=agent), text=text, message=message)

    def call(
        self, call: str, tool: str, given: object, message: str | None, agent: str | None = None
    ) -> Iterator[ev.AnyEvent]:
        """A tool was called; a call that was read before makes no second event."""
        if call in self._calls:
            return
        name, fields = known_name(tool, given if isinstance(given, dict) else {"input": given})
        head = self.head(agent=agent)
        yield ev.ToolCall(**head, call=call, tool=name, input=fields, message=message)
        texts = fields if edited_path(name, fields) is not None else {}  # only edits need them later
        self._calls[call] = _Call(head["id"], name, texts, agent)
        if call in self._early:
            yield from self.edit(call, self._early.pop(call))

    def result(
        self, call: str, output: str, failed: bool, diff: str | None = None, agent: str | None = None
    ) -> Iterator[ev.AnyEvent]:
        """A tool's result, and the edit it made. `diff`: the client's own, where it gives one."""
        if call in self._answered:
            return
        self._answered.add(call)
        known = self._calls.get(call)
        agent = agent or (known.agent if known else None)
        head = self.head(known.event if known else None, agent)
        yield ev.ToolResult(**head, call=call, output=output, is_error=failed)
        if failed:
            return
        if known is None:
            self._early[call] = diff
        else:
            yield from self.edit(call, diff)

    def edit(self, call: str, diff: str | None = None) -> Iterator[ev.AnyEvent]:
        """The edit that a call made, where it is one that edits."""
        made = self._calls[call]
        path = edited_path(made.tool, made.input)
        if path is not None:
            yield ev.Edit(
                **self.head(made.event, made.agent),
                path=path,
                diff=diff if diff is not None else edit_diff(path, made.input, None),
                candidate=is_candidate(path, self._candidate),
            )

    def spent(
        self,
        message: str | None,
        given: int,
        made: int,
        cached: int = 0,
        stored: int = 0,
        cost: float = 0.0,
        agent: str | None = None,
    ) -> Iterator[ev.AnyEvent]:
        """Tokens (and money) of a reply, once a reply."""
        if not (given or made or cached or stored or cost) or message in self._billed:
            return
        if message is not None:
            self._billed.add(message)
        yield ev.Usage(
            **self.head(agent=agent),
            message=message,
            input_tokens=given,
            output_tokens=made,
            cache_read_tokens=cached,
            cache_write_tokens=stored,
            cost_usd=cost or None,
        )

    def note(self, text: str, author: str = "client", agent: str | None = None) -> Iterator[ev.AnyEvent]:
        """Words that are neither the agent's nor a person's."""
        if text.strip():
            yield ev.Note(**self.head(agent=agent), text=text, author=author)


def blocks_of(content: object) -> list[Mapping[str, Any]]:
    """A message's content as blocks: text alone is one block, what is no block is left out."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    parts = content if isinstance(content, list) else [content]
    return [
        {"type": "text", "text": part} if isinstance(part, str) else part
        for part in parts
        if isinstance(part, dict | str)
    ]


def plain(content: object) -> str:
    """The text of a message's content; anything else in it by its type, in brackets."""
    return "\n".join(
        text_of(block.get("text")) if "text" in block else f"[{text_of(block.get('type'))[:40]}]"
        for block in blocks_of(content)
    )
