"""Waits beside an idle session for a question, to wake it: the client's `asyncRewake` (seen of 2.1.332).

The client starts this after every stop and goes on at once; exit 2 with text on stderr begins a new turn
with that text. Exit 0 wakes nobody. One process waits a session: a later one leaves it to the earlier.
"""

import os
import time
from pathlib import Path
from typing import BinaryIO

from kernelseek_tui.hooks.answers import put
from kernelseek_tui.hooks.given import Unreadable, read_given
from kernelseek_tui.hooks.mailbox import Mailbox, locked
from kernelseek_tui.hooks.run import taken

LIMIT = 6 * 3600
"""Seconds the client lets it wait; it ends by itself a little before."""

POLL = 0.2
GRACE = 3.0
"""Seconds within which the stop hook, which runs beside this, must have found the session idle."""


def wait(stream: BinaryIO, home: Path, attached: str, limit: float = LIMIT - 60) -> str:
    """The text to wake the session with; empty when it got busy, ended or lost its copilot first."""
    try:
        given = read_given(stream)
    except Unreadable:
        return ""  # the stop hook, which got the same, says so
    if given.session != attached or given.agent:
        return ""
    box = Mailbox(home, attached)
    binding = box.binding()
    if binding is None:
        return ""
    began = time.monotonic()
    with locked(box.waiter, patience=2.0) as mine:
        while mine and time.monotonic() - began < limit:
            if not box.alive() or not _lives(binding.client_pid):
                return ""
            if box.marked("idle"):
                if box.waits() and (text := put(taken(box, "wake"))):
                    box.mark("idle", False)
                    return text
            elif time.monotonic() - began > GRACE:
                return ""
            time.sleep(POLL)
    return ""


def _lives(pid: int) -> bool:
    if pid <= 0:
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
