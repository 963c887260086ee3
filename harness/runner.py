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

from harness import outside
from harness.arena import Arena, Violation
from harness.children import Children
from harness.errors import JudgeError
from harness.machine import pin
from harness.protocol import (
    LOST_CHANNEL,
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

    `preempted`: how often the scheduler took the core away meanwhile. `cpu_ns`: the processor time that
    the kernel charged to the whole process from one pause to the next, None where it does not say.
    """

    status: int
    ns: int
    outside_ns: int
    preempted: int
    cpu_ns: int | None = None


class Runner:
    """A process that has loaded one library for one scenario.

    It is stopped (SIGSTOP) except while it is asked something, so that threads it may have left behind
    cannot slow another side's calls or look at another side's inputs; that it was still is looked up in
    the kernel's books. Every method raises `RunnerDied` when the process did not answer or may no longer
    be believed.
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
        self._used: int | None = None
        self._failed: Violation | None = None
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
        # On one core no process can use more processor time than passes; without, it could.
        self._one_core = pin(self.pid, cores) or os.cpu_count() == 1
        reply, text, _, _ = self._ask(Op.LOAD, load_payload(str(library), params), "load")
        self.sealed = outside.is_sealed(self.pid)
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
        """Map the arena, once it has its size; this side sees as much workspace as it asked for.

        The judge has mapped the same memory by then, so what a runner cannot map it has closed.
        """
        workspace = (self._arena.workspace[0], self.workspace_wanted)
        reply, text, _, _ = self._ask(
            Op.MAP, map_payload(self._arena.size, workspace, self._arena.places()), "map"
        )
        if reply.status < 0:
            self._fail(
                Violation(
                    Status.WRONG,
                    "map",
                    f"The scenario's memory could not be mapped ({_printable(text)}): its descriptor was "
                    "closed or replaced while the library was loaded.",
                )
            )

    def run(self) -> Call:
        """Call ks_run once."""
        before, used = outside.preemptions(self.pid), self._used
        reply, _, waited, after = self._ask(Op.RUN, b"", "ks_run")
        # The process's own count is only taken where the system does not tell.
        preempted = reply.value if before is None or after is None else after - before
        spent = None
        if self._one_core and used is not None and self._used is not None:
            spent = self._used - used
        return Call(reply.status, reply.ns, waited, preempted, spent)

    def close(self) -> None:
        """End the process and everything in its group."""
        self._children.kill(self._process)
        if self._stderr >= 0:
            os.close(self._stderr)
        self._stderr = -1
        self._socket.close()

    def _ask(self, op: Op, payload: bytes, what: str) -> tuple[Reply, str, int, int | None]:
        """Send a request and wait for its reply; also the time from one to the other in ns, and the
        preemptions so far."""
        token = secrets.randbits(64)
        message = request(op, token, payload)
        if self._failed is not None:
            raise RunnerDied(self._failed)
        if self._unasked():
            self._fail(_forged(what))
        if self._paused:
            self._check_still()
            self._signal(signal.SIGCONT)
        deadline = time.monotonic() + self._protocol.call_seconds
        started = time.monotonic_ns()
        try:
            self._socket.settimeout(self._protocol.call_seconds)
            self._socket.sendall(message)
            reply = parse_reply(self._receive(REPLY_BYTES, deadline))
            waited = time.monotonic_ns() - started
            preempted = outside.preemptions(self.pid)
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
        self._pause(what)
        return reply, text, waited, preempted

    def _pause(self, what: str) -> None:
        """Stop the process and wait, for so long and no longer, until every thread of it stands still."""
        self._signal(signal.SIGSTOP)
        self._paused = True
        deadline = time.monotonic() + self._protocol.pause_seconds
        while outside.stands_still(self.pid) is False:
            if time.monotonic() > deadline:
                self._fail(_awake(f"did not stop within {self._protocol.pause_seconds:g} s after {what}"))
            time.sleep(20e-6)
        self._used = outside.cpu_ns(self.pid)
        strays = self._children.strays(self.pid)
        if strays:
            self._children.end_strays(self.pid)
            self._fail(
                Violation(
                    Status.WRONG,
                    "processes",
                    f"{len(strays)} processes were started in {what}; a candidate is one process.",
                )
            )

    def _check_still(self) -> None:
        """Whether the process did nothing in its pause."""
        now = outside.cpu_ns(self.pid)
        if now is None or self._used is None:
            return
        ran = now - self._used
        if ran > self._protocol.pause_slack_ns:
            self._fail(_awake(f"used {ran / 1e6:.3g} ms of processor time while it had to stand still"))

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
        self._failed = violation
        raise RunnerDied(violation)

    def _death(self, what: str) -> Violation:
        """How the process ended, after it closed its end."""
        try:
            code = self._process.wait(2.0)
        except subprocess.TimeoutExpired:  # it closed the channel and lives on: the judge ends it
            return _forged(what)
        if code == LOST_CHANNEL:
            return _forged(what)
        if code == -signal.SIGSYS:
            return Violation(
                Status.WRONG,
                "system_calls",
                f"In {what} the system was asked for what a candidate may not do: start a process, leave its "
                "group, set a timer that signals, signal another process or resize the judge's memory.",
            )
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
        line = _printable(line)[:200]
        return f"; it said: {line}" if line else ""


def _printable(text: str) -> str:
    return "".join(ch if ch.isprintable() else "?" for ch in text)


def _awake(what: str) -> Violation:
    return Violation(
        Status.WRONG, "stopped", f"The process {what}; between its calls a candidate may not run."
    )


def _forged(what: str) -> Violation:
    return Violation(
        Status.WRONG,
        "channel",
        f"The process wrote to the judge's channel or closed it in {what}; only the runner may.",
    )


def _load_violation(status: int, text: str) -> Violation:
    clean = _printable(text)[:300]
    if status == LoadFailure.NO_SYMBOL:
        words = f"The candidate does not define {clean} with C linkage."
    elif status == LoadFailure.WRONG_ABI:
        words = f"ks_abi_version returned {clean}, which is not this judge's KS_ABI_VERSION."
    else:
        words = f"The built candidate could not be loaded: {clean}."
    return Violation(Status.WRONG, "abi", words)
