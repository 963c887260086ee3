"""Which process of the client started this hook: by it broken inputs are told apart that name no session."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

UNKNOWN = "unknown"
"""The key where processes cannot be seen (no `/proc`): one for all clients, which at least never loops."""

_SHELLS = frozenset({"sh", "dash", "bash", "ash", "busybox", "zsh", "ksh", "fish"})
_DEEPEST = 64


@dataclass(frozen=True, slots=True)
class Process:
    """A process: `start` is when it began, in ticks since the machine did, so that a reused `pid` differs."""

    pid: int
    name: str
    start: str


def client_key(environment: Mapping[str, str] = os.environ) -> str:
    """A file name that stands for the client process that runs this hook, the same at each of its hooks."""
    try:
        found = client_of(_ancestors(os.getppid()), environment.get("CLAUDE_PID", ""))
    except (OSError, ValueError, IndexError):
        return UNKNOWN
    return UNKNOWN if found is None else f"{found.pid}-{found.start}"


def client_of(ancestors: Sequence[Process], said: str) -> Process | None:
    """The client among a hook's ancestors, the nearest first; None where there are none.

    It is the one that the client itself names (`CLAUDE_PID`), else the nearest that is no shell: the client
    (tried: 2.1.332) starts every hook through a new shell, so the direct parent is another each time.
    """
    named = [one for one in ancestors if str(one.pid) == said]
    others = [one for one in ancestors if one.name not in _SHELLS]
    return next(iter([*named, *others, *ancestors[-1:]]), None)


def _ancestors(pid: int) -> list[Process]:
    found: list[Process] = []
    while pid > 0 and len(found) < _DEEPEST:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        # The name stands in parentheses and may hold any; what follows begins with field 3 of proc(5).
        fields = text[text.rindex(")") + 2 :].split()
        found.append(Process(pid, text[text.index("(") + 1 : text.rindex(")")], fields[19]))
        pid = int(fields[1])
    return found
