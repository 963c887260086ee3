"""A built-in agent in a small workspace with a scripted server; its events grow as they come."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from kernelseek_tui.agents.builtin.agent import BuiltinAgent
from kernelseek_tui.agents.builtin.client import Builtin, read_options
from kernelseek_tui.agents.protocol import AgentSpec
from sessions import events as ev
from tests.kernelseek_tui.agents.messages_server import MessagesServer

KEY = "sk-test-0123456789abcdef"
PATIENCE = 20.0  # a hang guard, not a measurement

E = TypeVar("E", bound=ev.Event)


class Near(BuiltinAgent):
    """The agent with its client in this process: loading the SDK takes a second each time.

    `take` gets the lines the client writes; a test patches `emit` to call it.
    """

    async def _launch(
        self, spec: AgentSpec, module: str, arguments: Sequence[str], started: ev.SessionStarted
    ) -> None:
        self._secrets = (KEY,)
        self._client = Builtin(read_options(arguments))
        self._put(started)
        self._playing = asyncio.create_task(self._client.play())
        await self.send(spec.task)

    async def _order(self, **order: object) -> bool:
        self._client.obey(json.dumps(order).encode())
        return True

    def take(self, **line: object) -> None:
        self._take(json.loads(self._without_secrets(json.dumps(line))))

    async def close(self) -> None:
        self._client.close()
        await self._playing
        self._events.put_nowait(None)


class Built:
    """What a test holds of one agent."""

    def __init__(self, folder: Path, server: MessagesServer, agent: BuiltinAgent) -> None:
        self.folder = folder
        self.server = server
        self.agent = agent
        self.spec: AgentSpec | None = None
        self.events: list[ev.AnyEvent] = []
        self._news = asyncio.Condition()
        self._reading: asyncio.Task[None] | None = None

    async def start(self, *, allow_all: bool = False, model: str | None = None, **environment: str) -> None:
        spec = self.spec or AgentSpec(
            self.folder, "Make it fast.", environment, model=model, ask_permission=not allow_all
        )
        await self.agent.start(spec)
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for event in self.agent.events():
            async with self._news:
                self.events.append(event)
                self._news.notify_all()

    async def until(self, happened: Callable[[list[ev.AnyEvent]], bool]) -> None:
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: bool(self.events) and happened(self.events))

    async def until_turns(self, count: int) -> None:
        await self.until(lambda events: len(of(self, ev.TurnEnded)) >= count)

    async def until_asked(self, count: int) -> ev.PermissionRequested:
        await self.until(lambda events: len(of(self, ev.PermissionRequested)) >= count)
        return of(self, ev.PermissionRequested)[count - 1]

    async def until_file(self, name: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while not ((self.folder / name).exists() and self.agent._groups):  # another process makes it
                await asyncio.sleep(0.01)

    async def until_partial(self, partials: list[str], text: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while text not in partials:
                await asyncio.sleep(0.01)

    async def end(self) -> None:
        await self.agent.close()
        if self._reading:
            async with asyncio.timeout(PATIENCE):
                await self._reading

    @property
    def texts(self) -> list[str]:
        return [event.text for event in of(self, ev.AgentText)]


def of(built: Built, kind: type[E]) -> list[E]:
    """The events of that kind."""
    return [event for event in built.events if isinstance(event, kind)]
