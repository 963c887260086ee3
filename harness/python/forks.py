"""Workers by the dozen: torch is loaded once for an evaluation, not once for each process (`fork_worker.py`).

Only where the judge adopts orphans (Linux); elsewhere each worker is an interpreter of its own, which takes a
second or two longer to start and is the same in all else.
"""

import json
import socket
import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.children import Adopted, Children

SCRIPT = Path(__file__).with_name("fork_worker.py")
START_SECONDS = 120.0
_PID = struct.Struct("@q")


@dataclass
class Forks:
    """The processes that workers are forked from, by what they have loaded."""

    python: str
    children: Children
    folder: Path
    _parents: dict[str, socket.socket | None] = field(default_factory=dict)

    def fork(
        self,
        settings: Mapping[str, object],
        environment: Mapping[str, str],
        folder: Path,
        give: Sequence[int],
    ) -> Adopted | None:
        """A worker in `folder` with the descriptors `give` (channel, arena, stderr); None where it has to be
        started in the plain way, which will say what is wrong if anything is."""
        if not (self.children.adopts and sys.platform.startswith("linux")):
            return None
        loads = {name: settings[name] for name in ("numpy", "requires")}
        key = json.dumps([loads, dict(environment)])
        if key not in self._parents:
            self._parents[key] = self._start(json.dumps(loads), environment)
        control = self._parents[key]
        if control is None:
            return None
        try:
            request = json.dumps({"folder": str(folder), "numbers": give[:2]})
            socket.send_fds(control, [request.encode()], list(give))
            said = control.recv(_PID.size)
        except OSError:
            said = b""
        if len(said) != _PID.size:
            control.close()
            self._parents[key] = None
            return None
        return self.children.adopt(_PID.unpack(said)[0])

    def _start(self, loads: str, environment: Mapping[str, str]) -> socket.socket | None:
        ours, theirs = socket.socketpair()
        ours.settimeout(START_SECONDS)
        try:
            self.children.spawn(
                [self.python, "-I", "-P", "-B", str(SCRIPT), str(theirs.fileno()), loads],
                cwd=self.folder,
                env=environment,
                pass_fds=(theirs.fileno(),),
            )
            theirs.close()
            if ours.recv(5) == b"ready":
                return ours
        except OSError:
            pass  # the plain way says why
        theirs.close()
        ours.close()
        return None
