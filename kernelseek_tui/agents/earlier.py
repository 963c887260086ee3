"""Clients of earlier sessions that still work in a workspace, found by the mark they carry (Linux)."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.workspace import MARK as WORKSPACE_MARK
from kernelseek_tui.agents.guard import MARK

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Earlier:
    """A process of an agent's: `session` is ours, that it was started for."""

    pid: int
    session: str


def earlier_clients(workspace: Path, proc: Path = _PROC) -> list[Earlier]:
    """The agents' processes that work in `workspace` or below, the oldest first; not those we run under.

    Only meaningful while nobody owns the workspace: then no agent should be at work in it.
    """
    ours = set(_ancestors(os.getpid(), proc))
    found = []
    for entry in proc.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # gone meanwhile, or another user's
            environment = (entry / "environ").read_bytes().split(b"\0")
            if not any(one.startswith(f"{MARK}=".encode()) for one in environment):
                continue
            if int(entry.name) in ours or _workspace_of((entry / "cwd").readlink()) != workspace:
                continue
            named = (one for one in environment if one.startswith(b"KERNELSEEK_SESSION="))
            session = next(named, b"=unknown").partition(b"=")[2].decode(errors="replace")
            found.append(Earlier(int(entry.name), session))
    return sorted(found, key=lambda one: one.pid)


def _workspace_of(folder: Path) -> Path | None:
    """A workspace may lie in another, and have an owner that lives."""
    return next((place for place in (folder, *folder.parents) if (place / WORKSPACE_MARK).is_file()), None)


def _ancestors(pid: int, proc: Path) -> Iterator[int]:
    while pid > 1:
        yield pid
        try:
            # "pid (name) state ppid …"; the name may hold anything, parentheses included
            pid = int((proc / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return
