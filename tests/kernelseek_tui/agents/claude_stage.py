"""A stage for the Claude Code driver: a fake client, the driver on it, and everything that it said."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from kernelseek_tui.agents.claude.agent import ClaudeAgent
from kernelseek_tui.agents.protocol import AgentSpec
from sessions import events as ev

FAKE = Path(__file__).with_name("fake_claude.py")
PATIENCE = 20.0  # a hang guard, not a measurement

E = TypeVar("E", bound=ev.Event)


class Stage:
    """A driver that runs, its events so far, the partial texts, and what the client was told."""

    def __init__(self, agent: ClaudeAgent, log: Path) -> None:
        self.agent = agent
        self.events: list[ev.AnyEvent] = []
        self.partial: list[str] = []
        self.over = False
        self._log = log
        self._news = asyncio.Condition()
        agent.on_partial(self.partial.append)

    async def read(self) -> None:
        async for event in self.agent.events():
            async with self._news:
                self.events.append(event)
                self._news.notify_all()
        async with self._news:
            self.over = True
            self._news.notify_all()

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def until(self, found: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(found)

    async def turns(self, count: int) -> None:
        """Wait for so many ends of turns."""
        await self.until(lambda: len(self.of(ev.TurnEnded)) >= count)

    async def ended(self) -> None:
        await self.until(lambda: self.over)

    @property
    def log(self) -> list[dict[str, Any]]:
        """What the fake noted: its arguments, then what came in."""
        return [json.loads(line) for line in self._log.read_text().splitlines()]


def fake(folder: Path) -> Path:
    """The fake client as a program."""
    path = folder / "claude"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "{FAKE}" "$@"\n')
    path.chmod(0o755)
    return path


def made(folder: Path, **options: Any) -> tuple[ClaudeAgent, Path]:
    """A driver on the fake client, and the fake's log."""
    log = folder / "log.jsonl"
    environment = {"PATH": os.environ["PATH"], "FAKE_CLAUDE_LOG": str(log), **options.pop("environment", {})}
    return ClaudeAgent(fake(folder), environment=environment, **options), log


@asynccontextmanager
async def playing(folder: Path, task: str = "hello", **options: Any) -> AsyncIterator[Stage]:
    """A driver whose client was given `task`; closed at the end."""
    spec = {key: options.pop(key) for key in ("model", "resume", "fork", "ask_permission") if key in options}
    agent, log = made(folder, **options)
    stage = Stage(agent, log)
    await agent.start(
        AgentSpec(
            folder, task, {"KERNELSEEK_SESSION": "s1", "KERNELSEEK_HOME": str(folder / "state")}, **spec
        )
    )
    reading = asyncio.create_task(stage.read())
    try:
        yield stage
    finally:
        await within(agent.close())
        await within(reading)


async def within(what: Awaitable[Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        await what
