"""A session that somebody else runs, as an agent: its transcript for events, its hooks for messages."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Literal

from kernelseek_tui.agents.protocol import AgentError, AgentSpec, Capabilities, Priority, Receipt
from kernelseek_tui.attach.attachment import Attachment
from kernelseek_tui.attach.discover import AttachError, Running, alive, look_again, transcript_of
from kernelseek_tui.attach.follow import POLL, Follower
from kernelseek_tui.attach.tmux import Pane, typeable
from kernelseek_tui.hooks.mailbox import Question, is_locked
from sessions import events as ev
from sessions.tail import Restarted, Tail

_LOOK = 1.0
"""Seconds between two looks at what the client says about its process."""

_UNSEEN = 3
"""Looks in a row without a word of the client's about its living process, after which it counts as ended."""

_BREATH = 100

Arrival = Literal["delivered", "own_turn"]
_WORDS: dict[str, tuple[Arrival, str]] = {
    "post-tool-use": ("delivered", "at a tool boundary, by a hook"),
    "post-tool-use-failure": ("delivered", "at a tool boundary, by a hook"),
    "user-prompt-submit": ("delivered", "with the next prompt, by a hook"),
    "stop": ("own_turn", "at the turn's end, by the stop hook"),
    "wake": ("own_turn", "the idle session was woken for it"),
    "prompt": ("own_turn", "typed into the session's own terminal"),
}


@dataclass(slots=True)
class _Underway:
    id: str
    text: str
    route: str = ""


class AttachedAgent:
    """An `Agent` whose process is not ours: `close` lets go of it and leaves it running.

    `events` gives the whole transcript so far, calls `on_caught_up`, and goes on with what comes; it ends
    with the session, and `over` then says why. `pane` is where prompts may be typed, None where that is not
    allowed or not possible. `standing` is one line on what the person has to do in the session's terminal,
    or nothing; `on_standing` is called when it changes.
    """

    name = "claude-code"

    def __init__(
        self,
        attachment: Attachment,
        client_home: Path,
        *,
        pane: Pane | None = None,
        candidate: str | None = None,
    ) -> None:
        self.capabilities = Capabilities(mid_turn=True, usage=True, interrupt=pane is not None)
        self.on_caught_up: Callable[[], None] = lambda: None
        self.on_standing: Callable[[], None] = lambda: None
        self._attachment = attachment
        self._client_home = client_home
        self._pane = pane
        self._running = attachment.running
        self._follower = Follower(transcript_of(client_home, attachment.running), candidate)
        self._told = Tail(attachment.box.told)
        self._underway: list[_Underway] = []
        self._arrived: dict[str, tuple[Arrival, str]] = {}
        self._typing = asyncio.Lock()
        self._closed = False
        self._wait: tuple[str, int] | None = None
        self._unseen = 0
        self.standing = ""
        self.over = ""
        self.left: AttachError | None = None

    async def start(self, spec: AgentSpec) -> None:
        """Take hold of the session; `spec`'s task is not sent. Raises `AttachError`."""
        self._attachment.open()

    async def send(self, text: str, priority: Priority = "next") -> Receipt:
        """Let a message wait for the next hook, or type it where the session waits for a prompt."""
        question = _Underway(f"q-{uuid.uuid4().hex[:12]}", text)
        now = look_again(self._client_home, self._running.pid)
        if now is None and not alive(self._running.pid):
            return Receipt("failed", "the session has ended")
        if self._pane is not None and await self._typed(question, self._pane):
            return Receipt("queued", _WORDS["prompt"][1])
        try:
            self._attachment.box.put(Question(question.id, text))
        except OSError as error:
            return Receipt("failed", f"it could not be put where the hooks look ({error.strerror})")
        self._underway.append(question)
        return Receipt("queued", self._waits_for(now))

    async def _typed(self, question: _Underway, pane: Pane) -> bool:
        """Type a question where that is a prompt and nothing else; False where a hook has to take it."""
        async with self._typing:
            # One at a time: until the transcript shows it, what the client does with it is not known.
            if not typeable(question.text) or any(one.route == "prompt" for one in self._underway):
                return False
            now = look_again(self._client_home, self._running.pid)
            mine = now is not None and now.session == self._running.session and now.status == "idle"
            if not mine or not await pane.ready():
                return False
            question.route = "prompt"
            self._underway.append(question)
            if await pane.type(question.text):
                return True
            self._underway.remove(question)
            question.route = ""
            return False

    def _waits_for(self, now: Running | None) -> str:
        if now is not None and now.waiting:
            return f"waits until the client's own dialog ({now.waiting}) is answered in its terminal"
        if now is None or now.status != "idle":
            return "waits for the next tool boundary or the turn's end"
        if is_locked(self._attachment.box.waiter):
            return "the idle session is being woken"
        return "the session is idle and no hook waits yet; it comes with the next prompt"

    def arrival(self, text: str) -> tuple[Arrival, str]:
        """How the message of that text, whose echo `events` just gave, arrived."""
        return self._arrived.pop(text, ("delivered", ""))

    async def interrupt(self) -> None:
        """Stop the current turn, where we may press keys. Raises `AgentError`."""
        if self._pane is None or not await self._pane.escape():
            raise AgentError("An attached session is interrupted in its own terminal: press Escape there.")

    async def pause(self) -> None:
        """Raises `AgentError`."""
        raise AgentError("An attached session cannot be held.")

    async def resume(self) -> None:
        """Raises `AgentError`."""
        raise AgentError("An attached session cannot be held.")

    async def events(self) -> AsyncIterator[ev.AnyEvent]:
        """The transcript's events and what the hooks tell, until the session ends or is another."""
        for number, event in enumerate(await asyncio.to_thread(self._follower.history)):
            yield event
            if number % _BREATH == 0:
                await asyncio.sleep(0)  # a long history must not hold the screen up
        self.on_caught_up()
        looked = monotonic() - _LOOK
        while True:
            leaving = self._closed  # one more look after it: what came before we left
            for event in self._follower.poll():
                for known in self._recognised(event):
                    yield known
            for event in self._hooks_told():
                yield event
            if self.over or leaving:
                return
            if monotonic() - looked >= _LOOK:
                looked = monotonic()
                self._follower.move(transcript_of(self._client_home, self._running))
                now = look_again(self._client_home, self._running.pid)
                self.over = self._ended(now)  # and once more round: what was written before it ended
                for note in self._stands(now):
                    yield note
            await asyncio.sleep(POLL)

    async def close(self) -> None:
        """Take back what was not delivered, remove the hooks, leave the session to itself.

        Raises nothing; where the hooks could not be taken out, `left` says why.
        """
        self._closed = True
        for question in self._underway:
            if not question.route:
                self._attachment.box.withdraw(question.id)
        try:
            self._attachment.close()
        except AttachError as error:
            self.left = error

    def _recognised(self, event: ev.AnyEvent) -> list[ev.AnyEvent]:
        """The event, with the echo of each message of ours that it carries.

        What a hook says it delivered is only taken to have arrived when the transcript shows it.
        """
        if isinstance(event, ev.HumanMessage):
            said = event.text.strip()
            typed = [one for one in self._underway if one.route == "prompt" and one.text.strip() == said]
            return [self._echo(event, typed[0], "prompt")] if typed else [event]
        if not isinstance(event, ev.Note) or event.author not in ("hook", "task"):
            return [event]
        usual = "wake" if event.author == "task" else "stop"
        carried = [one for one in self._underway if one.route != "prompt" and one.text in event.text]
        return [event, *(self._echo(event, one, one.route or usual) for one in carried)]

    def _echo(self, event: ev.Note | ev.HumanMessage, question: _Underway, route: str) -> ev.HumanMessage:
        self._underway.remove(question)
        self._arrived[question.text] = _WORDS.get(route, ("delivered", route))
        return ev.HumanMessage(id="", time=event.time, source=event.source, text=question.text)

    def _hooks_told(self) -> list[ev.AnyEvent]:
        events: list[ev.AnyEvent] = []
        for item in self._told.poll():
            if isinstance(item, Restarted):
                continue
            try:
                said = json.loads(item.data)
                what = said["what"]
            except (ValueError, KeyError, TypeError):
                continue  # a line of a hook that was killed
            if what == "delivered":
                for question in self._underway:
                    if question.id == said.get("question"):
                        question.route = str(said.get("by"))
            elif what == "goal_unknown":
                events.append(ev.GoalVerdict(id="", met=None, reason=str(said.get("text"))))
            elif what == "let_go":
                events.append(ev.Note(id="", text=str(said.get("text"))))
        return events

    def _ended(self, now: Running | None) -> str:
        if now is None:
            # A file that is being written, or was lost, is not the end of a process that lives.
            self._unseen += 1
            gone = self._unseen >= _UNSEEN or not alive(self._running.pid)
            return f"The session has ended{self._how_to_go_on()}." if gone else ""
        self._unseen = 0
        if now.session != self._running.session:
            return (
                f"The terminal went on with another session; `kernelseek attach {now.session[:8]}` steers "
                "that one."
            )
        return ""

    def _how_to_go_on(self) -> str:
        if not self._follower.path.exists():
            return ""  # it never had a message: there is nothing to resume
        return f": `claude --resume {self._running.session}` in its folder goes on with it, then attach again"

    def _stands(self, now: Running | None) -> list[ev.Note]:
        """Say what the person has to do elsewhere, as long as it is so; a note of each wait, once."""
        wait = (now.waiting, now.since) if now is not None and now.waiting and not self.over else None
        fresh = wait is not None and wait != self._wait
        self._wait = wait
        asks = f"The client waits at its own dialog ({wait[0]}); answer it in its terminal." if wait else ""
        standing = self.over or asks
        if standing != self.standing:
            self.standing = standing
            self.on_standing()
        return [ev.Note(id="", text=asks)] if fresh else []
