"""One runner process from the judge's side: load, map, run, pause, and what it died of."""

import contextlib
import os
import re
import secrets
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from harness import outside
from harness.arena import Arena, Violation
from harness.checks import Check
from harness.children import Children, Process
from harness.errors import JudgeError
from harness.machine import goes_first, pin
from harness.policy.runtime import Watch
from harness.protocol import (
    KS_OK,
    REPLY_BYTES,
    Held,
    Op,
    Protocol,
    Reply,
    load_payload,
    map_payload,
    parse_reply,
    request,
    run_many_payload,
)
from harness.refusals import awake, died, forged, load_violation, printable
from harness.verdict import Status

MAX_TEXT = 4096
CLOCK_SLACK_NS = 1000
"""So much longer than the judge a runner may say that a call took: both read one clock, and the judge's
reading is around the runner's."""


class RunnerDied(Exception):  # noqa: N818 - an outcome, not a defect
    """The process is gone or may no longer be believed; `violation` says by which check and why."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(violation.evidence)
        self.violation = violation


@dataclass(frozen=True, slots=True)
class Call:
    """One call of ks_run: its return value, and its time on the runner's and on the judge's clock (ns).

    `preempted`: how often the scheduler took the core away meanwhile. `cpu_ns`: the processor time that
    the kernel charged to the whole process from one pause to the next, None where it does not say. `words`
    are the runner's own about it (only one in Python has any).
    """

    status: int
    ns: int
    outside_ns: int
    preempted: int
    cpu_ns: int | None = None
    words: str = ""


class Runner:
    """A process that has loaded one library for one scenario.

    It is stopped (SIGSTOP) except while it is asked something, so that threads it may have left behind
    cannot slow another side's calls or look at another side's inputs; that it was still is looked up in
    the kernel's books. Every method raises `RunnerDied` when the process did not answer or may no longer
    be believed.
    """

    noise: re.Pattern[str] | None = None
    """How lines begin that a runtime of ours keeps on stderr; they are nobody's last words."""

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
        self._children, self.protocol, self._arena = children, protocol, arena
        self._paused = self._lost = False
        self._used: int | None = None
        self._failed: Violation | None = None
        self._socket, theirs = socket.socketpair()
        self._stderr, their_stderr = os.pipe()
        os.set_blocking(their_stderr, False)  # a flood of output is lost instead of waiting for a reader
        os.set_blocking(self._stderr, False)
        try:
            self._process = self._start(program, folder, theirs.fileno(), their_stderr)
        except OSError as error:
            os.close(self._stderr)
            self._socket.close()
            raise JudgeError(f"The runner {program} could not be started: {error.strerror}.") from error
        finally:
            theirs.close()
            os.close(their_stderr)
        self.pid = self._process.pid
        goes_first(self.pid)
        # On one core no process can use more processor time than passes; without, it could.
        self._one_core = pin(self.pid, cores) or os.cpu_count() == 1
        self._introduce()
        self.held = self._hold(library)
        watch = self._watcher()
        reply, text, _, _ = self._ask(Op.LOAD, load_payload(str(library), params), "load")
        if reply.status < 0:
            self._refuse(load_violation(reply.status, text))
        self._watch = watch
        self._look(watch.loaded(str(library)))
        if not self._lost and (spoiled := arena.spoiled()) is not None:
            self._refuse(spoiled)
        self.workspace_wanted = reply.value
        if reply.value > protocol.workspace_bytes:
            words = (
                f"ks_workspace_bytes asks for {reply.value} bytes, the limit is {protocol.workspace_bytes}."
            )
            self._refuse(Violation(Status.WRONG, Check.WORKSPACE, words))

    @property
    def more_slack_ns(self) -> int:
        """Processor time that a call may cost its process beside itself, more than a native one."""
        return 0

    def _start(self, program: Path, folder: Path, channel: int, errors: int) -> Process:
        """Start the process with its end of the channel, the arena and a stderr. Raises `OSError`."""
        return self._children.spawn(
            [*self._command(program), str(channel), str(self._arena.descriptor)],
            cwd=folder,
            env=self._environment(),
            stderr=errors,
            pass_fds=(channel, self._arena.descriptor),
        )

    def _command(self, program: Path) -> list[str]:
        """What is run, before the two descriptors."""
        return [str(program)]

    def _environment(self) -> dict[str, str]:
        return {"LC_ALL": "C"}

    def _introduce(self) -> None:
        """What the process has to be told before it is held (`harness.python.runner`)."""

    def _watcher(self) -> Watch:
        return Watch(self.pid)

    def _hold(self, library: Path) -> Held:
        """Have the runner give up, before it loads anything, what a candidate may not do; what it gave up."""
        folder = os.fsencode(library.resolve().parent) if self.protocol.on(Check.SYSTEM_CALLS) else b""
        said = Held(self._ask(Op.HOLD, folder, "start")[0].value)
        return said if outside.filters(self.pid) else said & ~Held.SYSTEM_CALLS

    def map(self) -> None:
        """Map the arena, once it has its size; this side sees as much workspace as it asked for.

        The judge has mapped the same memory by then, so what a runner cannot map it has closed.
        """
        workspace = (self._arena.workspace[0], self.workspace_wanted)
        reply, text, _, _ = self._ask(
            Op.MAP, map_payload(self._arena.size, workspace, self._arena.places()), "map"
        )
        self._watch.mapped(self._arena.descriptor)
        if reply.status < 0:
            self._refuse(
                Violation(
                    Status.WRONG,
                    Check.MAP,
                    f"The scenario's memory could not be mapped ({printable(text)}): its descriptor was "
                    "closed or replaced while the library was loaded.",
                )
            )

    def run(self) -> Call:
        """Call ks_run once."""
        return self._call(Op.RUN, b"")

    def run_many(self, calls: int) -> Call:
        """Call ks_run so many times back to back, on the memory as it is; all of it as one `Call`, whose
        `ns` is the sum of the calls'."""
        return self._call(Op.RUN_MANY, run_many_payload(calls))

    def _call(self, op: Op, payload: bytes) -> Call:
        before, used = outside.preemptions(self.pid), self._used
        reply, text, waited, after = self._ask(op, payload, "ks_run")
        self._look(self._watch.called("ks_run"))
        if reply.ns > waited + CLOCK_SLACK_NS:
            words = (
                f"The runner says that ks_run took {reply.ns / 1e6:.6g} ms, and the judge had its answer "
                f"after {waited / 1e6:.6g} ms."
            )
            self._refuse(Violation(Status.WRONG, Check.CLOCK, words))
        # The process's own count is only taken where the system does not tell.
        preempted = reply.value if before is None or after is None else after - before
        spent = None
        if self._one_core and used is not None and self._used is not None:
            spent = self._used - used
        return Call(reply.status, reply.ns, waited, preempted, spent, text)

    def _look(self, seen: Iterable[Violation]) -> None:
        """Refuse what the system says that the candidate did to the process, which stands still now."""
        if self._lost:
            return
        for violation in seen:
            self._refuse(violation)

    def close(self) -> None:
        """End the process and everything in its group."""
        self._children.kill(self._process)
        if self._stderr >= 0:
            os.close(self._stderr)
        self._stderr = -1
        self._socket.close()

    def _ask(
        self, op: Op, payload: bytes, what: str, *, seconds: float | None = None
    ) -> tuple[Reply, str, int, int | None]:
        """Send a request and wait for its reply; also the time from one to the other in ns, and the
        preemptions so far."""
        token = secrets.randbits(64)
        message = request(op, token, payload)
        if self._failed is not None:
            raise RunnerDied(self._failed)
        started = time.monotonic_ns()
        if self._lost:
            return _made_up(op, started)
        if self._unasked():
            self._refuse(forged(what))
        if self._paused:
            self._check_still()
            self._signal(signal.SIGCONT)
        seconds = seconds or self.protocol.call_seconds
        deadline = time.monotonic() + seconds
        started = time.monotonic_ns()
        try:
            self._socket.settimeout(seconds)
            self._socket.sendall(message)
            reply = parse_reply(self._receive(REPLY_BYTES, deadline))
            waited = time.monotonic_ns() - started
            preempted = outside.preemptions(self.pid)
            if reply.token != token or reply.op != op or reply.text_length > MAX_TEXT:
                self._refuse(forged(what))
            text = self._receive(min(reply.text_length, MAX_TEXT), deadline).decode(errors="replace")
        except TimeoutError:
            words = f"{what} did not return within {seconds:g} s."
            self._lose(Violation(Status.TIMEOUT, Check.DEADLINE, words))
            return _made_up(op, started)
        except (EOFError, ConnectionError):
            self._lose(self._death(what))
            return _made_up(op, started)
        self._pause(what)
        return reply, text, waited, preempted

    def _pause(self, what: str) -> None:
        """Stop the process and wait, for so long and no longer, until every thread of it stands still."""
        self._signal(signal.SIGSTOP)
        self._paused = True
        deadline = time.monotonic() + self.protocol.pause_seconds
        while outside.stands_still(self.pid) is False:
            if time.monotonic() > deadline:
                self._refuse(awake(f"did not stop within {self.protocol.pause_seconds:g} s after {what}"))
                break
            time.sleep(20e-6)
        if self._process.poll() is not None:  # it answered and left
            self._lose(self._death(what))
            return
        self._used = outside.cpu_ns(self.pid)
        strays = self._children.strays(self.pid)
        if strays and self.protocol.on(Check.PROCESSES):
            self._children.end_strays(self.pid)
            words = f"{len(strays)} processes were started in {what}; a candidate is one process."
            self._refuse(Violation(Status.WRONG, Check.PROCESSES, words))

    def _check_still(self) -> None:
        """Whether the process did nothing in its pause."""
        now = outside.cpu_ns(self.pid)
        if now is None or self._used is None:
            return
        ran = now - self._used
        if ran > self.protocol.pause_slack_ns:
            self._refuse(awake(f"used {ran / 1e6:.3g} ms of processor time while it had to stand still"))

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

    def _refuse(self, violation: Violation) -> None:
        """End the process and raise `RunnerDied`, unless the check that saw it is off."""
        if self.protocol.on(violation.check):
            self.close()
            self._failed = violation
            raise RunnerDied(violation)

    def _lose(self, violation: Violation) -> None:
        """Refuse a process that no longer answers. With that check off, play on as a naive judge would: what
        lies in the memory is taken for the output of every call to come."""
        self._refuse(violation)
        self.close()
        self._lost = True

    def _death(self, what: str) -> Violation:
        """How the process ended, after it closed its end."""
        try:
            code = self._process.wait(2.0)
        except subprocess.TimeoutExpired:  # it closed the channel and lives on: the judge ends it
            return forged(what)
        return died(what, code, "" if code == -signal.SIGSYS else self._last_words())

    def _last_words(self) -> str:
        try:
            text = os.read(self._stderr, 4096).decode(errors="replace")
        except OSError:
            return ""
        said = (line.strip() for line in text.splitlines())
        line = next((line for line in said if line and not (self.noise and self.noise.match(line))), "")
        line = printable(line)[:200]
        return f"; it said: {line}" if line else ""


def _made_up(op: Op, started: int) -> tuple[Reply, str, int, int | None]:
    """The answer of a process that is gone, for a judge that does not look whether it is."""
    waited = max(1, time.monotonic_ns() - started)
    return Reply(op, KS_OK, 0, waited, 0, 0), "", waited, None
