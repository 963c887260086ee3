"""Which sessions of Claude Code run on this machine, from the files the client keeps about them.

`~/.claude/sessions/<pid>.json` names each; the `.key` files beside them are secrets and are never opened
(seen of Claude Code 2.1.332).
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kernelseek_tui.agents.protocol import AgentError
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.plain import one_line

_MAX_BYTES = 1 << 20
_MAX_WORDS = 80


class AttachError(AgentError):
    """Nothing was attached to; the message is one sentence for the user."""

    exit_code = ExitCode.INPUT_REFUSED


@dataclass(frozen=True, slots=True)
class Running:
    """A running session. `status` is the client's word (`busy`, `idle`, `waiting`), `changed` when it said
    so (s). `waiting` is what the client's own dialog asks for (`permission prompt`) while one is open,
    `since` when it opened, in the client's own count."""

    session: str
    pid: int
    cwd: Path
    version: str
    kind: str
    status: str
    changed: float
    waiting: str = ""
    since: int = 0


def client_home(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the client keeps its files: `CLAUDE_CONFIG_DIR`, else `~/.claude`."""
    chosen = environment.get("CLAUDE_CONFIG_DIR")
    return (
        Path(chosen).expanduser() if chosen else Path(environment.get("HOME", "~")).expanduser() / ".claude"
    )


def running_sessions(home: Path) -> list[Running]:
    """The sessions whose process lives, the one that changed last first. Unreadable files are skipped."""
    found = []
    try:
        files = sorted((home / "sessions").glob("*.json"))
    except OSError:
        return []
    for path in files:
        session = _read(path)
        if session is not None and alive(session.pid):
            found.append(session)
    return sorted(found, key=lambda one: one.changed, reverse=True)


def look_again(home: Path, pid: int) -> Running | None:
    """What the client says now about the session of its process `pid`; None when that has ended."""
    return _read(home / "sessions" / f"{pid}.json") if alive(pid) else None


def choose(sessions: list[Running], wanted: str | None) -> Running:
    """The session whose id begins with `wanted`, or with None the latest. Raises `AttachError`."""
    if not sessions:
        raise AttachError(
            "No running Claude Code session was found; start `claude` in another terminal, or set "
            "CLAUDE_CONFIG_DIR to where its files are."
        )
    if wanted is None:
        return sessions[0]
    fitting = [one for one in sessions if one.session.startswith(wanted)]
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(f"{one.session[:8]} in {one.cwd}" for one in sessions)
    if fitting:
        raise AttachError(f"{wanted!r} fits {len(fitting)} sessions; give more of the id: {known}.")
    raise AttachError(f"No running session's id begins with {wanted!r}; there are: {known}.")


def transcript_of(home: Path, session: Running) -> Path:
    """Where the session's transcript is, or will be once it has a first message."""
    name = f"{session.session}.jsonl"
    usual = home / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(session.cwd)) / name
    if usual.exists():
        return usual
    return next(iter(sorted((home / "projects").glob(f"*/{name}"))), usual)


def alive(pid: int) -> bool:
    """Whether a process of that id lives."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def _read(path: Path) -> Running | None:
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_MAX_BYTES))
        changed = path.stat().st_mtime
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    session, pid, cwd = found.get("sessionId"), found.get("pid"), found.get("cwd")
    if not isinstance(session, str) or not isinstance(cwd, str) or not isinstance(pid, int) or pid <= 0:
        return None
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]{0,127}", session):
        return None
    words = {key: str(found.get(key) or "") for key in ("version", "kind", "status")}
    since = found.get("statusUpdatedAt")
    return Running(
        session=session,
        pid=pid,
        cwd=Path(cwd),
        changed=changed,
        waiting=_waiting(found),
        since=since if isinstance(since, int) else 0,
        **words,
    )


def _waiting(found: Mapping[str, object]) -> str:
    if found.get("status") != "waiting":
        return ""
    return one_line(str(found.get("waitingFor") or "a dialog"), _MAX_WORDS)
