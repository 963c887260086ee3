"""Following a growing JSONL file, our own journal or a running agent's transcript.

`Tail.poll` does the work; `follow` waits for it in a thread, `follow_async` in an event loop. Changes are
told by the system (watchdog) where it can, and looked for every `interval` seconds anyway: network file
systems and full watch tables tell nothing.
"""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from sessions.readers.lines import MAX_LINE, RawLine, trim

INTERVAL = 0.5  # seconds
CHUNK = 1 << 20  # bytes read at a time

_COMPARED = 4096  # bytes before our place that must be the same for a changed file to be the same session


class Restarted:
    """The file was replaced or cut: the lines that follow start again at 0. `why` is one sentence."""

    def __init__(self, why: str) -> None:
        self.why = why

    def __repr__(self) -> str:
        return f"Restarted({self.why!r})"


Item = RawLine | Restarted


class Tail:
    """The lines that a file got since the last look; complete ones only.

    A file that is not there (yet) has no lines. A file replaced by a longer copy of itself (an editor, a
    sync tool) goes on where it was, so no line comes twice. Any other replacement or cut is told by a
    `Restarted`; readers that know ids or uuids then leave out what they have read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: tuple[int, int] | None = None
        self._reset()

    def poll(self) -> list[Item]:
        """The new items, from at most `CHUNK` bytes; call again until there are none."""
        try:
            with self.path.open("rb") as file:
                items = self._changed(file)
                file.seek(self._read)
                return items + self._take(file.read(CHUNK))
        except FileNotFoundError:
            return []

    def drain(self) -> Iterator[Item]:
        """All new items there are now."""
        seen = -1
        while seen != self._read:
            seen = self._read
            yield from self.poll()

    @property
    def position(self) -> int:
        """Bytes taken so far; unchanged by a look that found nothing."""
        return self._read

    def _reset(self) -> None:
        self._number = 0  # of the line that comes next
        self._start = 0  # byte that it starts at
        self._read = 0  # bytes taken from the file
        self._partial = bytearray()
        self._last = b""  # the newest bytes taken, to know the file again

    def _changed(self, file: BinaryIO) -> list[Item]:
        stat = os.fstat(file.fileno())
        one = (stat.st_dev, stat.st_ino)
        replaced = self._file is not None and one != self._file
        cut = stat.st_size < self._read
        self._file = one
        if not replaced and not cut:
            return []
        if not cut:
            file.seek(self._read - len(self._last))
            if file.read(len(self._last)) == self._last:
                return []
        self._reset()
        what = "replaced by another file" if replaced else "cut shorter"
        return [Restarted(f"{self.path.name} was {what}; it is read again from its start.")]

    def _take(self, data: bytes) -> list[Item]:
        self._read += len(data)
        self._last = (self._last + data)[-_COMPARED:]
        items: list[Item] = []
        *whole, rest = data.split(b"\n")
        end = self._read - len(data)
        for part in whole:
            end += len(part) + 1
            size = end - self._start
            too_long = size > MAX_LINE
            line = b"" if too_long else trim(bytes(self._partial) + part, self._start)
            items.append(RawLine(self._number, self._start, line, True, too_long, size))
            self._number += 1
            self._start = end
            self._partial.clear()
        if self._read - self._start <= MAX_LINE:
            self._partial += rest
        else:
            self._partial.clear()  # too long to be an event: only counted from here on
        return items


@contextmanager
def _watched(path: Path, wake: Callable[[], None]) -> Iterator[None]:
    """Call `wake` (from a thread) when something in the folder of `path` changes."""

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: FileSystemEvent) -> None:
            if event.event_type not in ("opened", "closed_no_write"):  # our own reading
                wake()

    observer = Observer()
    try:
        observer.schedule(Handler(), str(path.parent))
        observer.start()
    except OSError:  # no such folder yet, or no watches left: looking every now and then will do
        yield
        return
    try:
        yield
    finally:
        observer.stop()
        observer.join()


def follow(path: Path, stop: threading.Event, interval: float = INTERVAL) -> Iterator[Item]:
    """Items of a growing file as they come, for a thread; ends soon after `stop` is set.

    What was in the file when `stop` was set still comes.
    """
    tail = Tail(path)
    changed = threading.Event()
    with _watched(path, changed.set):
        while True:
            ending = stop.is_set()
            changed.clear()
            yield from tail.drain()
            if ending:
                return
            changed.wait(interval)


async def follow_async(path: Path, interval: float = INTERVAL) -> AsyncIterator[Item]:
    """Items of a growing file as they come, for an event loop; ends when the generator is closed."""
    tail = Tail(path)
    changed = asyncio.Event()
    loop = asyncio.get_running_loop()
    with _watched(path, lambda: _wake(loop, changed)):
        while True:
            changed.clear()
            seen = -1
            while seen != tail.position:
                seen = tail.position
                for item in await asyncio.to_thread(tail.poll):
                    yield item
            try:
                await asyncio.wait_for(changed.wait(), interval)
            except TimeoutError:
                continue


def _wake(loop: asyncio.AbstractEventLoop, changed: asyncio.Event) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(changed.set)
