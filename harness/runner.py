"""One runner process from the judge's side: load, map, run, pause, and what it died of."""

import contextlib
import os
import secrets
import select
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from harness.arena import Arena, Violation
from harness.children import Children
from harness.errors import JudgeError
from harness.machine import pin
from harness.protocol import (
    REPLY_BYTES,
    LoadFailure,
    Op,
    Protocol,
    Reply,
    load_payload,
    map_payload,
    parse_reply,
    request,
)
from harness.verdict import Status

MAX_TEXT = 4096


class RunnerDied(Exception):  # noqa: N818 - an outcome, not a defect
    """The process is gone or may no longer be believed; `violation` says by which check and why."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(violation.evidence)
        self.violation = violation


@dataclass(frozen=True, slots=True)
class Call:
    """One call of ks_run: its return value, and its time on the runner's and on the judge's clock (ns).

    `preempted`: how often the scheduler gave the core to another process meanwhile.
    """

    status: int
    ns: int
    outside_ns: int
    preempted: int


class Runner:
    """A process that has loaded one library for one scenario.

    It is stopped (SIGSTOP) except while it is asked something, so that threads it may have left behind
    cannot slow another side's calls. Every method raises `RunnerDied` when the process did not answer.
    """

    def __init__(
        self,
        program: Path,
        library: Path,
        params: bytes,
        arena: Arena,
        *,
        children: Children,
        folder: Path,
        protocol: Protocol,
        cores: tuple[int, ...] = (),
    ) -> None:
        self._children, self._protocol, self._arena = children, protocol, arena
        self._paused = False
        self._socket, theirs = socket.socketpair()
        self._stderr, their_stderr = os.pipe()
        os.set_blocking(their_stderr, False)  # a flood of output is lost instead of waiting for a reader
        os.set_blocking(self._stderr, False)
        try:
            self._process = children.spawn(
                [str(program), str(theirs.fileno()), str(arena.descriptor)],
                cwd=folder,
                env={"LC_ALL": "C"},
                stderr=their_stderr,
                pass_fds=(theirs.fileno(), arena.descriptor),
            )
        except OSError as error:
            os.close(self._stderr)
            self._socket.close()
            raise JudgeError(f"The runner {program} could not be started: {error.strerror}.") from error
        finally:
            theirs.close()
            os.close(their_stderr)
        self.pid = self._process.pid
        pin(self.pid, cores)
        reply, text, _ = self._ask(Op.LOAD, load_payload(str(library), params), "load")
        if reply.status < 0:
            self.close()
            raise RunnerDied(_load_violation(reply.status, text))
        self.workspace_wanted = reply.value
        if reply.value > protocol.workspace_bytes:
            self.close()
            raise RunnerDied(
                Violation(
                    Status.WRONG,
                    "workspace",
                    f"ks_workspace_bytes asks for {reply.value} bytes, "
                    f"the limit is {protocol.workspace_bytes}.",
                )
            )

    def map(self) -> None:
        """Map the arena, once it has its size; this side sees as much workspace as it asked for."""
        workspace = (self._arena.workspace[0], self.workspace_wanted)
        reply, text, _ = self._ask(
            Op.MAP, map_payload(self._arena.size, workspace, self._arena.places()), "map"
        )
        if reply.status < 0:
            raise JudgeError(f"A runner could not map the scenario's memory: {text}.")

    def run(self) -> Call:
        """Call ks_run once."""
        reply, _, outside = self._ask(Op.RUN, b"", "ks_run")
        return Call(reply.status, reply.ns, outside, reply.value)

    def close(self) -> None:
        """End the process and everything in its group."""
        self._children.kill(self._process)
        with contextlib.suppress(OSError):
            os.close(self._stderr)
        self._stderr = -1
        self._socket.close()

    def _ask(self, op: Op, payload: bytes, what: str) -> tuple[Reply, str, int]:
        """Send a request and wait for its reply; also the time from one to the other in ns."""
        token = secrets.randbits(64)
        message = request(op, token, payload)
        if self._unasked():
            self._fail(_forged(what))
        if self._paused:
            self._signal(signal.SIGCONT)
        deadline = time.monotonic() + self._protocol.call_seconds
        started = time.monotonic_ns()
        try:
            self._socket.settimeout(self._protocol.call_seconds)
            self._socket.sendall(message)
            reply = parse_reply(self._receive(REPLY_BYTES, deadline))
            outside = time.monotonic_ns() - started
            if reply.token != token or reply.op != op or reply.text_length > MAX_TEXT:
                self._fail(_forged(what))
            text = self._receive(reply.text_length, deadline).decode(errors="replace")
        except TimeoutError:
            self._fail(
                Violation(
                    Status.TIMEOUT,
                    "deadline",
                    f"{what} did not return within {self._protocol.call_seconds:g} s.",
                )
            )
        except (EOFError, ConnectionError):
            self._fail(self._death(what))
        self._signal(signal.SIGSTOP)
        self._paused = True
        return reply, text, outside

    def _receive(self, size: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            self._socket.settimeout(max(1e-3, deadline - time.monotonic()))
            part = self._socket.recv(size - len(data))
            if not part:
                raise EOFError
            data += part
        return bytes(data)

    def _unasked(self) -> bool:
        """Whether the process said something that it was not asked."""
        readable, _, _ = select.select([self._socket], [], [], 0)
        if not readable:
            return False
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK))
        except OSError:
            return False

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _fail(self, violation: Violation) -> NoReturn:
        self.close()
        raise RunnerDied(violation)

    def _death(self, what: str) -> Violation:
        """How the process ended, after it closed its end."""
        try:
            code = self._process.wait(2.0)
        except subprocess.TimeoutExpired:  # it closed the channel and lives on: the judge ends it
            return _forged(what)
        words = self._last_words()
        if code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"signal {-code}"
            return Violation(Status.CRASH, "process_alive", f"The process died of {name} in {what}{words}.")
        return Violation(
            Status.EXITED,
            "process_alive",
            f"The process ended itself with exit code {code} in {what} instead of returning{words}.",
        )

    def _last_words(self) -> str:
        try:
            text = os.read(self._stderr, 4096).decode(errors="replace")
        except OSError:
            return ""
        line = next((line.strip() for line in text.splitlines() if line.strip()), "")
        line = "".join(ch if ch.isprintable() else "?" for ch in line)[:200]
        return f"; it said: {line}" if line else ""


def _forged(what: str) -> Violation:
    return Violation(
        Status.WRONG,
        "channel",
        f"The process wrote to the judge's channel or closed it in {what}; only the runner may.",
    )


def _load_violation(status: int, text: str) -> Violation:
    clean = "".join(ch if ch.isprintable() else "?" for ch in text)[:300]
    if status == LoadFailure.NO_SYMBOL:
        words = f"The candidate does not define {clean} with C linkage."
    elif status == LoadFailure.WRONG_ABI:
        words = f"ks_abi_version returned {clean}, which is not this judge's KS_ABI_VERSION."
    else:
        words = f"The built candidate could not be loaded: {clean}."
    return Violation(Status.WRONG, "abi", words)
