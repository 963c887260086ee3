"""An attached session as a live one: history first, then what comes; judged where it works in a workspace."""

from collections.abc import Sequence
from pathlib import Path

from bank.bank import Bank
from bank.effects.pooled import Pooled
from bank.effects.store import cache_path
from bank.ranking import Ranker
from bank.sources import load_banks
from harness.owner.server import OwnerServer
from harness.workspace import Workspace
from kernelseek_tui.agents.protocol import AgentSpec
from kernelseek_tui.attach.agent import AttachedAgent
from kernelseek_tui.attach.attachment import Attachment
from kernelseek_tui.attach.discover import Running
from kernelseek_tui.attach.tmux import Pane
from kernelseek_tui.copilot import Copilot
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.hindsight import Seer
from kernelseek_tui.judging import Judging
from kernelseek_tui.launch import make_questioner
from kernelseek_tui.own_benchmark.declared import find_benchmark
from kernelseek_tui.own_benchmark.watching import Results
from kernelseek_tui.questioners.limits import Limits
from kernelseek_tui.questioners.protocol import Move, Questioner, Silent
from kernelseek_tui.steer import LiveSession, Sent
from sessions import events as ev
from sessions.home import new_session_id
from sessions.journal import Journal
from sessions.recognise import Recognition
from sessions.state import SessionState

_BESIDE = (ev.Note, ev.Usage)
NEVER = "the session was left before the transcript showed it"
ENDED = "the session ended before the transcript showed it"


class SinceAttached:
    """A questioner that asks nothing about moments that were over before we came."""

    def __init__(self, questioner: Questioner) -> None:
        self.name = questioner.name
        self.watching = False
        self._questioner = questioner

    def decide(
        self, state: SessionState, decision: ev.DecisionPoint, suggestions: Sequence[ev.Suggestion]
    ) -> Move:
        """What the questioner says, from the moment we had caught up."""
        if not self.watching:
            return Silent("this was before KernelSeek was attached")
        return self._questioner.decide(state, decision, suggestions)


class AttachedSession(LiveSession):
    """Steers a session that runs without us. `judging` None: it works in no workspace, and nothing is judged.

    Ends with the session, or when it is closed; never because the agent is idle. What was done to the
    person's files stands in `said`.
    """

    def __init__(
        self,
        *,
        title: str,
        agent: AttachedAgent,
        attachment: Attachment,
        copilot: Copilot,
        judging: Judging | None,
        results: Results | None = None,
    ) -> None:
        spec = AgentSpec(workspace=attachment.running.cwd, task="", environment={})
        super().__init__(
            title=title, agent=agent, spec=spec, copilot=copilot, judging=judging, results=results
        )
        self._attached = agent
        self._attachment = attachment
        since = SinceAttached(copilot.questioner)
        copilot.questioner = since
        agent.on_caught_up = lambda: setattr(since, "watching", True)
        agent.on_standing = lambda: self._say("")
        agent.on_waiting = self._waits

    @property
    def verdict(self) -> str:
        """The judge's verdict in words; that a hook could not tell once is not its last word."""
        goal = self.state.goal
        if self.exit_code is None or goal is None or goal.met is not None:
            return super().verdict
        if self.exit_code == ExitCode.OK:
            return "goal met"
        told = next((one.event for one in reversed(self.state.goals) if one.event.met is not None), None)
        if told is None or told.met:
            return "the goal is unknown"
        return f"goal unmet: {'; '.join(told.unmet) or told.reason}"

    @property
    def said(self) -> Sequence[str]:
        """Sentences on what was done to the person's files."""
        return self._attachment.said

    async def run(self, *, until_idle: bool) -> None:
        """Take everything in until the session ends or is left; an idle one is the person's to go on with.

        Raises, besides what every session does, `SettingsError` where our hooks could not be taken out; the
        journal is whole then, too.
        """
        try:
            await super().run(until_idle=False)
        finally:
            self._say("")  # how to go on stays on the screen
            if self._attached.left is not None:
                raise self._attached.left

    async def _listen(self, until_idle: bool) -> str:
        async for event in self._attached.events():
            if isinstance(event, ev.HumanMessage) and self._arrived(event):
                continue
            if isinstance(event, ev.SessionStarted):
                event = self._introduced(event)
            await self._send(self._copilot.take(event))
            self._idle = isinstance(event, ev.TurnEnded) or (self._idle and isinstance(event, _BESIDE))
        for sent in self._outstanding:
            self._receipt(sent.pending, "failed", ENDED if self._attached.over else NEVER)
        self._outstanding.clear()
        return self._attached.over or "The session was left."

    def _say(self, activity: str) -> None:
        """What the judge does; when it does nothing, what the person has to do in the session's terminal."""
        super()._say(activity or self._attached.standing)

    def _waits(self, text: str, detail: str) -> None:
        """A question waits for something else than its receipt said."""
        for sent in self._outstanding:
            if sent.pending.text == text and sent.told and not sent.arrived:
                self._receipt(sent.pending, "queued", detail)
                return

    def _settle(self, sent: Sent) -> None:
        if sent.arrived and sent.receipt is not None:
            self._receipt(sent.pending, *self._attached.arrival(sent.pending.text))
            self._outstanding.remove(sent)
        else:
            super()._settle(sent)


def open_attached(
    running: Running,
    *,
    home: Path,
    client_home: Path,
    workspace: Workspace | None,
    questioner: str,
    goal: bool = True,
    pane: Pane | None = None,
    bank: Bank | None = None,
    limits: Limits | None = None,
    python: str | None = None,
) -> AttachedSession:
    """A session ready to `run` beside `running`, its journal open, its hooks not yet put in.

    `home` is KernelSeek's state folder, `client_home` the client's. `goal`: stops are held against the goal
    of `workspace`. `pane`: prompts may be typed there. Raises `StorageError`, `BankError` and,
    for the file of a benchmark of the project's own, `OwnBenchmarkError`.
    """
    bank = bank or load_banks()
    session = new_session_id()
    own = find_benchmark(running.cwd, home)
    copilot = Copilot(
        Journal.of(session),
        Seer(bank, ranker=Ranker(bank, past=Pooled.load(cache_path()))),
        make_questioner(questioner, bank, 0, limits or Limits()),
        bank.version,
        # What `kernelseek evaluate` prints reaches the session by itself, also of a benchmark of one's own.
        Recognition(judged=workspace is not None or own is not None),
    )
    # Before anything else, so that a copilot that is killed at its start leaves no journal without a line.
    copilot.record(
        ev.Note(
            id="", text=f"Attaching to session {running.session} (process {running.pid}) in {running.cwd}."
        )
    )
    attachment = Attachment(
        running,
        home,
        session,
        goal=goal and workspace is not None,
        workspace=workspace,
        client_home=client_home,
    )
    candidate = None if workspace is None else str(workspace.candidate)
    agent = AttachedAgent(attachment, client_home, pane=pane, candidate=candidate)
    return AttachedSession(
        title=f"{running.cwd.name} {running.session[:8]} (attached)",
        agent=agent,
        attachment=attachment,
        copilot=copilot,
        judging=None
        if workspace is None
        else Judging(workspace, OwnerServer(workspace, session, python=python)),
        results=None if own is None else Results(own),
    )
