"""How often a stop was refused, kept from one run of the hook to the next."""

import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from kernelseek_tui.hooks.client import client_key
from kernelseek_tui.hooks.mailbox import ROOM, Mailbox, write_whole
from kernelseek_tui.hooks.stop import Chain

FAILURES_LAST = 3600.0
"""Seconds for which a failure of the hook itself counts against the next one.

Longer than the turn that a refusal leads to, so that a fault that stays ends after its two refusals; short
enough that a fault of this morning does not let an agent go in the afternoon.
"""

UNREADABLE = ".unreadable"
"""Where the counts of inputs are that name no session. No session's id begins with a dot."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts in the file `path`. `lasts`: failures older than that (s) are forgotten; None: never."""

    path: Path
    lasts: float | None = None

    def read(self) -> Chain:
        """The counts; zeros for none yet or damaged ones. Raises `OSError`."""
        try:
            age = abs(time.time() - self.path.stat().st_mtime)  # the clock may have been set back
            found = json.loads(self.path.read_bytes())
            chain = Chain(**found)
        except (FileNotFoundError, ValueError, TypeError, RecursionError):
            return Chain()
        if not all(type(value) is type(getattr(Chain(), key)) for key, value in found.items()):
            return Chain()
        return replace(chain, broken=0) if self.lasts is not None and age > self.lasts else chain

    def write(self, chain: Chain) -> None:
        """Keep the counts. Raises `OSError`."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, json.dumps(asdict(chain)))


def of_session(box: Mailbox, lasts: float | None = None) -> Counts:
    """The counts of a session."""
    return Counts(box.folder / "stop.json", lasts)


def of_client(home: Path) -> Counts:
    """The counts of failures of which only the client's process is known. Forgets those that are over."""
    room = home / ROOM / UNREADABLE
    with suppress(OSError):
        for path in room.iterdir():
            if abs(time.time() - path.stat().st_mtime) > FAILURES_LAST:
                path.unlink(missing_ok=True)
    return Counts(room / f"{client_key()}.json", FAILURES_LAST)
