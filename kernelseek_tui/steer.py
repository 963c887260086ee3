"""A live session: one agent, one workspace, one journal, and the copilot between them.

Everything that happens goes through `Copilot.take`, so the journal has it before any screen does. The
session owns the workspace: only evaluations it started count, and its verdict rests on nothing else.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bank.bank import Bank
from kernelseek_tui.agents.protocol import (
    Agent,
    AgentError,
    AgentSpec,
    AsksPermission,
    Capabilities,
    HoldsToGoal,
    PermissionChoice,
    Receipt,
    ShowsPartialText,
    TellsOutage,
)
from kernelseek_tui.copilot import Copilot, Pending
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.hindsight import Moment
from kernelseek_tui.hooks.standing import standing
from kernelseek_tui.judging import Judging
from kernelseek_tui.own_benchmark.watching import Results
from kernelseek_tui.sending_back import AUTHOR, SendingBack
from kernelseek_tui.unattended import may
from sessions import events as ev
from sessions.errors import StorageError
from sessions.state import SessionState

UNATTENDED = (
    "Nobody is here to allow this. Unattended you may read and edit the workspace's files, run `kernelseek`, "
    "and build and run programs there, one plain command a line; go on within that."
)


@dataclass(slots=True)
class Sent:
    """A question that was handed to the agent: what its client said, and whether the agent has it."""

    pending: Pending
    receipt: Receipt | None = None
    arrived: bool = False
    mid_turn: bool = False
    told: bool = False


class LiveSession:
    """Runs an agent in a workspace; the `Feed` of a live screen.

    `resumed`: the copilot holds an earlier run of it, and the agent goes on; `waiting`: for a message.

    `failure` is why the agent's last turn failed, in a sentence; empty where it did not.

    Call `run` once. With `until_idle` it returns when the agent has given the word back and no question is
    under way; otherwise it goes on until `close`. After it, `exit_code` is the judge's verdict.
    """

    live = True

    def __init__(
        self,
        *,
        title: str,
        agent: Agent,
        spec: AgentSpec,
        copilot: Copilot,
        judging: Judging | None,
        results: Results | None = None,
        rehearsed: bool = False,
        resumed: bool = False,
        waiting: bool = False,
    ) -> None:
        self.title = title
        self.exit_code: int | None = None
        self.activity = ""
        self.failure = ""
        self.partial = ""
        self._agent = agent
        self._spec = spec
        self._copilot = copilot
        self._judging = judging
        self._results = results
        self._rehearsed = rehearsed
        self._resumed = resumed
        self._outstanding: deque[Sent] = deque()
        self._over = asyncio.Event()
        self._paused = False
        self._denied = 0
        self._idle = waiting
        self._activity_listeners: list[Callable[[], None]] = []
        self._back: SendingBack | None = None
        if judging is not None:
            judging.on_progress(self._say)
            if isinstance(agent, HoldsToGoal):
                self._back = SendingBack(partial(standing, judging.workspace))
        if isinstance(agent, ShowsPartialText):
            agent.on_partial(self._writing)

    # What a screen reads (see `Feed`).

    @property
    def rehearsed(self) -> bool:
        """The agent is a scripted one."""
        return self._rehearsed

    @property
    def capabilities(self) -> Capabilities:
        """What the agent can do."""
        return self._agent.capabilities

    @property
    def events(self) -> Sequence[ev.AnyEvent]:
        """All events so far."""
        return self._copilot.events

    @property
    def state(self) -> SessionState:
        """The state folded over `events`."""
        return self._copilot.state

    @property
    def bank(self) -> Bank:
        """The bank it ranks with."""
        return self._copilot.seer.bank

    @property
    def moments(self) -> Sequence[Moment]:
        """Decision points with their suggestions."""
        return self._copilot.moments

    @property
    def journal_path(self) -> Path:
        """Where the journal is."""
        return self._copilot.journal.path

    @property
    def verdict(self) -> str:
        """The judge's verdict in words, once `run` is over."""
        goal = self.state.goal
        if outage := self._outage():
            return f"none, nothing was judged: {outage.rstrip('.')}"
        if self.exit_code is None:
            return "none, nothing was judged"
        if goal is None:
            return "the goal is unknown"
        return "goal met" if goal.met else f"goal unmet: {'; '.join(goal.unmet) or goal.reason}"

    @property
    def trouble(self) -> str:
        """Why the judge made no record when it was last asked, or gave no verdict; empty where it did."""
        return self._judging.trouble if self._judging else ""

    @property
    def judged(self) -> bool:
        """The session works in a workspace, so that the judge can make evaluations."""
        return self._judging is not None

    @property
    def paused(self) -> bool:
        """The agent is held."""
        return self._paused

    def subscribe(self, listener: Callable[[int], None]) -> None:
        """Call `listener(index)` for every event from now on."""
        self._copilot.listeners.append(listener)

    def on_activity(self, listener: Callable[[], None]) -> None:
        """Call `listener()` when `activity` (what the judge does, in a line) or `partial` (what the agent is
        writing) changes."""
        self._activity_listeners.append(listener)

    # What a screen does.

    async def ask(self, text: str, entry: str | None, decision: str | None, edited: bool) -> None:
        """Send a person's question or message."""
        pending = self._copilot.ask(text, entry=entry, decision=decision, by="human", edited=edited)
        await self._send([pending])

    async def answer(self, request: str, choice: PermissionChoice, message: str) -> None:
        """Answer what the agent's client asks."""
        await self._answer(request, choice, message, by="human")

    async def dismiss(self, decision: str, entry: str | None, reason: str) -> None:
        """Put a suggestion or a decision point aside."""
        self._copilot.record(ev.SuggestionDismissed(id="", parent=decision, entry=entry, reason=reason))

    async def interrupt(self) -> None:
        """Stop the agent's current turn. Raises `AgentError` where there is none."""
        if self._idle:
            raise AgentError("Nothing is running: the agent waits for a message.")
        self._copilot.record(ev.Note(id="", text="Interrupted from the screen.", author="human"))
        await self._agent.interrupt()

    async def pause(self) -> None:
        """Hold the agent before its next step."""
        self._paused = True
        self._copilot.record(ev.Note(id="", text="Paused.", author="human"))
        await self._agent.pause()

    async def resume(self) -> None:
        """Let it go on."""
        self._paused = False
        self._copilot.record(ev.Note(id="", text="Resumed.", author="human"))
        await self._agent.resume()

    async def close(self) -> None:
        """End the session in order."""
        self._over.set()

    # The run.

    async def run(self, *, until_idle: bool) -> None:
        """Start the agent and take everything in until it is over. Raises `AgentError`, `StorageError`."""
        reason = "The session was interrupted."
        try:
            async with self._judging or contextlib.nullcontext():
                # Started before the agent: its first evaluation may come at once.
                judging = asyncio.create_task(self._judge())
                try:
                    await self._agent.start(self._spec)
                    listening = asyncio.create_task(self._listen(until_idle))
                    closing = asyncio.create_task(self._closed())
                    done, _ = await asyncio.wait(
                        {judging, listening, closing}, return_when=asyncio.FIRST_COMPLETED
                    )
                    for task in (judging, closing):
                        if task in done:
                            task.result()  # raises what it raised
                    reason = listening.result() if listening in done else "The session was closed."
                    await self._agent.close()
                    with contextlib.suppress(asyncio.CancelledError):
                        closing.cancel()
                        await asyncio.gather(listening, closing, return_exceptions=True)
                    if until_idle:
                        self._tell_denied()
                    if until_idle and self._outage():
                        self.exit_code = ExitCode.INFRASTRUCTURE
                    elif self._judging is not None and (until_idle or self._judging.asked):
                        self.exit_code = await self._judging.verdict(self._take)
                finally:
                    judging.cancel()
                    await asyncio.gather(judging, return_exceptions=True)
        except (AgentError, StorageError) as error:
            reason = str(error)
            raise
        finally:
            try:
                await self._agent.close()
                for sent in self._outstanding:
                    self._receipt(sent.pending, "failed", "the session ended before the agent had read it")
            finally:
                try:
                    self._copilot.record(ev.SessionEnded(id="", reason=reason, exit_code=self.exit_code))
                finally:  # also where the disk is full
                    self._copilot.journal.close()

    async def _closed(self) -> None:
        await self._over.wait()

    async def _listen(self, until_idle: bool) -> str:
        """Take the agent's events in until it has ended or, with `until_idle`, waits for nobody.

        Returns why it is over, in a sentence.
        """
        async for event in self._agent.events():
            if isinstance(event, ev.TurnEnded):
                self._idle = True
                failed = event.reason == "failed"
                self.failure = event.detail or "its turn failed" if failed else ""
            elif not isinstance(event, ev.Note | ev.Usage | ev.SessionStarted):
                self._idle = False
            if isinstance(event, ev.HumanMessage) and self._arrived(event):
                continue
            if isinstance(event, ev.SessionStarted):
                event = self._introduced(event)
            unheld = self._unheld(event)
            asked = self._copilot.take(event)
            await self._send(asked)
            if unheld and not asked:  # what was asked begins another turn, which ends again
                await self._send_back(unheld)
            if self._resumed and isinstance(event, ev.SessionStarted):
                await self._send(self._copilot.catch_up())
                if until_idle and self._idle and not self._outstanding:
                    return "The agent has nothing left to do."
            if until_idle and isinstance(event, ev.PermissionRequested):
                await self._answer_unattended(event)
            if until_idle and isinstance(event, ev.TurnEnded) and not self._outstanding:
                return (
                    f"The agent stopped: {self.failure}"
                    if self.failure
                    else "The agent has nothing left to do."
                )
        return f"The agent ended: {self.failure}" if self.failure else "The agent ended."

    async def _answer_unattended(self, asked: ev.PermissionRequested) -> None:
        """Without a screen nobody can be asked, and an agent that waits for ever helps nobody."""
        if may(asked.tool, asked.input, self._spec.workspace):
            await self._answer(asked.request, "allow", "", by="headless")
            return
        await self._answer(asked.request, "deny", UNATTENDED, by="headless")
        self._denied += 1

    def _unheld(self, event: ev.AnyEvent) -> str:
        """Why the agent's client did not hold this stop to the goal; empty where it did, or for no stop."""
        if self._back is None or not isinstance(self._agent, HoldsToGoal):
            return ""
        self._back.see(event)
        return self._agent.unheld(event) if isinstance(event, ev.TurnEnded) else ""

    async def _send_back(self, unheld: str) -> None:
        """Send the agent back to an unmet goal by a message."""
        assert self._back
        verdict = await asyncio.to_thread(self._back.stopped, unheld)
        for event in verdict.events:
            self._copilot.record(event)
        if verdict.message:
            pending = self._copilot.ask(verdict.message, entry=None, decision=None, by=AUTHOR)
            await self._send([pending])

    def _outage(self) -> str:
        """Why the agent could not work, where it never did: no tool call of its own succeeded."""
        if not isinstance(self._agent, TellsOutage) or (self._judging and self._judging.asked):
            return ""
        worked = any(isinstance(event, ev.ToolResult) and not event.is_error for event in self.events)
        return "" if worked else self._agent.outage

    def _tell_denied(self) -> None:
        if self._denied:
            uses = "tool use was" if self._denied == 1 else "tool uses were"
            text = (
                f"{self._denied} {uses} denied, since nobody was there to allow them; --allow-all allows all."
            )
            self._copilot.record(ev.Note(id="", text=text))

    def _introduced(self, event: ev.SessionStarted) -> ev.SessionStarted:
        """The agent's own introduction, with what only we know."""
        return event.model_copy(
            update={
                "questioner": self._copilot.questioner.name,
                "candidate": str(self._judging.workspace.candidate) if self._judging else None,
                "versions": {**event.versions, "bank": self._copilot.bank_version},
            }
        )

    def _arrived(self, message: ev.HumanMessage) -> bool:
        """The agent's echo of a question we sent is its receipt, not another message."""
        for sent in self._outstanding:
            if sent.pending.text == message.text and not sent.arrived:
                sent.arrived, sent.mid_turn = True, message.mid_turn
                self._settle(sent)
                return True
        return False

    async def _answer(self, request: str, choice: PermissionChoice, message: str, *, by: str) -> None:
        waiting = next((w for w in self.state.open_permissions if w.event.request == request), None)
        if waiting is None or not isinstance(self._agent, AsksPermission):
            return  # answered before, or its turn is over
        granted = waiting.event.always if choice == "always" else ""
        answered = ev.PermissionAnswered(
            id="", parent=waiting.event.id, request=request, answer=choice, message=granted or message, by=by
        )
        self._copilot.record(answered)
        await self._agent.answer(request, choice, message)

    async def _send(self, questions: Sequence[Pending]) -> None:
        for pending in questions:
            sent = Sent(pending)
            self._outstanding.append(sent)
            self._idle = False
            sent.receipt = await self._agent.send(pending.text)
            self._settle(sent)

    def _settle(self, sent: Sent) -> None:
        """Write down what is known of a question by now, each thing once.

        `queued` says that it waits, and is followed by `delivered` when it arrives at a tool boundary, or by
        `own_turn` when it began a turn. One that begins one at once, or is lost, is done with at once.
        """
        receipt = sent.receipt
        if receipt is None:
            return  # arrived before the client had said how
        if receipt.delivery == "queued" and not sent.arrived:
            self._receipt(sent.pending, "queued", receipt.detail)
        elif receipt.delivery == "queued" and sent.mid_turn:
            self._receipt(sent.pending, "delivered", "at a tool boundary")
        elif receipt.delivery == "queued":
            self._receipt(sent.pending, "own_turn", "it waited for the turn to end")
        elif not sent.told:
            self._receipt(sent.pending, receipt.delivery, receipt.detail)
        sent.told = True
        if sent.arrived or receipt.delivery == "failed":
            self._outstanding.remove(sent)

    def _receipt(self, pending: Pending, word: str, detail: str) -> None:
        self._copilot.record(
            ev.QuestionReceipt.model_validate(
                {"id": "", "parent": pending.question, "receipt": word, "detail": detail}
            )
        )

    async def _judge(self) -> None:
        """Serve the agent's evaluations, and take in what a benchmark of the project's own says.

        Without a workspace nothing is ever judged.
        """
        sources = [one.serve(self._take) for one in (self._judging, self._results) if one is not None]
        if sources:
            await asyncio.gather(*sources)
        else:
            await asyncio.Event().wait()

    async def _take(self, event: ev.AnyEvent) -> None:
        if isinstance(event, ev.GapClassified) and self._has(event):
            return  # a session that goes on has it in its journal
        self._say("")
        await self._send(self._copilot.take(event))

    def _has(self, gap: ev.GapClassified) -> bool:
        said = (gap.time, gap.scenarios, gap.gap, gap.measured)
        known = (seen.event for seen in self.state.classified)
        return any((one.time, one.scenarios, one.gap, one.measured) == said for one in known)

    def _writing(self, text: str) -> None:
        self.partial = text
        self._tell()

    def _say(self, activity: str) -> None:
        self.activity = activity
        self._tell()

    def _tell(self) -> None:
        for listener in self._activity_listeners:
            listener()
