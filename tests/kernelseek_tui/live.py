"""A scripted stand-in for an agent, and a judge that answers as the candidate says."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable

from bank.bank import Bank
from harness.owner.server import OwnerServer
from harness.workspace import Workspace
from kernelseek_tui.agents.protocol import (
    AgentError,
    AgentSpec,
    Capabilities,
    PermissionChoice,
    Priority,
    Receipt,
)
from kernelseek_tui.copilot import Copilot
from kernelseek_tui.hindsight import Seer
from kernelseek_tui.judging import Judging
from kernelseek_tui.questioners.protocol import Questioner
from kernelseek_tui.steer import LiveSession
from sessions import events as ev
from sessions.journal import Journal

JUDGE = """
import hashlib, json, pathlib, sys
request = json.loads(pathlib.Path(sys.argv[2]).read_text())
text = pathlib.Path(request["candidate"]).read_text()
home = pathlib.Path(__file__).parent
record = json.loads((home / ("slow.json" if "slow" in text else "record.json")).read_text())
record["hashes"]["candidate"] = pathlib.Path(request["candidate"]).stem
record["eval_id"] = "20260102T030405000-%08d" % (len(list((home / "home" / "records").iterdir())) + 1)
record.update(owner=request["owner"], rehearsed=request["rehearsed"])
del record["digest"]
whole = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
record["digest"] = hashlib.sha256(whole.encode()).hexdigest()
pathlib.Path(sys.argv[4]).write_text(json.dumps(record))
"""


Step = ev.AnyEvent | Callable[[], None]


class FakeAgent:
    """Plays a list of turns; every message but the first starts the next one."""

    name = "fake"
    capabilities = Capabilities(interrupt=True, pause=True, mid_turn=True)

    def __init__(self, *turns: list[Step], fails: bool = False) -> None:
        self.turns = list(turns)
        self.sent: list[str] = []
        self.calls: list[str] = []
        self.fails = fails
        self.queue: asyncio.Queue[ev.AnyEvent | None] = asyncio.Queue()

    async def start(self, spec: AgentSpec) -> None:
        if self.fails:
            raise AgentError("The agent is not installed.")
        self.queue.put_nowait(ev.SessionStarted(id="f0", session="s", agent_name=self.name))
        await self.send(spec.task)

    async def send(self, text: str, priority: Priority = "next") -> Receipt:
        self.sent.append(text)
        self.queue.put_nowait(ev.HumanMessage(id=f"h{len(self.sent)}", text=text))
        for step in self.turns.pop(0) if self.turns else []:
            if callable(step):
                await asyncio.to_thread(step)
            else:
                self.queue.put_nowait(step)
        self.queue.put_nowait(ev.TurnEnded(id=f"end{len(self.sent)}"))
        return Receipt("own_turn")

    async def interrupt(self) -> None:
        self.calls.append("interrupt")

    async def pause(self) -> None:
        self.calls.append("pause")

    async def resume(self) -> None:
        self.calls.append("resume")

    async def events(self) -> AsyncIterator[ev.AnyEvent]:
        while (event := await self.queue.get()) is not None:
            yield event

    async def close(self) -> None:
        self.calls.append("close")
        self.queue.put_nowait(None)


def session(workspace: Workspace, agent: FakeAgent, questioner: Questioner) -> LiveSession:
    base = workspace.home.parent
    bank = Bank.load()
    return LiveSession(
        title="test",
        agent=agent,
        spec=AgentSpec(workspace.root, "Make it fast.", {}),
        copilot=Copilot(Journal(base / "journal"), Seer(bank), questioner, bank.version),
        judging=Judging(
            workspace, OwnerServer(workspace, "s", judge=(sys.executable, str(base / "judge.py")))
        ),
    )


def text(words: str) -> ev.AgentText:
    return ev.AgentText(id=f"t{abs(hash(words))}", text=words)


def of(session: LiveSession, kind: type[ev.Event]) -> list[ev.AnyEvent]:
    return [event for event in session.events if isinstance(event, kind)]


DONE = text("The optimization is complete and every clause of the goal holds.")


class FakeClient(FakeAgent):
    """Asks before it uses a tool."""

    def __init__(self, *turns: list[Step]) -> None:
        super().__init__(*turns)
        self.answers: list[tuple[str, str, str]] = []

    async def answer(self, request: str, choice: PermissionChoice, message: str = "") -> None:
        self.answers.append((request, choice, message))


WISH = ev.PermissionRequested(
    id="p1", request="r1", tool="Bash", input={"command": "rm -r /usr"}, always="Bash(rm *), in this session"
)
