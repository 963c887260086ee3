"""Puts a live session together from names: the one place that knows every questioner and agent."""

import asyncio
import os
from pathlib import Path

from bank.bank import Bank
from bank.effects.pooled import Pooled
from bank.effects.store import cache_path
from bank.params import fill
from bank.ranking import Ranker
from bank.ranking.exploring import Exploring
from bank.sources import load_banks
from harness.machine import cpu_model
from harness.operators import load_operator
from harness.owner.files import live_owner
from harness.owner.server import OwnerServer
from harness.ready import check_ready
from harness.workspace import StorageError, Workspace
from kernelseek_tui.agents.builtin.agent import BuiltinAgent
from kernelseek_tui.agents.claude.agent import ClaudeAgent
from kernelseek_tui.agents.earlier import earlier_clients
from kernelseek_tui.agents.protocol import Agent, AgentSpec, ChecksFirst
from kernelseek_tui.agents.rehearsal.agent import RehearsalAgent
from kernelseek_tui.agents.rehearsal.model import is_rehearsed
from kernelseek_tui.copilot import Copilot
from kernelseek_tui.hindsight import Seer
from kernelseek_tui.judging import Judging
from kernelseek_tui.own_benchmark.declared import find_benchmark
from kernelseek_tui.own_benchmark.watching import Results
from kernelseek_tui.questioners.bank import FromBank
from kernelseek_tui.questioners.human import Human
from kernelseek_tui.questioners.itself import ItSelf
from kernelseek_tui.questioners.limits import Limits
from kernelseek_tui.questioners.none import Nobody
from kernelseek_tui.questioners.protocol import Questioner
from kernelseek_tui.questioners.random import AtRandom
from kernelseek_tui.resume import resume_rehearsal
from kernelseek_tui.steer import LiveSession
from sessions.home import new_session_id
from sessions.journal import Journal
from sessions.recognise import Recognition

AGENTS = ("claude", "builtin", "rehearsal")
QUESTIONERS = ("human", "bank", "self", "random", "none")


def make_questioner(
    name: str, bank: Bank, seed: int, limits: Limits, exploring: Exploring | None = None
) -> Questioner:
    """The questioner of that name (one of `QUESTIONERS`); only `bank` explores."""
    match name:
        case "human":
            return Human()
        case "bank":
            return FromBank(limits, exploring)
        case "self":
            return ItSelf(bank, limits)
        case "random":
            return AtRandom(
                [(entry.id, fill(entry.question, {})) for entry in bank.select() if entry.core], seed, limits
            )
        case "none":
            return Nobody()
    raise ValueError(f"no questioner {name!r}")


def make_agent(
    name: str,
    *,
    pace: float = 0.4,
    spend_ceiling: float | None = None,
    claude: Path | None = None,
    candidate: Path | None = None,
) -> Agent:
    """The agent of that name (one of `AGENTS`); `spend_ceiling` in dollars, `pace` of the rehearsed one.

    `claude` is the binary of Claude Code (None: `KERNELSEEK_CLAUDE`, then PATH); edits of `candidate` count.
    """
    match name:
        case "claude":
            return ClaudeAgent(
                claude,
                spend_ceiling_usd=spend_ceiling,
                candidate=candidate,
                goal_hook=True,
                rehearsed=is_rehearsed(os.environ),
            )
        case "builtin":
            return BuiltinAgent(dollars=spend_ceiling, rehearsed=is_rehearsed(os.environ))
        case "rehearsal":
            return RehearsalAgent(pace=pace)
    raise ValueError(f"no agent {name!r}")


def check_agent(agent: Agent, workspace: Workspace, *, allow_all: bool = False) -> None:
    """Look whether the agent could be started, before there is a session. Raises `AgentError`.

    Not within a running loop.
    """
    if isinstance(agent, ChecksFirst):
        spec = AgentSpec(workspace.root, _task(workspace), {}, ask_permission=not allow_all)
        asyncio.run(agent.check(spec))


def open_session(
    workspace: Workspace,
    *,
    questioner: str,
    agent: Agent | None = None,
    bank: Bank | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    pace: float = 0.4,
    model: str | None = None,
    allow_all: bool = False,
    resume: str | None = None,
    fork: bool = False,
    python: str | None = None,
    cache: Path | None = None,
    explore: float = 0.0,
) -> LiveSession:
    """A session ready to `run` in `workspace`, its journal open and its owner's lock not yet taken.

    `agent` None means the rehearsed one, with `seed` and `pace`. `model` is for agents that have one;
    `allow_all` lets the agent use its tools unasked; `resume` is the client's id of a session to go on with
    (of a rehearsal ours: its journal goes on), `fork` makes that a copy. `python` is the interpreter of the
    reference worker. `explore`: how often the `bank` asks a drawn question instead of the first; above 0 the
    last place of each list is drawn. Raises `JudgeError` where no judge could work or another session owns
    the workspace, `SessionError` for the journal and `BankError`.
    """
    check_ready(load_operator(workspace.operator), python, cache)
    if owner := live_owner(workspace.owner_lock):
        raise StorageError(
            f"The workspace {workspace.root} is owned by the session {owner.session} (process {owner.pid}); "
            "end that one first."
        )
    if earlier := earlier_clients(workspace.root):
        pids = " ".join(str(one.pid) for one in earlier)
        raise StorageError(
            f"An agent of the earlier session {earlier[0].session} still works in {workspace.root}, although "
            f"that session has ended; end its processes first: kill {pids}"
        )
    bank = bank or load_banks()
    agent = agent or RehearsalAgent(pace=pace)
    scripted = agent.name == RehearsalAgent.name
    resumed = None
    if resume is not None and isinstance(agent, RehearsalAgent):
        resumed = resume_rehearsal(resume, workspace, agent)
        session, journal, seed = resume, resumed.journal, resumed.seed
        agent.go_on_at(resumed.place)
    else:
        session = new_session_id()
        journal = Journal.of(session)
    rehearsed = scripted or is_rehearsed(os.environ)
    exploring = Exploring(explore, seed) if explore > 0 else None
    copilot = Copilot(
        journal,
        Seer(bank, ranker=Ranker(bank, {"arch": cpu_model()}, Pooled.load(cache_path()), exploring)),
        make_questioner(questioner, bank, seed, limits or Limits(), exploring),
        bank.version,
        Recognition(judged=True),
    )
    if resumed is not None:
        copilot.restore(resumed.events)
    own = find_benchmark(workspace.root, workspace.home.parents[1])
    spec = AgentSpec(
        workspace=workspace.root,
        task=_task(workspace),
        environment={"KERNELSEEK_SESSION": session, "KERNELSEEK_HOME": str(workspace.home.parents[1])},
        seed=seed,
        model=model,
        ask_permission=not allow_all,
        resume=resume,
        fork=fork,
    )
    return LiveSession(
        title=f"{workspace.operator} {session}",
        agent=agent,
        spec=spec,
        copilot=copilot,
        judging=Judging(
            workspace, OwnerServer(workspace, session, rehearsed=rehearsed, python=python, cache=cache)
        ),
        results=None if own is None else Results(own),
        rehearsed=rehearsed,
        resumed=resumed is not None,
        waiting=resumed is not None and resumed.place.waiting,
    )


def _task(workspace: Workspace) -> str:
    """An agent's first message: short, since TASK.md says the rest."""
    return (
        f"Make {workspace.candidate.name} as fast as you can; TASK.md says what it has to do and how it is "
        "judged. The goal is met when `kernelseek goal check` says so."
    )
