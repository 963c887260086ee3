"""A session that somebody else runs, as an agent: its transcript for events, its hooks for messages."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from kernelseek_tui.agents.protocol import AgentError, AgentSpec, Capabilities, Priority, Receipt
from kernelseek_tui.attach.attachment import Attachment
from kernelseek_tui.attach.discover import AttachError, Running, alive, look_again, transcript_of
from kernelseek_tui.attach.follow import POLL, Follower
from kernelseek_tui.attach.merge import Tag
from kernelseek_tui.attach.tmux import Pane, typeable
from kernelseek_tui.attach.underway import UNHEARD, WORDS, Arrival, Underway, waits_for
from kernelseek_tui.attach.watch import BACK, SILENT, UNHELD, UNKNOWN, SettingsWatch, TurnWatch
from kernelseek_tui.hooks.mailbox import MAX_QUESTION, Question, is_locked, length
from sessions import events as ev
from sessions.tail import Restarted, Tail

_LOOK = 1.0
"""Seconds between two looks at what the client says about its process."""

_UNSEEN = 3
"""Looks in a row without a word of the client's about its living process, after which it counts as ended."""

_BREATH = 100


class AttachedAgent:
    """An `Agent` whose process is not ours: `close` lets go of it and leaves it running.

    `events` gives the whole transcript so far, calls `on_caught_up`, and goes on with what comes; it ends
    with the session, and `over` then says why. `pane` is where prompts may be typed, None where that is not
    allowed or not possible. `standing` is one line on what the person has to do, or nothing; `on_standing` is
    called when it changes. `on_waiting(text, detail)` is called when a message waits for something else than
    its receipt said.
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
        self.on_waiting: Callable[[str, str], None] = lambda _text, _detail: None
        self._attachment = attachment
        self._client_home = client_home
        self._pane = pane
        self._running = attachment.running
        self._follower = Follower(transcript_of(client_home, attachment.running), candidate)
        self._told = Tail(attachment.box.told)
        tag = Tag(attachment.box.folder.parents[1], attachment.running.session)
        self._settings = SettingsWatch(attachment.running.cwd, client_home, tag)
        self._turns = TurnWatch()
        self._since = datetime.now(UTC)
        self._trouble = ""
        self._silent = False
        self._underway: list[Underway] = []
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
        self._since = datetime.now(UTC)

    async def send(self, text: str, priority: Priority = "next") -> Receipt:
        """Let a message wait for the next hook, or type it where the session waits for a prompt."""
        question = Underway(f"q-{uuid.uuid4().hex[:12]}", text)
        if (size := length(text)) > MAX_QUESTION:
            return Receipt(
                "failed", f"it has {size:,} characters, and a hook carries {MAX_QUESTION:,} at most"
            )
        now = look_again(self._client_home, self._running.pid)
        if now is None and not alive(self._running.pid):
            return Receipt("failed", "the session has ended")
        if self._pane is not None and await self._typed(question, self._pane):
            return Receipt("queued", WORDS["prompt"][1])
        try:
            self._attachment.box.put(Question(question.id, text))
        except OSError as error:
            return Receipt("failed", f"it could not be put where the hooks look ({error.strerror})")
        self._underway.append(question)
        question.waits = self._waits_for(question, now)
        return Receipt("queued", question.waits)

    async def _typed(self, question: Underway, pane: Pane) -> bool:
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

    def _waits_for(self, question: Underway, now: Running | None) -> str:
        if self._trouble or self._silent:
            return UNHEARD
        return waits_for(question.text, now, woken=lambda: is_locked(self._attachment.box.waiter))

    def _waits_anew(self, now: Running | None) -> None:
        """Say of each message that waits when that is for something else than was said of it.

        Only what two looks in a row see is said: between the end of one wait and a hook's word that it took
        the message there are moments that are over before anybody has read of them.
        """
        for question in [] if now is None or self.over or self._closed else self._underway:
            if question.route:
                continue
            waits = self._waits_for(question, now)
            if waits != question.waits and waits == question.next_wait:
                question.waits = waits
                self.on_waiting(question.text, waits)
            question.next_wait = waits

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
        history = await asyncio.to_thread(self._follower.history)
        for event in self._hooks_told():
            yield event
        for number, event in enumerate(history):
            yield event
            if event.time is not None and event.time >= self._since:
                for more in self._held(event):
                    yield more
            if number % _BREATH == 0:
                await asyncio.sleep(0)  # a long history must not hold the screen up
        self.on_caught_up()
        looked = monotonic() - _LOOK
        while True:
            leaving = self._closed  # one more look after it: what came before we left
            came = self._follower.poll()
            for event in self._hooks_told():  # after the look: what a hook did is told before it is written
                yield event
            for event in came:
                for known in self._recognised(event):
                    yield known
                for more in self._held(event):
                    yield more
            if self.over or leaving:
                return
            if monotonic() - looked >= _LOOK:
                looked = monotonic()
                self._follower.move(transcript_of(self._client_home, self._running))
                now = look_again(self._client_home, self._running.pid)
                self.over = self._ended(now)  # and once more round: what was written before it ended
                for note in self._stands(now):
                    yield note
                self._waits_anew(now)
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

    def _echo(self, event: ev.Note | ev.HumanMessage, question: Underway, route: str) -> ev.HumanMessage:
        self._underway.remove(question)
        self._arrived[question.text] = WORDS.get(route, ("delivered", route))
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
            if what in ("delivered", "stopped"):
                self._silent = False  # the client runs them
            if what == "stopped":
                self._turns.stopped(float(said.get("time") or 0), said.get("refused") is True)
            elif what == "delivered":
                for question in self._underway:
                    if question.id == said.get("question"):
                        question.route = str(said.get("by"))
            elif what == "goal_unknown":
                events.append(ev.GoalVerdict(id="", met=None, reason=str(said.get("text"))))
            elif what == "let_go":
                events.append(ev.Note(id="", text=str(said.get("text"))))
        return events

    def _held(self, event: ev.AnyEvent) -> list[ev.AnyEvent]:
        """What to say of a turn that ended without our stop hook having let it."""
        if self._closed or not isinstance(event, ev.TurnEnded) or event.agent is not None:
            return []
        if event.reason == "interrupted":
            self._turns.broken_off()
            return []
        why = self._turns.ended(event.time)
        if not why:
            return []
        self._silent = self._silent or why == UNHELD
        found: list[ev.AnyEvent] = [ev.Note(id="", text=why)]
        if self._attachment.goal:
            found.append(ev.GoalVerdict(id="", met=None, reason=f"Goal unknown: {UNKNOWN[why]}."))
        return found

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
        if self._closed:
            return []  # what we took out ourselves is not missing
        trouble = "" if self.over else self._settings.look()
        lost = bool(trouble) and trouble != self._trouble
        back = bool(self._trouble) and not trouble and not self.over
        self._trouble = trouble
        standing = self.over or trouble or asks or (SILENT if self._silent else "")
        if standing != self.standing:
            self.standing = standing
            self.on_standing()
        notes = [asks] if fresh else []
        notes += [trouble] if lost else []
        notes += [BACK] if back else []
        return [ev.Note(id="", text=text) for text in notes]
