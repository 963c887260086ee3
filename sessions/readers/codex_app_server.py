"""Logs of `codex app-server`: its JSON-RPC messages, both sides or only what the server says."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from sessions import events as ev
from sessions.readers.base import Unknown, count_of, mapping_of, name_of, text_of
from sessions.readers.codex_items import ItemReader, snake
from sessions.readers.codex_words import plain, shell_text
from sessions.readers.formats import Format
from sessions.readers.rpc import Message, Requests, message_of, refused

_APPROVALS = {
    "item/commandExecution/requestApproval": "Bash",
    "item/fileChange/requestApproval": "apply_patch",
    "item/permissions/requestApproval": "permissions",
    "execCommandApproval": "Bash",
    "applyPatchApproval": "apply_patch",
}
# Requests that only set something up or ask for what the notices tell, too.
_REQUESTS = frozenset(
    {
        "initialize",
        "initialized",
        "thread/start",
        "thread/resume",
        "thread/fork",
        "turn/start",
        "turn/steer",
        "turn/interrupt",
    }
)
_ANSWERS: dict[str, Literal["allow", "always", "deny"]] = {
    "accept": "allow",
    "approved": "allow",
    "accept_for_session": "always",
    "approved_for_session": "always",
    "accept_with_execpolicy_amendment": "always",
    "approved_execpolicy_amendment": "always",
}
_ENDS: dict[str, Literal["completed", "interrupted", "failed"]] = {
    "completed": "completed",
    "interrupted": "interrupted",
    "failed": "failed",
}


class AppServerReader(ItemReader):
    """Reads a log. A person's words are read where they were written to the server, else from their item.

    Pieces of a message that was never finished (the turn was interrupted) are joined when the turn ends.
    Threads that the agent started are its subagents.
    """

    def begin(self) -> None:
        """Nothing was read yet."""
        self._session: str | None = None
        self._version: str | None = None
        self._requests = Requests()
        self._side: set[str] = set()
        self._done: set[str] = set()
        self._pieces: dict[str, tuple[str | None, list[str]]] = {}
        self._output: dict[str, str] = {}
        self._asked: dict[str, str] = {}
        self._totals: dict[str, tuple[int, int, int, int]] = {}

    def entry(self, entry: dict[str, Any]) -> Iterator[ev.AnyEvent]:
        """The events of one message."""
        message = message_of(entry)
        if message is None:
            raise Unknown("(no JSON-RPC message)")
        params = message.params
        thread = name_of(params.get("threadId")) or name_of(params.get("conversationId"))
        self.agent = thread if thread in self._side else None
        self._time = _time(entry, params)
        if message.answer:
            yield from self._answer(message)
        elif message.method in _APPROVALS:
            yield from self._approval(message)
        elif message.way == "in" or message.method in ("turn/start", "turn/steer"):
            yield from self._request(message)
        else:
            yield from self._notice(message.method, params)

    def close(self) -> Iterator[ev.AnyEvent]:
        """Pieces of messages that the log does not finish."""
        yield from self._unfinished()

    def tool(self, kind: str, item: Mapping[str, Any], done: bool) -> Iterator[ev.AnyEvent]:
        """As in the base; a finished item holds all of its output."""
        yield from super().tool(kind, item, done)
        if done:
            self._output.pop(self.name_of_call(item), None)

    def fresh_item(self, name: str) -> bool:
        """Whether words of an item with this id were not read yet."""
        self._pieces.pop(name, None)
        if name and name in self._done:
            return False
        self._done.add(name)
        return True

    def _request(self, message: Message) -> Iterator[ev.AnyEvent]:
        self._requests.sent("client", message)
        if message.method not in ("turn/start", "turn/steer"):
            if message.method not in _REQUESTS:
                raise Unknown(message.method[:80])
            return
        steers = message.method == "turn/steer"
        yield from self.user(plain(message.params.get("input")), "client", mid_turn=steers or self._turn_open)

    def _approval(self, message: Message) -> Iterator[ev.AnyEvent]:
        self._requests.sent("agent", message)
        params = message.params
        tool = _APPROVALS[message.method]
        given = {key: value for key, value in params.items() if key not in ("threadId", "turnId", "itemId")}
        if "command" in given:
            given["command"] = shell_text(given["command"])
        head = self.head()
        self._asked[message.id or ""] = head["id"]
        yield ev.PermissionRequested(**head, request=message.id or "", tool=tool, input=given)

    def _answer(self, message: Message) -> Iterator[ev.AnyEvent]:
        decision = mapping_of(message.result).get("decision")
        ours = message.way == "in" or (not message.way and decision is not None)
        if ours and self._requests.asks("agent", message):
            self._requests.answered("agent", message)
            word = snake(next(iter(decision), "") if isinstance(decision, dict) else name_of(decision))
            yield ev.PermissionAnswered(
                **self.head(self._asked.pop(message.id or "", None)),
                request=message.id or "",
                answer=_ANSWERS.get(word, "deny"),
            )
            return
        asked = self._requests.answered("client", message)
        method = asked[0] if asked else ""
        if message.error is not None:
            yield self.note(f"{method or 'A request'} was refused: {refused(message.error)}")
            return
        result = mapping_of(message.result)
        if isinstance(result.get("thread"), dict):
            yield from self._started(result["thread"], result)
        elif "userAgent" in result:
            self._version = _version(text_of(result["userAgent"]))
        elif method not in _REQUESTS:
            raise Unknown(f"answer to {method or 'a request'}"[:80])

    def _started(self, thread: Mapping[str, Any], beside: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        session = name_of(thread.get("id"))
        source = thread.get("source")
        parent = name_of(thread.get("parentThreadId")) or "subAgent" in (
            source if isinstance(source, dict) else {}
        )
        if parent:
            if session in self._side:
                return
            self._side.add(session)
            yield ev.Subagent(**self.head(), subagent=session, phase="started")
            return
        if not session or session == self._session:
            return
        self._session = session
        version = name_of(thread.get("cliVersion")) or self._version
        yield ev.SessionStarted(
            **self.head(),
            session=session,
            agent_name="codex",
            model=name_of(thread.get("model")) or name_of(beside.get("model")) or None,
            cwd=name_of(thread.get("cwd")) or name_of(beside.get("cwd")) or None,
            versions={"codex": version} if version else {},
        )

    def _notice(self, method: str, params: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        match method:
            case "thread/started":
                yield from self._started(mapping_of(params.get("thread")), {})
            case "turn/started":
                if self.agent is None:
                    self.turn_started()
            case "item/started" | "item/updated":
                yield from self.item(params.get("item"), done=False)
            case "item/completed":
                yield from self.item(params.get("item"), done=True)
            case "item/agentMessage/delta":
                name = text_of(params.get("itemId"))
                pieces = self._pieces.setdefault(name, (self.agent, []))[1]
                pieces.append(text_of(params.get("delta")))
            case "item/commandExecution/outputDelta":
                name = text_of(params.get("itemId"))
                self._output[name] = self._output.get(name, "") + text_of(params.get("delta"))
            case "thread/tokenUsage/updated":
                total = mapping_of(mapping_of(params.get("tokenUsage")).get("total"))
                yield from self._spent(text_of(params.get("threadId")), total)
            case "turn/plan/updated":
                yield from self.planned(params.get("plan"))
            case "turn/completed":
                yield from self._ended(mapping_of(params.get("turn")))
            case "thread/compacted":
                yield from self.compacted()
            case "warning" | "configWarning" | "deprecationNotice":
                yield self.note(text_of(params.get("message") or params.get("summary")))
            case "error":
                yield self.note(refused(params.get("error")))
            case _:
                raise Unknown(method[:80])

    def _spent(self, thread: str, total: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        self.reply_over()
        self._counted = self._totals.get(thread, (0, 0, 0, 0))
        yield from self.used({snake(key): value for key, value in total.items()})
        self._totals[thread] = self._counted

    def _ended(self, turn: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        yield from self._unfinished()
        error = turn.get("error")
        reason = _ENDS.get(snake(name_of(turn.get("status"))), "completed")
        if reason != "completed":
            yield from self.cut_off(self._output)
        if self.agent is not None:
            yield ev.Subagent(**self.head(), subagent=self.agent, phase="ended")
        yield from self.turn_over(reason, refused(error) if error else "")

    def _unfinished(self) -> Iterator[ev.AnyEvent]:
        for name, (agent, pieces) in list(self._pieces.items()):
            if agent == self.agent:
                del self._pieces[name]
                yield from self.said("".join(pieces), self.source)


def _time(entry: Mapping[str, Any], params: Mapping[str, Any]) -> datetime | None:
    """When the server said a message: it stamps most, in milliseconds."""
    body = entry.get("msg")
    stamps = [mapping_of(body).get("emittedAtMs"), entry.get("emittedAtMs"), params.get("startedAtMs")]
    for stamp in (count_of(one) for one in stamps):
        if 0 < stamp < 1 << 43:
            return datetime.fromtimestamp(stamp / 1000, UTC)
    return None


def _version(user_agent: str) -> str | None:
    """The client's version out of `name/1.2.3 (...)`."""
    first = user_agent.split(" ", 1)[0]
    return first.rsplit("/", 1)[-1] if "/" in first else None


_GROUPS = ("thread/", "turn/", "item/")
_OWN = frozenset({*_APPROVALS, "remoteControl/status/changed", "account/rateLimits/updated", "codex/event"})


def _row(value: Mapping[str, Any]) -> bool:
    message = message_of(value)
    if message is None:
        return False
    if message.answer:
        result = mapping_of(message.result)
        return (
            isinstance(mapping_of(result.get("thread")).get("id"), str)
            or isinstance(mapping_of(result.get("turn")).get("id"), str)
            or ("userAgent" in result and "codexHome" in result)
        )
    known = message.method.startswith(_GROUPS) and bool(message.params)
    return known or message.method in _OWN


FORMAT = Format(
    "codex-app-server",
    "a log of `codex app-server`",
    lambda path, candidate: AppServerReader(path.name, candidate=candidate),
    row=_row,
)
