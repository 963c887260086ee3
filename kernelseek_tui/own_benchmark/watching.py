"""What a user's own benchmark said, as events of a live session: the results' folder is watched."""

import asyncio
from collections.abc import Awaitable, Callable

from pydantic import ValidationError

from harness.errors import RefusedRecord
from harness.record.files import MAX_RECORD_BYTES, read_regular
from kernelseek_tui.own_benchmark.declared import OwnBenchmark
from sessions import events as ev

POLL_SECONDS = 0.5
Take = Callable[[ev.AnyEvent], Awaitable[None]]


class Results:
    """`serve` takes every result that appears from now on, once, until it is cancelled."""

    def __init__(self, own: OwnBenchmark) -> None:
        self._own = own
        self._seen = set(self._names())

    async def serve(self, take: Take) -> None:
        """See the class. What is no result is passed over: the folder is the user's own."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            for name in self._names():
                if name in self._seen:
                    continue
                self._seen.add(name)
                event = self._read(name)
                if event is not None:
                    await take(event)

    def _names(self) -> list[str]:
        try:
            return sorted(path.name for path in self._own.results.glob("*.json") if path.name[0] != ".")
        except OSError:
            return []

    def _read(self, name: str) -> ev.Evaluation | None:
        try:
            text = read_regular(self._own.results / name)
            if len(text) > MAX_RECORD_BYTES:
                return None
            made = ev.Evaluation.model_validate_json(text)
        except (RefusedRecord, ValidationError):
            return None
        # Whatever the file says of itself: it was not judged.
        return made.model_copy(update={"source_kind": "parsed", "counts": False, "owner": None})
