"""The session's own terminal, where it is a tmux pane: the only way a question arrives as a person's prompt.

Nothing is typed unless the client says that it waits for a prompt: a key typed into a question of the
client's would answer it.
"""

import asyncio
import shutil
import subprocess
from dataclasses import dataclass

_PARENTS = 64
_SETTLE = 0.15
"""Seconds between the text and the return key; keys that come at once are taken for pasted text."""

_PROMPT = "❯"

_MAX_TYPED = 900
"""Characters that were seen to arrive as typed; the client folds a longer paste."""

_COMMANDS = ("/", "!", "#")
"""A line that begins so is a command, a shell command or, with older clients, a memory: no prompt."""


@dataclass(frozen=True, slots=True)
class Pane:
    """A pane of the tmux server at `socket`."""

    socket: str
    id: str

    async def type(self, text: str) -> bool:
        """Type one line and press return; False when tmux refused."""
        if not await self._tmux("send-keys", "-t", self.id, "-l", "--", text):
            return False
        await asyncio.sleep(_SETTLE)
        return await self._tmux("send-keys", "-t", self.id, "Enter")

    async def ready(self) -> bool:
        """Whether the client's prompt is there and empty: nothing half typed, no question of the client's."""
        shown = await asyncio.to_thread(
            _output, "tmux", "-S", self.socket, "capture-pane", "-p", "-t", self.id
        )
        prompts = [line for line in shown.splitlines() if line.lstrip().startswith(_PROMPT)]
        return bool(prompts) and prompts[-1].strip() == _PROMPT

    async def escape(self) -> bool:
        """Press escape, which stops the client's current turn."""
        return await self._tmux("send-keys", "-t", self.id, "Escape")

    async def _tmux(self, *arguments: str) -> bool:
        process = await asyncio.create_subprocess_exec(
            "tmux",
            "-S",
            self.socket,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        return await process.wait() == 0


def typeable(text: str) -> bool:
    """Whether the keys of `text` and return make a prompt of it, and of nothing else.

    No, where it holds a key of its own (tab, escape, a new line), where `@` would open a menu of files, and
    where a backslash at its end would make a new line of return.
    """
    return (
        0 < len(text) <= _MAX_TYPED
        and text.isprintable()
        and "@" not in text
        and not text.lstrip().startswith(_COMMANDS)
        and not text.endswith("\\")
    )


def pane_of(pid: int) -> Pane | None:
    """The pane that the process lives in, by its ancestors; None where it lives in none."""
    if shutil.which("tmux") is None:
        return None
    parents = _parents()
    above = [pid]
    while len(above) < _PARENTS and (parent := parents.get(above[-1], 0)) > 1:
        above.append(parent)
    for socket in _sockets(above):
        listed = _output("tmux", "-S", socket, "list-panes", "-a", "-F", "#{pane_pid} #{pane_id}")
        for line in listed.splitlines():
            number, _, name = line.partition(" ")
            if number.isdigit() and int(number) in above and name:
                return Pane(socket, name)
    return None


def _sockets(pids: list[int]) -> list[str]:
    """The sockets that the processes' environments name (`TMUX=socket,pid,session`), and the usual one."""
    found: dict[str, None] = {}
    for pid in pids:
        for entry in _environment(pid):
            if entry.startswith("TMUX="):
                found[entry.removeprefix("TMUX=").rsplit(",", 2)[0]] = None
    usual = _output("tmux", "display-message", "-p", "#{socket_path}").strip()
    if usual:
        found[usual] = None
    return list(found)


def _environment(pid: int) -> list[str]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123 - no path of ours
            return file.read().decode(errors="replace").split("\0")
    except OSError:  # not Linux, or not ours: the usual socket is left
        return []


def _parents() -> dict[int, int]:
    found = {}
    for line in _output("ps", "-A", "-o", "pid=,ppid=").splitlines():
        pid, _, parent = line.strip().partition(" ")
        if pid.isdigit() and parent.strip().isdigit():
            found[int(pid)] = int(parent)
    return found


def _output(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
