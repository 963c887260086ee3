"""A stage for rehearsals: the real start, and a judge and a compiler that answer at once from canned text."""

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

import kernels.attention
from kernelseek_tui.agents.builtin.agent import BuiltinAgent
from kernelseek_tui.agents.protocol import AgentSpec
from kernelseek_tui.agents.rehearsal.agent import RehearsalAgent
from kernelseek_tui.agents.rehearsal.script import DEFAULT, load_script
from sessions import events as ev
from tests.kernelseek_tui.agents.built import KEY, Built, Near
from tests.kernelseek_tui.agents.messages_server import MessagesServer

START = Path(kernels.attention.__file__).with_name("start.cpp")
EDITS = load_script(DEFAULT).replacements
# The line of each loss that its fix takes away.
LOSSES = {
    f"@{name.upper()}@": max(EDITS[f"fix_{name}"][-1].old.strip().splitlines(), key=len)
    for name in ("host", "routing")
}
PATIENCE = 20.0  # a hang guard, not a measurement

JUDGE = """#!/bin/bash
[ -e slow ] && { echo started > running; sleep 60 & wait; }
host=0; routing=0
grep -qF '@HOST@' candidate.cpp || host=1
grep -qF '@ROUTING@' candidate.cpp || routing=1
case $host$routing in
  00) mean=1.001;; 10) mean=2.113;; 01) mean=1.742;; 11) mean=5.208;;
esac
if [ "$1" = goal ]; then
  [ $host$routing = 11 ] && { echo "GOAL met (exit 0): every clause holds"; exit 0; }
  echo "unmet faster: 2 of 4 not above 1.8x"
  echo "GOAL unmet (exit 10): faster"
  exit 10
fi
echo "set demo: geomean ${mean}x (0.9..9.9) FASTER over start; 4/4 correct; 1.0 s"
[ $host$routing = 11 ] && { echo "VERDICT goal met (exit 0): all"; exit 0; }
echo "unmet faster: 2 of 4 not above 1.8x"
echo "VERDICT goal unmet (exit 10): faster"
exit 10
"""
COMPILER = """#!/bin/bash
case "$*" in
  *-S*) echo 'vfmadd231ps %ymm0' > candidate.s;;
  *) cat > probe <<'END'
#!/bin/bash
if [ "$1" = rates ]; then echo "whole: 0.091 ns a multiply-add"; echo "window: 0.803 ns a multiply-add"
else echo "mha: 8496 us a call, 6935 us with one query and one key (82 %)"; fi
END
  chmod +x probe;;
esac
"""


class Stage:
    """A workspace and a running rehearsal in it; `events` grows as they come."""

    def __init__(self, folder: Path, agent: RehearsalAgent) -> None:
        self.folder = folder
        self.agent = agent
        self.events: list[ev.AnyEvent] = []
        self._news = asyncio.Condition()
        self._reading: asyncio.Task[None] | None = None

    async def start(self, seed: int, **environment: str) -> None:
        tools = self.folder.parent / "bin"
        own = {
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "CXX": str(tools / "c++"),
            "KERNELSEEK_SESSION": "s1",
            **environment,
        }
        await self.agent.start(
            AgentSpec(self.folder, "Make the attention kernel fast on the host.", own, seed)
        )
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for event in self.agent.events():
            async with self._news:
                self.events.append(event)
                self._news.notify_all()
        async with self._news:
            self._news.notify_all()

    async def until(self, happened: Callable[[list[ev.AnyEvent]], bool]) -> None:
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: happened(self.events))

    async def until_turns(self, count: int) -> None:
        await self.until(lambda events: sum(isinstance(e, ev.TurnEnded) for e in events) >= count)

    async def until_running(self) -> None:
        """A command of the judge is running (the file `slow` is there)."""
        async with asyncio.timeout(PATIENCE):
            while not ((self.folder / "running").exists() and self.agent._groups):  # another process makes it
                await asyncio.sleep(0.01)

    async def until_gone(self, group: int) -> None:
        """No process of the group lives (zombies that nobody reaps do not)."""
        async with asyncio.timeout(PATIENCE):
            while any(words[1][0] != "Z" for words in _processes() if int(words[0]) == group):
                await asyncio.sleep(0.01)

    async def end(self) -> None:
        await self.agent.close()
        if self._reading:
            async with asyncio.timeout(PATIENCE):
                await self._reading

    @property
    def texts(self) -> str:
        return "\n".join(event.text for event in self.events if isinstance(event, ev.AgentText))

    @property
    def commands(self) -> list[str]:
        calls = (event for event in self.events if isinstance(event, ev.ToolCall) and event.tool == "Bash")
        return [str(call.input["command"]) for call in calls]

    @property
    def candidate(self) -> str:
        return (self.folder / "candidate.cpp").read_text()

    @property
    def fixed(self) -> tuple[bool, bool]:
        """Whether the host loss and the routing loss are gone."""
        text = self.candidate
        return LOSSES["@HOST@"] not in text, LOSSES["@ROUTING@"] not in text


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder, tools = tmp_path / "work", tmp_path / "bin"
    folder.mkdir()
    tools.mkdir()
    (folder / "candidate.cpp").write_bytes(START.read_bytes())
    (folder / "TASK.md").write_text("# Make attention fast\n")
    judge = JUDGE
    for mark, line in LOSSES.items():
        judge = judge.replace(mark, line)
    for name, text in (("kernelseek", judge), ("c++", COMPILER)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    return folder


Opener = Callable[..., Awaitable[Stage]]


@pytest.fixture
async def stage(workspace: Path) -> AsyncIterator[Opener]:
    opened: list[Stage] = []

    async def start(seed: int = 0, script: Path | None = None, **environment: str) -> Stage:
        one = Stage(workspace, RehearsalAgent(script, pace=0))
        opened.append(one)
        await one.start(seed, **environment)
        return one

    yield start
    for one in opened:
        await one.end()


def _processes() -> list[list[str]]:
    listing = subprocess.run(["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=True)
    return [line.split() for line in listing.stdout.splitlines()]


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, MessagesServer]]:
    """A small workspace, and a scripted server that the environment points to."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "candidate.cpp").write_text("a slow kernel\n")
    (folder / "notes.txt").write_text("one\ntwo\n")
    server = MessagesServer()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield folder, server
    server.close()


@pytest.fixture
async def built(served: tuple[Path, MessagesServer], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Built]:
    """The built-in agent with its client in this process."""
    agent = Near(backoff=0)
    for module in ("lines.client", "builtin.client"):
        monkeypatch.setattr(f"kernelseek_tui.agents.{module}.emit", agent.take)
    one = Built(*served, agent)
    yield one
    await one.end()


@pytest.fixture
async def spawned(served: tuple[Path, MessagesServer]) -> AsyncIterator[Built]:
    """The built-in agent as it is: its client is a process of its own."""
    one = Built(*served, BuiltinAgent(backoff=0))
    yield one
    await one.end()
