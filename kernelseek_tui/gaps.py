"""Gap classes from the workspace's file into the session's journal."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from harness.gaps import GapEntry, newest_gaps, read_gaps
from harness.workspace import Workspace
from sessions import events as ev
from sessions.vocabulary import GapClass

POLL_SECONDS = 0.25
Take = Callable[[ev.AnyEvent], Awaitable[None]]


def known_gaps(workspace: Workspace) -> dict[str, GapEntry]:
    """The newest class of each scenario of the workspace's manifest that has one."""
    return newest_gaps(_read(workspace))


EARLIER = "(of an earlier candidate)"
"""Behind a class that was measured on another version of the file than the one at hand."""


def gap_words(entries: Mapping[str, GapEntry], candidate_sha256: str) -> dict[str, str]:
    """What is said to hold each scenario back, with a word behind it where that was another candidate."""
    return {
        one: entry.gap if entry.candidate_sha256 == candidate_sha256 else f"{entry.gap} {EARLIER}"
        for one, entry in entries.items()
    }


def gap_event(entry: GapEntry) -> ev.GapClassified:
    """An entry as the journal has it."""
    return ev.GapClassified(
        id="", time=entry.time, scenarios=entry.scenarios, gap=GapClass(entry.gap), measured=entry.measured
    )


class GapWatch:
    """Takes what stands in the file when a session begins, as far as it still holds, and what is added."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._size = -1
        self._taken = 0

    async def serve(self, take: Take) -> None:
        """Until cancelled."""
        entries = _read(self._workspace) if self._grown() else []
        self._taken = len(entries)
        newest = newest_gaps(entries)
        for entry in entries:
            if any(newest[scenario] is entry for scenario in entry.scenarios):
                await take(gap_event(entry))
        while True:
            await asyncio.sleep(POLL_SECONDS)
            if not self._grown():
                continue
            entries = _read(self._workspace)
            for entry in entries[self._taken :]:
                await take(gap_event(entry))
            self._taken = len(entries)

    def _grown(self) -> bool:
        """Whether the file has another size than at the last look; read only then."""
        try:
            size = self._workspace.gaps.stat().st_size
        except OSError:
            return False
        changed, self._size = size != self._size, size
        return changed


def _read(workspace: Workspace) -> list[GapEntry]:
    known = {one.id for listed in workspace.manifest.sets.values() for one in listed}
    return read_gaps(workspace.gaps, sorted(known))
