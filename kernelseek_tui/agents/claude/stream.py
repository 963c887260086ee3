"""What a live Claude Code prints, line by line: the session's events, and signals for its driver.

The meaning of a line is the stream reader's (`sessions.readers.stream_json`). Added here is what only an
owner needs: what becomes of messages it sent, permission requests, and when a turn is over.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kernelseek_tui.agents.claude.faults import (
    Again,
    ceiling_sentence,
    fault_of,
    hook_sentence,
    retry_sentence,
)
from kernelseek_tui.agents.claude.mail import Mail
from kernelseek_tui.agents.claude.replies import RepliesReader
from kernelseek_tui.agents.claude.signals import (
    Lifecycle,
    Quiet,
    Refused,
    Responded,
    TurnOver,
)
from kernelseek_tui.agents.claude.usage import Meter, context_window
from kernelseek_tui.agents.claude.wire import Asked, asked, granted
from kernelseek_tui.plain import one_line
from sessions import events as ev
from sessions.readers.base import Unknown, mapping_of, name_of, text_of, type_name
from sessions.readers.lines import RawLine

WITHDRAWN = "The client withdrew the question."
MAX_LINE = 32 << 20  # bytes; the client cuts tool output far below, and no screen could show more


class OwnedStream(RepliesReader):
    """Reads the lines of one client. `feed` gives events; `signals` holds what else the line said.

    `task` and `workspace` go into the `SessionStarted`; `candidate` marks edits of that file; `resumed`: the
    client's totals begin with an earlier run's; `rehearsed`: its model is scripted. At `ceiling_usd` the end
    of a turn halts the driver.
    """

    def __init__(
        self,
        *,
        task: str = "",
        workspace: str | None = None,
        candidate: str | None = None,
        resumed: bool = False,
        ceiling_usd: float | None = None,
        rehearsed: bool = False,
        name: str = "claude",
    ) -> None:
        super().__init__(candidate, Meter(resumed))
        self.permissions: dict[str, Asked] = {}
        self.gone = WITHDRAWN
        """Why nobody takes an answer any more, when the client has ended: whoever knows says it here."""
        self.background: dict[str, str] = {}
        self.mail = Mail()
        self._ceiling = ceiling_usd
        self.session: str | None = None
        self.model: str | None = None
        self.context_window: int | None = None
        self._names: dict[str, Any] = {
            "agent_name": name,
            "task": task or None,
            "workspace": workspace,
            "rehearsed": rehearsed,
        }
        self._early_events: list[ev.AnyEvent] = []
        self._held: ev.TurnEnded | None = None
        self._client_error = ""

    @property
    def working(self) -> bool:
        """A turn is under way, or a message waits for one."""
        return self._turn_open or self.mail.waiting

    @property
    def _too_dear(self) -> bool:
        return self._ceiling is not None and self.meter.cost_usd >= self._ceiling

    @property
    def again(self) -> Again:
        """How another run goes on with this session."""
        return Again(self.session, self._names["workspace"], self._ceiling)

    @property
    def holding(self) -> bool:
        """The end of a turn is held back for what the agent runs in the background."""
        return self._held is not None

    def release(self) -> list[ev.AnyEvent]:
        """The end of a turn that was held back for background tasks, if it still is."""
        held, self._held = self._held, None
        if held is None:
            return []
        return [*(() if self.background else self._withdraw_all()), held]

    def later(self, text: str) -> None:
        """Have a note follow the session's beginning."""
        self._early_events.append(self.note(text, "kernelseek"))

    # The reader's own seams.

    def feed(self, line: RawLine) -> list[ev.AnyEvent]:
        """The events of one line. Never raises for what a client may print.

        What is printed before the session has a beginning (hooks of its start) comes right after that.
        """
        events = self._too_long(line) if line.too_long else super().feed(line)
        if not self._started:
            self._early_events += events
            return []
        early, self._early_events = self._early_events, []
        return [*events[:1], *early, *events[1:]] if early else events

    def _too_long(self, line: RawLine) -> list[ev.AnyEvent]:
        self._line, self._made = line.number, 0
        self.account.entries += 1
        mib = line.size >> 20
        return [
            self.problem(f"Claude Code printed a line of {mib} MiB, more than the {MAX_LINE >> 20} kept.")
        ]

    def close(self) -> Iterable[ev.AnyEvent]:
        """What stands open when the client has ended."""
        if not self._started:
            self._started = True
            yield ev.SessionStarted(**self.head(), session="unknown", agent_name="").model_copy(
                update=self._names
            )
        yield from self._early_events
        yield from self._tell()
        yield from self._withdraw_all(self.gone)
        yield from super().close()

    def meaning(self, entry: dict[str, Any]) -> Iterator[ev.AnyEvent]:
        """The events of one line's object."""
        match entry.get("type"):
            case "command_lifecycle":
                yield from self._lifecycle(text_of(entry.get("command_uuid")), text_of(entry.get("state")))
            case "control_request":
                yield from self._asks(entry)
            case "control_cancel_request":
                yield from self._withdrawn(text_of(entry.get("request_id")))
            case "control_response":
                self._responded(entry.get("response"))
            case "user" if name_of(entry.get("uuid")) in self.mail:
                self.mail.take(name_of(entry.get("uuid")))
                yield from self._tell()
            case "assistant" if entry.get("is_api_error_message") and not entry.get("parent_tool_use_id"):
                self._client_error = text_of(entry.get("error"))  # the turn's `result` has the words, too
            case "assistant":
                yield from super().meaning(entry)
                if entry.get("parent_tool_use_id") is None:
                    self._client_error, self._held = "", None
            case _:
                yield from super().meaning(entry)

    # Messages of ours.

    def _lifecycle(self, uuid: str, state: str) -> Iterator[ev.AnyEvent]:
        self.signals.append(Lifecycle(uuid, state))
        if state in ("started", "completed"):
            self.mail.take(uuid)
            yield from self._tell()
        if state in ("completed", "cancelled"):
            withdrawn = self.mail.over(uuid)
            self.seen.add(uuid)  # an echo that comes after this is none
            if withdrawn is not None:
                yield self.note(f"Withdrawn before the agent took it: {one_line(withdrawn)}", "client")

    def _tell(self) -> Iterator[ev.AnyEvent]:
        """Messages that the agent was given, as soon as the session has a beginning."""
        if not self._started:
            return
        for text in self.mail.tell():
            yield ev.HumanMessage(**self.head(), text=text, mid_turn=self._turn_open)
            self._turn_open, self._held = True, None

    def _start(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        for event in super()._start(entry):
            if isinstance(event, ev.SessionStarted):
                self.session, self.model = event.session, event.model
                event = event.model_copy(update=self._names)
            yield event
            yield from self._tell()

    # What the client asks and answers.

    def _asks(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        body = mapping_of(entry.get("request"))
        known = self._calls.get(text_of(body.get("tool_use_id")))
        head = self.head(known.event if known else None, self.subagents.of(body))
        question = asked(entry, head["id"])
        if question is None:
            self.signals.append(Refused(text_of(entry.get("request_id")), text_of(body.get("subtype"))))
            raise Unknown(f"control_request/{text_of(body.get('subtype'))[:40]}")
        self.permissions[question.request] = question
        yield ev.PermissionRequested(
            **head,
            request=question.request,
            tool=question.tool,
            input=dict(question.input),
            always=granted(question.suggestions),
        )

    def _withdrawn(self, request: str, why: str = WITHDRAWN) -> Iterator[ev.AnyEvent]:
        question = self.permissions.pop(request, None)
        if question:
            yield ev.PermissionAnswered(
                **self.head(question.event),
                request=request,
                answer="deny",
                message=why,
                by="client",
            )

    def _withdraw_all(self, why: str = WITHDRAWN) -> Iterator[ev.AnyEvent]:
        """What the client will take no answer to any more."""
        for request in list(self.permissions):
            yield from self._withdrawn(request, why)

    def _responded(self, response: object) -> None:
        if isinstance(response, dict):
            error = text_of(response.get("error")) if response.get("subtype") == "error" else ""
            self.signals.append(Responded(text_of(response.get("request_id")), error))

    # The system's own lines, the end of a turn.

    def _system(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        match entry.get("subtype"):
            case "init":
                yield from super()._system(entry)
                model = entry.get("model")
                self.model = model if isinstance(model, str) else self.model
                self._turn_open, self._held = True, None
            case "api_retry":
                yield self.note(retry_sentence(entry), "client")
            case "hook_response" if entry.get("outcome") not in (None, "success"):
                yield self.note(hook_sentence(entry), "hook")
            case "notification" if entry.get("key") == "stop-hook-error":
                raise Unknown(type_name(entry))  # the hook's own words stand beside it
            case "background_tasks_changed":
                tasks = entry.get("tasks")
                self.background = {
                    text_of(task.get("task_id")): text_of(task.get("description"))
                    for task in (tasks if isinstance(tasks, list) else ())
                    if isinstance(task, dict)
                }
                if self._held and not self.background:
                    self.signals.append(Quiet())
            case "task_notification" if (
                text_of(entry.get("task_id")) in self.background
                and self.subagents.known(text_of(entry.get("tool_use_id"))) is None
            ):
                yield self.note(one_line(text_of(entry.get("summary"))), "task")
            case _:
                yield from super()._system(entry)

    def _ended(self, entry: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        yield from self._start(entry)
        yield from self.broken_off()
        rest, cost = self.meter.settle(entry)
        if any(rest) or cost:
            yield self.spent(rest, cost=cost)
        self.context_window = context_window(entry, self.model) or self.context_window
        self._turn_open = False
        self.write("")
        if not self.background:  # what runs there may wait for its answer
            yield from self._withdraw_all()
        halt, outage = "", False
        if text_of(entry.get("terminal_reason")).startswith("aborted"):
            yield ev.TurnEnded(**self.head(), reason="interrupted")
        elif entry.get("is_error"):
            fault = fault_of(entry, self._client_error, self.again)
            halt, outage = fault.sentence if fault.halts else "", fault.outage
            yield self.note(fault.sentence, "kernelseek")
            yield ev.TurnEnded(**self.head(), reason="failed", detail=fault.sentence)
        elif self.background and not self._too_dear:
            running = one_line(", ".join(filter(None, self.background.values())), 200)
            yield self.note(f"The agent waits for what it runs in the background: {running}.", "client")
            self._held = ev.TurnEnded(**self.head(), detail=f"still running in the background: {running}")
        elif self._too_dear:
            halt = ceiling_sentence(self.meter.cost_usd, self.again)
            yield self.note(halt, "kernelseek")
            yield ev.TurnEnded(**self.head(), reason="failed", detail=halt)
        else:
            yield ev.TurnEnded(**self.head())
        self.signals.append(TurnOver(halt, outage))
