"""What Codex's formats have in common: words said, calls and their results, edits, tokens, turns."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sessions import events as ev
from sessions.layers import edited_path, is_candidate
from sessions.readers.base import LineReader, count_of
from sessions.readers.codex_words import hook_words, own_request, writer
from sessions.readers.diffs import edit_diff
from sessions.readers.patches import Changes, patched
from sessions.readers.twins import Twins

PATCH = "apply_patch"

# Codex's names of tokens, which count cached ones among the input.
_TOKENS = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens")


@dataclass(slots=True)
class _Call:
    event: str
    tool: str
    input: Mapping[str, Any]
    answered: bool = False
    changes: Changes | None = None


class CodexReader(LineReader):
    """Base of the readers of Codex's formats.

    `candidate` marks edits of that file. `agent` is the subagent of the current line, None for the main
    agent. What the model says and calls between two results is one reply. `compaction` is the summary of a
    compaction after which nothing was said yet.
    """

    def __init__(self, file: str, *, prefix: str = "", candidate: str | None = None) -> None:
        super().__init__(file, prefix)
        self.agent: str | None = None
        self.twins = Twins()
        self._candidate = candidate
        self._calls: dict[str, _Call] = {}
        self._open: dict[str, str | None] = {}
        self._early: dict[str, Changes | None] = {}
        self._replies: dict[str | None, str] = {}
        self._counted = (0, 0, 0, 0)
        self._plan: object = None
        self.compaction: str | None = None
        self._turn_open = False
        self._spoken = False
        self.begin()

    def begin(self) -> None:
        """What a format keeps beside this, at its start."""

    def head(self, parent: str | None = None, agent: str | None = None) -> dict[str, Any]:
        """As in the base; the agent of the current line where none is given."""
        return super().head(parent, agent or self.agent)

    def known(self, call: str) -> bool:
        """Whether a call of this name was read."""
        return call in self._calls

    def note(self, text: str, author: str = "client") -> ev.Note:
        """Words that are neither the agent's nor a person's."""
        return ev.Note(**self.head(), text=text, author=author)

    def reply(self) -> str:
        """The name of the model's reply that the current line belongs to."""
        if self.agent is None:
            self._spoken, self.compaction = True, None
        return self._replies.setdefault(self.agent, f"reply-{self._line}")

    def reply_over(self) -> None:
        """What the model says next is another reply."""
        self._replies.pop(self.agent, None)

    def user(
        self, text: str, source: str, provenance: object = None, mid_turn: bool | None = None
    ) -> Iterator[ev.AnyEvent]:
        """Text in the user's place, from `source`: a human message, or a note of whoever wrote it.

        `mid_turn` None: as the lines so far say.
        """
        who = writer(text, provenance)
        if self.agent is not None and who == "human":
            who = "agent"  # a subagent's orders
        if who == "human":
            text = own_request(text)
        elif who == "hook":
            text = hook_words(text)
        if not text.strip() or not self.twins.first(source, "user", text):
            return
        self.reply_over()
        self.compaction = None
        if who == "human":
            during = self._turn_open and self._spoken if mid_turn is None else mid_turn
            yield ev.HumanMessage(**self.head(), text=text, mid_turn=during)
        else:
            yield self.note(text, who)

    def said(self, text: str, source: str) -> Iterator[ev.AnyEvent]:
        """What the agent said, from `source`."""
        if text.strip() and self.twins.first(source, "agent", text):
            message = self.reply()
            yield ev.AgentText(**self.head(), text=text, message=message)

    def thought(self, parts: list[str], source: str) -> Iterator[ev.AnyEvent]:
        """What the agent thought, part by part, from `source`."""
        new = [part for part in parts if part.strip() and self.twins.first(source, "thought", part)]
        if new:
            message = self.reply()
            yield ev.Thinking(**self.head(), text="\n\n".join(new), message=message)

    def called(self, call: str, tool: str, given: dict[str, Any]) -> Iterator[ev.AnyEvent]:
        """The agent called a tool. The same call again makes no event."""
        known = self._calls.get(call)
        if known is not None and known.tool == tool and known.input == given:
            return
        message = self.reply()
        head = self.head()
        yield ev.ToolCall(**head, call=call, tool=tool, input=given, message=message)
        made = self._calls[call] = _Call(head["id"], tool, given)
        if call in self._early:  # its result came first
            made.answered = True
            yield from self._edits(made, self._early.pop(call))
        else:
            self._open[call] = self.agent

    def answered(
        self, call: str, output: str, failed: bool, changes: Changes | None = None
    ) -> Iterator[ev.AnyEvent]:
        """A call's result, the first one. `changes`: what it changed, where the client says so."""
        known = self._calls.get(call)
        if call in self._early or (known is not None and known.answered):
            return
        head = self.head(known.event if known else None)
        yield ev.ToolResult(**head, call=call, output=output, is_error=failed)
        self.reply_over()
        if failed:
            changes = ()
        if known is None:
            self._early[call] = changes
            return
        known.answered = True
        self._open.pop(call, None)
        yield from self._edits(known, changes)

    def cut_off(self, output: Mapping[str, str]) -> Iterator[ev.AnyEvent]:
        """Calls that ran when their turn was interrupted; `output`: what they had put out by then."""
        for call in [call for call, agent in self._open.items() if agent == self.agent]:
            said = output.get(call, "")
            yield from self.answered(call, f"{said}\n(interrupted with its turn)".lstrip("\n"), failed=True)

    def changed(self, call: str, changes: Changes) -> None:
        """What the call of this name changes, exactly; its result says whether it did."""
        if call in self._calls:
            self._calls[call].changes = changes

    def _edits(self, made: _Call, changes: Changes | None) -> Iterator[ev.AnyEvent]:
        if changes is None:
            changes = made.changes
        if changes is None and made.tool == PATCH:
            changes = patched("\n".join(text for text in made.input.values() if isinstance(text, str)))
        if changes is None:
            path = edited_path(made.tool, made.input)
            changes = ((path, edit_diff(path, made.input, None)),) if path else ()
        for path, diff in changes:
            yield ev.Edit(
                **self.head(made.event), path=path, diff=diff, candidate=is_candidate(path, self._candidate)
            )

    def planned(self, entries: object) -> Iterator[ev.AnyEvent]:
        """The agent's list of what is to do, told as a call; the same list again makes no event."""
        if entries == self._plan:
            return
        self._plan = entries
        call = f"plan-{self._line}"
        yield from self.called(call, "update_plan", {"plan": entries})
        yield ev.ToolResult(**self.head(self._calls[call].event), call=call, output="")
        self._calls[call].answered = True
        self._open.pop(call, None)

    def used(self, total: Mapping[str, Any], inherited: bool = False) -> Iterator[ev.AnyEvent]:
        """Tokens of the whole session so far; the event has those not counted yet.

        `inherited`: another session spent them. A total below the last one counts from nothing again.
        """
        given, made, cached, stored = (count_of(total.get(name)) for name in _TOKENS)
        counts = (max(0, given - cached - stored), made, cached, stored)
        if not any(counts):
            return  # not told, which is no new beginning
        before = self._counted
        if sum(counts) < sum(before):
            before = (0, 0, 0, 0)
        more = [max(0, now - then) for now, then in zip(counts, before, strict=True)]
        self._counted = counts
        if any(more) and not inherited:
            yield ev.Usage(
                **self.head(),
                input_tokens=more[0],
                output_tokens=more[1],
                cache_read_tokens=more[2],
                cache_write_tokens=more[3],
            )

    def turn_started(self) -> None:
        """A turn of the main agent began."""
        self._turn_open, self._spoken = True, False
        self.reply_over()

    def turn_over(
        self, reason: Literal["completed", "interrupted", "failed"], detail: str = ""
    ) -> Iterator[ev.AnyEvent]:
        """The turn ended; a subagent's ends without an event."""
        self.reply_over()
        if self.agent is None:
            self._turn_open = False
            yield ev.TurnEnded(**self.head(), reason=reason, detail=detail)
