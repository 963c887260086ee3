"""Whether the agent called a tool since its last attempt to stop, as its transcript shows."""

import os
import re
import stat
from contextlib import suppress

from kernelseek_tui.hooks.mailbox import Mailbox, write_whole

_MAX_BYTES = 16 << 20
"""Read of what was written since the last stop; more than that is work in any case."""

_CALL = re.compile(rb'"type": ?"tool_use"')


def worked(transcript: str, box: Mailbox) -> bool:
    """Whether a tool call was written since the last look; False where that cannot be seen."""
    with suppress(OSError, ValueError):
        # Never waits: the path is the client's word, and could be anything.
        file = os.open(transcript, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(file, "rb") as stream:
            found = os.fstat(stream.fileno())
            if not stat.S_ISREG(found.st_mode):
                return False
            before = _seen(box)
            write_whole(box.folder / "seen", str(found.st_size))
            stream.seek(before if before <= found.st_size else 0)
            new = stream.read(_MAX_BYTES)
            return len(new) == _MAX_BYTES or _CALL.search(new) is not None
    return False


def _seen(box: Mailbox) -> int:
    try:
        return int((box.folder / "seen").read_bytes())
    except (OSError, ValueError):
        return 0
