"""Whether the client still runs our hooks: seen in its settings files, and at the end of each of its turns.

A hook that does not run is silent, and a session that nobody holds looks like one that met its goal.
"""

import json
from collections import deque
from datetime import datetime
from pathlib import Path

from kernelseek_tui.attach.disabled import hooks_disabled, setting_files
from kernelseek_tui.attach.merge import Tag, missing

UNHELD = (
    "The client ended a turn without running KernelSeek's stop hook, so nothing held the turn and nothing "
    "was asked at its end. If the turn began before you attached, the next one is held; otherwise look at "
    "`/hooks` in its terminal, leave KernelSeek and attach again."
)
OVERRIDDEN = (
    "The client ended a turn although KernelSeek's stop hook refused it: its limit on refusals in a row was "
    "reached, or the hook was taken out in the middle of the turn."
)
UNKNOWN = {
    UNHELD: "the client did not run the stop hook",
    OVERRIDDEN: "the client ended the turn against the stop hook",
}
"""The same as the reason of a verdict."""

BACK = "KernelSeek's hooks stand in the client's settings again."
SILENT = "The client does not run KernelSeek's hooks: nothing is held and no question arrives."

_SLACK = 1.0
"""Seconds by which the transcript's clock may be behind the hooks': both are this machine's."""

_TORN = 2
"""Looks in a row at a file that is no JSON, after which it is not in the middle of being written."""


class SettingsWatch:
    """Looks at the client's settings for one session's hooks. `look` is cheap where no file changed."""

    def __init__(self, project: Path, client_home: Path | None, tag: Tag) -> None:
        self._project = project
        self._client_home = client_home
        self._tag = tag
        self._files = setting_files(project, client_home)
        self._path = project / ".claude" / "settings.local.json"
        self._seen: list[tuple[int, int, int] | None] = []
        self._torn = 0
        self._said = ""

    def look(self) -> str:
        """What is wrong, as a sentence with what to do; empty while all is well."""
        now = [_signature(path) for path in self._files]
        if now != self._seen or self._torn:
            self._seen = now
            self._said = self._wrong()
        return self._said

    def _wrong(self) -> str:
        if why := hooks_disabled(self._project, self._client_home):
            return f"{why}: {_HELD_NOT} Take that out of it."
        try:
            settings = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return f"{self._path} was removed, and KernelSeek's hooks with it: {_HELD_NOT} {_AGAIN}"
        except (OSError, ValueError, RecursionError):
            self._torn += 1
            if self._torn < _TORN:
                return self._said
            return f"{self._path} cannot be read any more, so its hooks do not count: {_HELD_NOT} Mend it."
        self._torn = 0
        lost = missing(settings, self._tag)
        if not lost:
            return ""
        return (
            f"KernelSeek's hooks for {', '.join(lost)} are not in {self._path} any more, somebody rewrote "
            f"it: {_HELD_NOT} {_AGAIN}"
        )


_HELD_NOT = "the session is not held and questions do not arrive."
_AGAIN = "Leave KernelSeek and attach again."


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


class TurnWatch:
    """Whether the stop hook ran at a turn's end: it leaves word in `told.jsonl`, and only then."""

    def __init__(self) -> None:
        self._stops: deque[tuple[float, bool]] = deque()

    def stopped(self, time: float, refused: bool) -> None:
        """The stop hook ran to its end at that time (s since the epoch)."""
        self._stops.append((time, refused))

    def ended(self, time: datetime | None) -> str:
        """The transcript says that a turn ended then: what is wrong with that, or nothing."""
        mine: list[bool] = []
        while self._stops and (time is None or self._stops[0][0] <= time.timestamp() + _SLACK):
            mine.append(self._stops.popleft()[1])
        if not mine:
            return UNHELD
        return OVERRIDDEN if mine[-1] else ""

    def broken_off(self) -> None:
        """A turn was interrupted: no stop hook runs then."""
        self._stops.clear()
