"""Loads torch once and becomes a worker as often as it is asked. Run by path, as `worker.py` is.

usage: python -I -P -B fork_worker.py CONTROL_FD SETTINGS

No code of a candidate ever runs here. A request on the control socket carries three descriptors (the worker's
channel, the arena, its stderr) and the folder it works in. The new process is no child of this one: its
parent is gone at once, so that the judge adopts it (Linux, where the judge is a subreaper) and knows how it
ends. It says its pid once it is a session of its own. The judge's half is `forks.py` beside this file.
"""

import ctypes
import fcntl
import importlib
import json
import os
import runpy
import signal
import socket
import struct
import sys
import time
from pathlib import Path
from typing import Any

WORKER = str(Path(__file__).with_name("worker.py"))
PR_SET_PDEATHSIG = 1
HIGH = 512


def main() -> int:
    """Serve until the judge is gone."""
    control, settings = socket.socket(fileno=int(sys.argv[1])), json.loads(sys.argv[2])
    control.set_inheritable(False)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    absent: Any = None
    if not settings["numpy"]:
        sys.modules["numpy"] = absent  # as in `worker.py`
    for name in ("torch", "torch.nn.functional", "torch.utils.cpp_extension", *settings["requires"]):
        importlib.import_module(name)
    sys.modules["torch"].set_num_threads(1)
    control.sendall(b"ready")
    while True:
        request, descriptors, _, _ = socket.recv_fds(control, 4096, 3)
        if not request:
            return 0
        middle = os.fork()
        if middle == 0:
            here = os.getpid()
            if os.fork():
                os._exit(0)
            become_worker(control, json.loads(request), descriptors, here)
        for descriptor in descriptors:
            os.close(descriptor)
        os.waitpid(middle, 0)


def become_worker(
    control: socket.socket, request: dict[str, Any], descriptors: list[int], middle: int
) -> None:
    """The worker's life, in the process that is left; it does not come back."""
    os.setsid()
    while os.getppid() == middle:
        time.sleep(0.0002)
    os.chdir(request["folder"])
    control.sendall(struct.pack("@q", os.getpid()))
    control.close()
    # Out of the way of the numbers that the judge knows them by, and from there to these.
    high = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, HIGH) for one in descriptors]
    for one in descriptors:
        os.close(one)
    channel, arena = request["numbers"]
    for one, number in zip(high, (channel, arena, 2), strict=True):
        os.dup2(one, number)
        os.close(one)
    sys.argv[:] = [WORKER, str(channel), str(arena)]
    try:
        runpy.run_path(WORKER, run_name="__main__")
    finally:
        os._exit(70)


if __name__ == "__main__":
    raise SystemExit(main())
