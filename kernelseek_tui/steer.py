"""A live session: one agent, one workspace, one journal, and the copilot between them.

Everything that happens goes through `Copilot.take`, so the journal has it before any screen does. The
session owns the workspace: only evaluations it started count, and its verdict rests on nothing else.
"""

import asyncio
import contextlib
import hashlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.candidate import freeze
from harness.errors import JudgeError, RefusedCandidate
from harness.owner import OwnerServer, Served
from harness.owner_files import Ask as EvaluationAsk
from harness.request import Progress
from harness.verdict import VerdictCode, exit_code
from harness.workspace import Workspace
from kernelseek_tui.agents.protocol import (
    Agent,
    AgentError,
    AgentSpec,
    AsksPermission,
    Capabilities,
    PermissionChoice,
    Receipt,
    ShowsPartialText,
)
from kernelseek_tui.copilot import Copilot, Pending
from kernelseek_tui.evaluations import evaluation_event, goal_report, served_events
from kernelseek_tui.hindsight import Moment
from kernelseek_tui.progress import progress_text
from sessions import events as ev
from sessions.state import SessionState

UNATTENDED = "Nobody is here to allow this; go on without it, or ask for `--allow-all` next time."


@dataclass(slots=True)
class _Sent:
    """A question that was handed to the agent: what its client said, and whether the agent has it."""

    pending: Pending
    receipt: Receipt | None = None
    arrived: bool = False
    told: bool = False


class LiveSession:
    """Runs an agent in a workspace; the `Feed` of a live screen.

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
        workspace: Workspace,
        owner: OwnerServer,
        copilot: Copilot,
    ) -> None:
        self.title = title
        self.exit_code: int | None = None
        self.activity = ""
        self.partial = ""
        self._trouble = ""
        self._agent = agent
        self._spec = spec
        self._workspace = workspace
        self._owner = owner
        self._copilot = copilot
        self._outstanding: deque[_Sent] = deque()
        self._served: list[Served] = []
        self._over = asyncio.Event()
        self._paused = False
        self._idle = False
        self._activity_listeners: list[Callable[[], None]] = []
        owner.on_progress = self._progress
        if isinstance(agent, ShowsPartialText):
            agent.on_partial(self._writing)

    # What a screen reads (see `Feed`).

    @property
    def rehearsed(self) -> bool:
        """The agent is a scripted one."""
        return self._owner.rehearsed

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
        if self.exit_code is None:
            return "none, nothing was judged"
        if goal is None:
            return "the goal is unknown"
        return "goal met" if goal.met else f"goal unmet: {'; '.join(goal.unmet) or goal.reason}"

    @property
    def trouble(self) -> str:
        """Why the judge gave no verdict, or made no record when it was last asked; empty where it did."""
        if self._served and self._served[-1].record is None:
            return self._served[-1].error
        return self._trouble

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
            async with self._owner:
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
                    if until_idle or self._served:
                        await self._verdict()
                finally:
                    judging.cancel()
                    await asyncio.gather(judging, return_exceptions=True)
        finally:
            await self._agent.close()
            self._copilot.record(ev.SessionEnded(id="", reason=reason, exit_code=self.exit_code))
            self._copilot.journal.close()

    async def _closed(self) -> None:
        await self._over.wait()

    async def _listen(self, until_idle: bool) -> str:
        """Take the agent's events in until it has ended or, with `until_idle`, waits for nobody.

        Returns why it is over, in a sentence.
        """
        failed = ""
        async for event in self._agent.events():
            if isinstance(event, ev.TurnEnded):
                self._idle = True
                failed = event.detail or "its turn failed" if event.reason == "failed" else ""
            elif not isinstance(event, ev.Note | ev.Usage):
                self._idle = False
            if isinstance(event, ev.HumanMessage) and self._arrived(event):
                continue
            if isinstance(event, ev.SessionStarted):
                versions = {**event.versions, "bank": self._copilot.bank_version}
                event = event.model_copy(
                    update={
                        "questioner": self._copilot.questioner.name,
                        "candidate": str(self._workspace.candidate),
                        "versions": versions,
                    }
                )
            await self._send(self._copilot.take(event))
            if until_idle and isinstance(event, ev.PermissionRequested):
                # Without a screen nobody can be asked, and an agent that waits for ever helps nobody.
                await self._answer(event.request, "deny", UNATTENDED, by="headless")
            if until_idle and isinstance(event, ev.TurnEnded) and not self._outstanding:
                return f"The agent stopped: {failed}" if failed else "The agent has nothing left to do."
        return f"The agent ended: {failed}" if failed else "The agent ended."

    def _arrived(self, message: ev.HumanMessage) -> bool:
        """The agent's echo of a question we sent is its receipt, not another message."""
        for sent in self._outstanding:
            if sent.pending.text == message.text and not sent.arrived:
                sent.arrived = True
                self._settle(sent)
                return True
        return False

    async def _answer(self, request: str, choice: PermissionChoice, message: str, *, by: str) -> None:
        waiting = next((w for w in self.state.open_permissions if w.event.request == request), None)
        if waiting is None or not isinstance(self._agent, AsksPermission):
            return  # answered before, or its turn is over
        answered = ev.PermissionAnswered(
            id="", parent=waiting.event.id, request=request, answer=choice, message=message, by=by
        )
        self._copilot.record(answered)
        await self._agent.answer(request, choice, message)

    async def _send(self, questions: Sequence[Pending]) -> None:
        for pending in questions:
            sent = _Sent(pending)
            self._outstanding.append(sent)
            self._idle = False
            sent.receipt = await self._agent.send(pending.text)
            self._settle(sent)

    def _settle(self, sent: "_Sent") -> None:
        """Write down what is known of a question by now, each thing once.

        `queued` says that it waits, and is followed by `delivered` when it arrives. One that starts a turn of
        its own, or is lost, is done with at once.
        """
        receipt = sent.receipt
        if receipt is None:
            return  # arrived before the client had said how
        if receipt.delivery == "queued" and not sent.arrived:
            self._receipt(sent.pending, "queued", receipt.detail)
        elif receipt.delivery == "queued":
            self._receipt(sent.pending, "delivered", "at a tool boundary")
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
        """Serve the agent's evaluations and take their results in before the agent sees them."""
        await self._adopt()
        async with contextlib.aclosing(self._owner.serve()) as stream:
            async for served in stream:
                await self._take_served(served)

    async def _adopt(self) -> None:
        """Take in what was measured here while nobody owned the workspace.

        Such records are shown and count for nothing; the one of the candidate as it is now is made again.
        """
        pending = self._owner.pending()
        for path, record in pending:
            report = goal_report(self._workspace, record)
            sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
            self._copilot.take(evaluation_event(record, path, sha256, report, counts=False))
        with contextlib.suppress(
            RefusedCandidate
        ):  # then there is nothing to judge, and evaluate will say so
            now = self._workspace.candidate_sha256()
            for _, record in reversed(pending):
                if record.hashes.candidate == now:
                    await self._take_served(await self._owner.adopt(record))
                    return

    async def _take_served(self, served: Served) -> None:
        self._say("")
        self._served.append(served)
        for event in served_events(self._workspace, served):
            await self._send(self._copilot.take(event))

    async def _verdict(self) -> None:
        """What the judge says of the candidate as the agent left it; judged once more if it never was."""
        try:
            goal = self._workspace.goal()
            frozen = freeze(self._workspace.candidate, self._workspace.candidates)
            found = self._newest(frozen.sha256, goal.set, goal.baseline)
            if found is None:
                ask = EvaluationAsk(
                    candidate_sha256=frozen.sha256, scenario_set=goal.set, baseline=goal.baseline
                )
                found = await self._owner.evaluate(ask)
                await self._take_served(found)
            if found.record is None:
                self.exit_code = found.exit_code or VerdictCode.INFRASTRUCTURE
                return
            report = goal_report(self._workspace, found.record)
            self.exit_code = int(exit_code(found.record.status, report.outcome))
        except JudgeError as error:
            self._trouble = str(error)
            self._copilot.record(ev.Note(id="", text=f"No verdict: {error}", author="judge"))
            self.exit_code = error.exit_code

    def _newest(self, sha256: str, scenario_set: str, baseline: str) -> Served | None:
        """The newest record made by this session of that candidate over the goal's whole set.

        Looked up in memory: a file of that name in the records' folder could be anybody's.
        """
        for served in reversed(self._served):
            record = served.record
            if (
                record is not None
                and record.hashes.candidate == sha256
                and (record.scenario_set, record.baseline) == (scenario_set, baseline)
                and record.scenario_glob is None
            ):
                return served
        return None

    def _progress(self, _: str, progress: Progress) -> None:
        self._say(f"judge: {progress_text(progress)}")

    def _writing(self, text: str) -> None:
        self.partial = text
        self._tell()

    def _say(self, activity: str) -> None:
        self.activity = activity
        self._tell()

    def _tell(self) -> None:
        for listener in self._activity_listeners:
            listener()
