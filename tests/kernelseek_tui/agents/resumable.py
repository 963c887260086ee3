"""A rehearsal in a process that can be killed: `python -m tests.kernelseek_tui.agents.resumable FOLDER …`.

    FOLDER start|resume SESSION [KIND:N]

FOLDER holds what the `workspace` fixture made. The process kills itself once the N-th event of that kind of
this run (from 1) is in the journal. Two questions are asked: one that leads nowhere in mid-turn, and one at
the turn's end. Nothing is judged but by the stand-in.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from bank.bank import Bank
from harness.workspace import Workspace
from kernelseek_tui.agents.protocol import AgentSpec
from kernelseek_tui.agents.rehearsal.agent import RehearsalAgent
from kernelseek_tui.copilot import Copilot
from kernelseek_tui.hindsight import Seer
from kernelseek_tui.questioners.protocol import Ask, Move, Silent
from kernelseek_tui.resume import resume_rehearsal
from kernelseek_tui.steer import LiveSession
from sessions import events as ev
from sessions.journal import Journal
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind
from tests.made_records import made_manifest

ROUTING = "What configs bring the geomean down, and which path do they take?"
NOISE = "Is the timer noise, run to run?"


class AsksTwice:
    name = "twice"

    def decide(
        self, state: SessionState, decision: ev.DecisionPoint, suggestions: Sequence[ev.Suggestion]
    ) -> Move:
        text = ROUTING if decision.decision is DecisionKind.CLAIMED_COMPLETION else NOISE
        asked = any(seen.event.text == text for seen in state.asked)
        return Silent("asked before") if asked else Ask(text, None)


def workspace_in(folder: Path) -> Workspace:
    root = folder / "work"
    return Workspace(root, folder / "home", "toy-1", root / "candidate.cpp", made_manifest())


def opened(folder: Path, how: str, session: str) -> LiveSession:
    workspace = workspace_in(folder)
    tools = folder / "bin"
    environment = {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "CXX": str(tools / "c++"),
        "KERNELSEEK_SESSION": session,
    }
    bank = Bank.load()
    agent = RehearsalAgent(pace=0.03)  # a question that comes late makes another session
    resumed = resume_rehearsal(session, workspace, agent) if how == "resume" else None
    journal = resumed.journal if resumed else Journal.of(session)
    copilot = Copilot(journal, Seer(bank), AsksTwice(), bank.version)
    if resumed:
        agent.go_on_at(resumed.place)
        copilot.restore(resumed.events)
    return LiveSession(
        title=session,
        agent=agent,
        spec=AgentSpec(workspace.root, "Make the attention kernel fast.", environment),
        copilot=copilot,
        judging=None,
        rehearsed=True,
        resumed=resumed is not None,
        waiting=resumed is not None and resumed.place.waiting,
    )


def main() -> None:
    folder, how, session, *kill = sys.argv[1:]
    live = opened(Path(folder), how, session)
    kind, _, number = (kill or [":0"])[0].partition(":")
    seen = 0

    def count(index: int) -> None:
        nonlocal seen
        seen += live.events[index].kind == kind
        if kind and seen == int(number):
            os.kill(os.getpid(), signal.SIGKILL)

    live.subscribe(count)
    asyncio.run(live.run(until_idle=True))


if __name__ == "__main__":
    main()
