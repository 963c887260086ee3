"""Codex's on-disk session, `rollout-<time>-<thread>.jsonl`: rows of `type` and `payload`."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, mapping_of, name_of, text_of, time_of
from sessions.readers.codex_calls import call_of
from sessions.readers.codex_items import ItemReader
from sessions.readers.codex_words import outcome, plain, provenances, writer
from sessions.readers.formats import Format
from sessions.readers.lineage import Lineage
from sessions.readers.patches import changes_of
from sessions.readers.replays import Replays

_HELD = 40  # events at most that wait for the model's name
_IMAGE_TAG = re.compile(r"\s*</?image\b[^>]*>\s*")  # the client's, around a person's image


class RolloutReader(ItemReader):
    """Reads a session, resumed or forked ones, too.

    The client writes nearly everything twice, as the model's item and as an event: whichever comes first is
    read. A forked session's file begins with its own head line, then holds its parent's from that one's head
    line on, with new time stamps: the copied history is read as what was said before, but its tokens are
    the parent's. Rows that stand in the file already make no second event.
    """

    source = "event"

    def begin(self) -> None:
        """Nothing was read yet."""
        self._lineage = Lineage()
        self._model: str | None = None
        self._waiting: list[ev.AnyEvent] | None = None
        self._replays = Replays()
        self._items: set[tuple[str, str]] = set()
        self._recorded = False
        self._aborted = False

    def entry(self, entry: dict[str, Any]) -> list[ev.AnyEvent]:
        """The events of one row."""
        payload, kind = entry.get("payload"), name_of(entry.get("type"))
        if not isinstance(payload, dict):
            raise Unknown(kind[:80] or "(no type)")
        self._time = time_of(entry.get("timestamp"))
        if kind in ("response_item", "event_msg", "compacted") and self._replays.repeats([kind, payload]):
            return []
        return self._released(list(self._meaning(kind, payload)))

    def close(self) -> Iterator[ev.AnyEvent]:
        """What still waited for the model's name, and calls of an interrupted turn."""
        yield from self._waiting or ()
        self._waiting = None
        yield from self._end_aborted()

    def _released(self, events: list[ev.AnyEvent]) -> list[ev.AnyEvent]:
        """A session's start waits for the row that names the model, which stands before anything was said."""
        if self._waiting is None:
            return events
        held = [*self._waiting, *events]
        only_notes = all(isinstance(event, ev.SessionStarted | ev.Note) for event in held)
        if self._model is None and only_notes and len(held) < _HELD:
            self._waiting = held
            return []
        self._waiting = None
        return [
            event.model_copy(update={"model": self._model}) if isinstance(event, ev.SessionStarted) else event
            for event in held
        ]

    def _meaning(self, kind: str, payload: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        match kind:
            case "session_meta":
                yield from self._head_line(payload)
            case "turn_context":
                self._lineage.turn(payload, self._time)
                yield from self._settings(payload)
            case "response_item":
                yield from self._response(payload)
            case "event_msg":
                yield from self._event(payload)
            case "compacted":
                yield from self.compacted(text_of(payload.get("message")))
            case "token_usage_record":
                self._recorded = True
                self.reply_over()
                yield from self.used(mapping_of(payload.get("thread_token_usage")), self._lineage.inherited)
            case _:
                raise Unknown(kind[:80] or "(no type)")

    def _head_line(self, payload: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        before = self._lineage.session
        opens = self._lineage.opens(payload, self._time)
        if name_of(payload.get("id")) != before:
            self._replays.part()
        if not opens:
            return
        self._waiting, self._model = self._waiting or [], None
        version = payload.get("cli_version")
        yield ev.SessionStarted(
            **self.head(),
            session=self._lineage.session or "",
            agent_name="codex",
            cwd=name_of(payload.get("cwd")) or None,
            versions={"codex": version} if isinstance(version, str) else {},
        )
        if self._lineage.inherited:
            yield self.note(f"Forked from the session {self._lineage.parent}, whose history comes first.")

    def _settings(self, payload: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        model = name_of(payload.get("model"))
        if model and model != self._model:
            if self._model is not None:
                yield self.note(f"The model is {model} from here on.")
            self._model = model

    def _response(self, item: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        kind = name_of(item.get("type"))
        if not self._fresh(kind, item.get("id")):
            return
        call = text_of(item.get("call_id") or item.get("id"))
        match kind:
            case "message":
                yield from self._message(item)
            case "reasoning":
                content = item.get("content") or item.get("summary")
                parts = content if isinstance(content, list) else []
                yield from self.thought([text_of(mapping_of(part).get("text")) for part in parts], "row")
            case "function_call" | "custom_tool_call" | "local_shell_call":
                yield from self.called(call, *call_of(kind, item))
            case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
                yield from self.answered(call, *outcome(item.get("output")))
            case "web_search_call" | "tool_search_call" | "image_generation_call":
                given = {key: item[key] for key in ("action", "arguments", "prompt") if item.get(key)}
                call = call if item.get("call_id") or item.get("id") else f"{kind}-{self._line}"
                yield from self.called(call, kind.removesuffix("_call"), given)
                if kind != "tool_search_call":  # what they found is not in the file
                    yield from self.answered(call, "", item.get("status") == "failed")
            case "tool_search_output":
                yield from self.answered(call, text_of(item.get("tools")), False)
            case "compaction" | "compaction_summary" | "context_compaction":
                yield from self.compacted()
            case _:
                raise Unknown(f"response_item/{kind or '(no type)'}"[:80])

    def _message(self, item: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        content, role = item.get("content"), item.get("role")
        if role == "assistant":
            # A plan is an item of its own beside its message's, and stands within the row.
            told = ("item", text_of(item.get("id"))) in self._items
            said = list(self.said(plain(content), "row"))
            yield from () if told else said
            return
        noted = provenances(item)
        pieces = content if isinstance(content, list) else [{"type": "input_text", "text": content}]
        if role != "user":
            hook = any(mapping_of(one).get("hook") is True for one in noted)
            yield self.note(plain(pieces), "hook" if hook else "client")
            return
        # What a person wrote and what the client put beside it may be pieces of one message.
        own: list[object] = []
        for number, piece in enumerate(pieces):
            about = noted[number] if number < len(noted) else None
            text = plain([piece])
            if _IMAGE_TAG.fullmatch(text):
                continue
            if writer(text, about) == "human":
                own.append(piece)
            else:
                yield from self.user(text, "row", about)
        if own:
            yield from self.user(plain(own), "row")

    def user(
        self, text: str, source: str, provenance: object = None, mid_turn: bool | None = None
    ) -> Iterator[ev.AnyEvent]:
        """As in the base; the orders of a subagent's session are another agent's words."""
        for event in super().user(text, source, provenance, mid_turn):
            if isinstance(event, ev.HumanMessage) and self._lineage.subagent and not self._lineage.inherited:
                kept = event.model_dump(exclude={"kind", "mid_turn"})
                yield ev.Note(**kept, author="agent")
            else:
                yield event

    def _event(self, event: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        kind = name_of(event.get("type"))
        match kind:
            case "item_completed":
                yield from self.item(event.get("item"), done=True)
            case "user_message":
                yield from self.user(text_of(event.get("message")), self.source)
            case "agent_message":
                yield from self.said(text_of(event.get("message")), self.source)
            case "agent_reasoning" | "agent_reasoning_raw_content":
                yield from self.thought([text_of(event.get("text"))], self.source)
            case "token_count":
                info = mapping_of(event.get("info"))
                if info:
                    self.reply_over()
                if info and not self._recorded:
                    yield from self.used(mapping_of(info.get("total_token_usage")), self._lineage.inherited)
            case "task_started" | "turn_started":
                self._lineage.turn(event, self._time)
                yield from self._end_aborted()
                self.turn_started()
            case "task_complete" | "turn_complete":
                yield from self.turn_over("completed")
            case "turn_aborted":
                self._aborted = True
                yield from self.turn_over("interrupted", text_of(event.get("reason")))
            case "context_compacted":
                yield from self.compacted()
            case "error" | "stream_error" | "warning":
                yield self.note(text_of(event.get("message")))
            case "thread_rolled_back":
                yield self.note(f"The last {text_of(event.get('num_turns'))} turns were taken back.")
            case "patch_apply_end":
                self.changed(text_of(event.get("call_id")), changes_of(event.get("changes")))
            case "exec_command_end" | "mcp_tool_call_end" | "web_search_end" | "view_image_tool_call":
                if not self.known(text_of(event.get("call_id"))):
                    raise Unknown(f"event_msg/{kind}")
            case _:
                raise Unknown(f"event_msg/{kind or '(no type)'}"[:80])

    def _end_aborted(self) -> Iterator[ev.AnyEvent]:
        """Calls without a result once nothing more can come of an interrupted turn."""
        if self._aborted:
            self._aborted = False
            yield from self.cut_off({})

    def tool(self, kind: str, item: Mapping[str, Any], done: bool) -> Iterator[ev.AnyEvent]:
        """An item of a call whose own row stands before repeats it; only what a patch changed is new."""
        call = self.name_of_call(item)
        if not self.known(call):
            yield from super().tool(kind, item, done)
        elif kind == "file_change":
            self.changed(call, changes_of(item.get("changes")))

    def fresh_item(self, name: str) -> bool:
        """Whether words of an item with this id were not read yet."""
        return self._fresh("item", name)

    def _fresh(self, kind: str, name: object) -> bool:
        if not isinstance(name, str) or not name:
            return True
        key = (kind, name)
        if key in self._items:
            return False
        self._items.add(key)
        return True


_ROWS = frozenset(
    {
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
        "world_state",
        "token_usage_record",
    }
)


def _row(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and kind in _ROWS and isinstance(value.get("payload"), dict)


FORMAT = Format(
    "codex-rollout",
    "Codex's session file",
    lambda path, candidate: RolloutReader(path.name, candidate=candidate),
    row=_row,
    live=True,
)
