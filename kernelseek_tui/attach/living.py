"""Which clients live that were attached to: what they still have in mind is not pulled from under them."""

import time
from contextlib import suppress
from pathlib import Path

from kernelseek_tui.attach.discover import alive
from kernelseek_tui.hooks.mailbox import ROOM, Mailbox

FORGOTTEN = 24 * 3600.0
"""Seconds after which a session is taken to be over whose client's process was never known."""


def boxes(home: Path) -> list[Mailbox]:
    """The folders of all sessions that were ever bound here and not yet forgotten."""
    found = []
    with suppress(OSError):
        for folder in sorted((home / ROOM).iterdir()):
            with suppress(ValueError):
                if folder.is_dir() and folder.name != "settings":
                    found.append(Mailbox(home, folder.name))
    return found


def client_in(home: Path, project: Path) -> bool:
    """Whether a client lives in that folder whose session we are, or were, attached to."""
    bindings = (box.last_binding() for box in boxes(home))
    return any(
        one.client_pid > 0 and Path(one.cwd) == project and alive(one.client_pid)
        for one in bindings
        if one is not None
    )


def client_over(box: Mailbox) -> bool:
    """Whether the client of a session that nobody steers any more has ended, and its hooks with it."""
    binding = box.last_binding()
    if binding is not None and binding.client_pid > 0:
        return not alive(binding.client_pid)
    try:
        return abs(time.time() - box.folder.stat().st_mtime) > FORGOTTEN
    except OSError:
        return True
