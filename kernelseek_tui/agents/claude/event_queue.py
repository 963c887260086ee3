"""Between a client and the reader of its events: a queue that makes it wait, and answers awaited of it."""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from sessions import events as ev

ROOM = 2_000  # events


T = TypeVar("T")


class Awaited(Generic[T]):
    """Answers of a client that somebody waits for, by the id of what was asked."""

    def __init__(self) -> None:
        self._futures: dict[str, asyncio.Future[T]] = {}

    @contextmanager
    def expect(self, key: str) -> Iterator["asyncio.Future[T]"]:
        """Within, the answer to `key` may come."""
        future = self._futures[key] = asyncio.get_running_loop().create_future()
        try:
            yield future
        finally:
            del self._futures[key]

    def give(self, key: str, answer: T) -> None:
        """The answer came; a second one, or one that nobody waits for, is ignored."""
        future = self._futures.get(key)
        if future and not future.done():
            future.set_result(answer)

    def give_all(self, answer: T) -> None:
        """No other answer will come to whoever still waits."""
        for key in list(self._futures):
            self.give(key, answer)


class EventQueue:
    """For one writer and one reader on one loop.

    `put` never waits; the writer waits for `room` before it takes more from its client. It does not wait
    while somebody is in a `hurry`: the answer they wait for may lie behind the events in the queue.
    """

    def __init__(self, room: int = ROOM) -> None:
        self._most = room
        self._events: deque[ev.AnyEvent] = deque()
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._hurry = 0
        self._open = False
        self._closed = False

    def __len__(self) -> int:
        return len(self._events)

    def put(self, event: ev.AnyEvent) -> None:
        """Add an event."""
        self._events.append(event)
        self._news.set()
        self._look()

    async def get(self) -> ev.AnyEvent | None:
        """The next event; None when there will be none."""
        while not self._events:
            if self._closed:
                return None
            self._news.clear()
            await self._news.wait()
        event = self._events.popleft()
        self._look()
        return event

    async def room(self) -> None:
        """Wait until the reader has come along."""
        await self._room.wait()

    @contextmanager
    def hurry(self) -> Iterator[None]:
        """Within, somebody waits for what the client says."""
        self._hurry += 1
        self._look()
        try:
            yield
        finally:
            self._hurry -= 1
            self._look()

    def open(self) -> None:
        """Never wait for the reader again."""
        self._open = True
        self._look()

    def close(self) -> None:
        """There will be no more events."""
        self._closed = True
        self._news.set()

    def _look(self) -> None:
        if len(self._events) < self._most or self._hurry or self._open:
            self._room.set()
        else:
            self._room.clear()
