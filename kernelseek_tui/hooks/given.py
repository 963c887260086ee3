"""What the client says to a hook on stdin, read without trusting it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

MAX_GIVEN = 32 << 20
"""Bytes a hook reads. A tool's result may stand in it, and the client's own limit on that is lower."""

_SALVAGED = 1 << 20
"""Bytes of damaged input in which the session is looked for: the client names it first."""

# Unescaped quotes: a text within the input, which anybody may have written, cannot hold these.
_SESSION = re.compile(rb'(?<!\\)"session_id"\s*:\s*"([A-Za-z0-9][A-Za-z0-9._-]{0,127})"')
_CONTINUED = re.compile(rb'(?<!\\)"stop_hook_active"\s*:\s*(true|false)')

_OVER = frozenset({"completed", "failed", "killed", "stopped", "cancelled", "canceled", "error"})


class Unreadable(ValueError):  # noqa: N818 - says what is wrong with what came, not with the program
    """What came is not a hook's input; the message says why.

    `session` and `continued` are what can still be read of it, as in `Given`; empty for no session.
    """

    def __init__(self, message: str, data: bytes = b"") -> None:
        super().__init__(message)
        session = _SESSION.search(data, 0, _SALVAGED)
        continued = _CONTINUED.search(data, 0, _SALVAGED)
        self.session = session[1].decode() if session else ""
        self.continued = continued is None or continued[1] == b"true"


@dataclass(frozen=True, slots=True)
class Given:
    """The fields that our hooks use (as seen of Claude Code 2.1.332).

    `continued`: this stop follows a turn that a stop hook prolonged (`stop_hook_active`); taken to be so
    where the client does not say, since that is the side on which nothing loops. `background` counts what
    still runs in the background. `agent` is the subagent the event belongs to, if any.
    """

    session: str
    cwd: str
    continued: bool
    background: int
    agent: str | None
    prompt: str
    transcript: str


def read_given(stream: BinaryIO) -> Given:
    """Read a hook's input to its end. Raises `Unreadable`."""
    data = stream.read(MAX_GIVEN + 1)
    if len(data) > MAX_GIVEN:
        raise Unreadable(f"the hook's input is over {MAX_GIVEN >> 20} MB", data)
    try:
        given = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Unreadable("the hook's input is not JSON", data) from error
    if not isinstance(given, dict) or not isinstance(given.get("session_id"), str):
        raise Unreadable("the hook's input names no session", data)
    agent = given.get("agent_id")
    return Given(
        session=given["session_id"],
        cwd=_text(given, "cwd"),
        continued=given.get("stop_hook_active") is not False,
        background=_running(given.get("background_tasks")),
        agent=agent if isinstance(agent, str) and agent else None,
        prompt=_text(given, "prompt"),
        transcript=_text(given, "transcript_path"),
    )


def _text(given: Mapping[str, Any], key: str) -> str:
    found = given.get(key)
    return found if isinstance(found, str) else ""


def _running(tasks: object) -> int:
    if not isinstance(tasks, list):
        return 0
    return sum(isinstance(task, dict) and task.get("status") not in _OVER for task in tasks)
