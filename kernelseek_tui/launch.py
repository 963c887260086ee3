"""Puts a live session together from names: the one place that knows every questioner and agent."""

from pathlib import Path

from bank.bank import Bank
from bank.params import fill
from harness.owner import OwnerServer
from harness.workspace import Workspace
from kernelseek_tui.agents.protocol import Agent, AgentSpec
from kernelseek_tui.agents.rehearsal import RehearsalAgent
from kernelseek_tui.copilot import Copilot
from kernelseek_tui.hindsight import Seer
from kernelseek_tui.questioners.bank import FromBank
from kernelseek_tui.questioners.human import Human
from kernelseek_tui.questioners.limits import Limits
from kernelseek_tui.questioners.none import Nobody
from kernelseek_tui.questioners.protocol import Questioner
from kernelseek_tui.questioners.random import AtRandom
from kernelseek_tui.steer import LiveSession
from sessions.home import new_session_id
from sessions.journal import Journal

AGENTS = ("rehearsal",)
QUESTIONERS = ("human", "bank", "random", "none")


def make_questioner(name: str, bank: Bank, seed: int, limits: Limits) -> Questioner:
    """The questioner of that name (one of `QUESTIONERS`)."""
    match name:
        case "human":
            return Human()
        case "bank":
            return FromBank(limits)
        case "random":
            return AtRandom([(entry.id, fill(entry.question, {})) for entry in bank.select()], seed, limits)
        case "none":
            return Nobody()
    raise ValueError(f"no questioner {name!r}")


def open_session(
    workspace: Workspace,
    *,
    questioner: str,
    agent: Agent | None = None,
    bank: Bank | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    pace: float = 0.4,
    python: str | None = None,
    cache: Path | None = None,
) -> LiveSession:
    """A session ready to `run` in `workspace`, its journal open and its owner's lock not yet taken.

    `agent` None means the rehearsed one, with `seed` and `pace`. `python` is the interpreter of the
    reference worker. Raises `LockedSession`, `StorageError` and `BankError`.
    """
    bank = bank or Bank.load()
    session = new_session_id()
    journal = Journal.of(session)
    rehearsed = agent is None or agent.name == RehearsalAgent.name
    copilot = Copilot(
        journal,
        Seer(bank),
        make_questioner(questioner, bank, seed, limits or Limits()),
        bank.version,
    )
    spec = AgentSpec(
        workspace=workspace.root,
        task=_task(workspace),
        environment={"KERNELSEEK_SESSION": session, "KERNELSEEK_HOME": str(workspace.home.parents[1])},
        seed=seed,
    )
    return LiveSession(
        title=f"{workspace.operator} {session}",
        agent=agent or RehearsalAgent(pace=pace),
        spec=spec,
        workspace=workspace,
        owner=OwnerServer(workspace, session, rehearsed=rehearsed, python=python, cache=cache),
        copilot=copilot,
    )


def _task(workspace: Workspace) -> str:
    """An agent's first message: short, since TASK.md says the rest."""
    return (
        f"Make {workspace.candidate.name} as fast as you can; TASK.md says what it has to do and how it is "
        "judged. The goal is met when `kernelseek goal check` says so."
    )
