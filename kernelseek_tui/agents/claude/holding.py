"""The goal's stop hook of one client: set up, looked at after every turn, released.

A client can be kept from running its hooks without a word: by a setting, by another session id, by a
machine that is too slow. So each run of ours leaves a line in the mailbox; a turn without one is told.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelseek_tui.hooks.mailbox import Mailbox
from kernelseek_tui.hooks.owned import owned_settings, release
from sessions import events as ev

NOT_RUN = (
    "The agent's turn ended without KernelSeek's stop hook having run, so the client did not hold it to the "
    "goal: its hooks are switched off or were changed, or it went on under another session id."
)
STOPPED = "stopped"
"""What our stop hook tells in the mailbox when it has its answer (`hooks.run`)."""

SWITCH = "disableAllHooks"
_SPOKE = (ev.AgentText, ev.Thinking, ev.ToolCall)


class Holding:
    """Holds the client's session `session` to the goal of the workspace that `cwd` lies in.

    `settings` are what the client is started with. Raises `OSError` where the mailbox cannot be written.
    """

    def __init__(self, home: Path, session: str, copilot: str, cwd: Path) -> None:
        self.settings = owned_settings(home, session, copilot, cwd)
        self._home = home
        self._box = Mailbox(home, session)
        self._read = self._size()
        self._spoke = False
        self.unknown = ""
        """Why the hook let the turn that ended last go without knowing the goal; empty where it knew."""

    def see(self, event: ev.Event | ev.UnknownEvent) -> None:
        """Take note of an event: a turn in which no model spoke (`/compact`) has no stop to hold."""
        if isinstance(event, _SPOKE) and not event.agent:
            self._spoke = True

    def missed(self, ended: ev.TurnEnded) -> str:
        """Why the turn that `ended` was not held, in a sentence; empty where it was or need not be."""
        spoke, self._spoke = self._spoke, False
        self.unknown = ""
        ran = False
        for told in self._told():
            ran = ran or told.get("what") == STOPPED
            if told.get("what") == "goal_unknown":
                self.unknown = str(told.get("text"))
        return NOT_RUN if spoke and not ran and ended.reason == "completed" else ""

    def release(self) -> None:
        """The session is over."""
        release(self._home, self._box.session)

    def _size(self) -> int:
        try:
            return self._box.told.stat().st_size
        except OSError:
            return 0

    def _told(self) -> list[Mapping[str, Any]]:
        """What hooks told since the last look."""
        try:
            with self._box.told.open("rb") as file:
                file.seek(self._read)
                news = file.read()
        except OSError:
            return []
        self._read += len(news)
        return [told for line in news.splitlines() if (told := _object(line)) is not None]


def _object(line: bytes) -> Mapping[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None  # a line of a hook that was killed
    return found if isinstance(found, dict) else None


def switched_off(places: Sequence[Path]) -> list[Path]:
    """The settings files among `places` that switch all hooks off."""
    found = []
    for path in places:
        try:
            settings: Any = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            continue  # the client says what it makes of such a file
        if isinstance(settings, Mapping) and settings.get(SWITCH) is True:
            found.append(path)
    return found


def settings_files(workspace: Path, client_home: Path) -> list[Path]:
    """Where a person can have switched hooks off: the project's settings and the user's."""
    project = [workspace / ".claude" / name for name in ("settings.local.json", "settings.json")]
    return [*project, client_home / "settings.json"]
