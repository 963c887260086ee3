"""A runner whose process is Python (`worker.py`): the same protocol, and what only Python needs."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness.arena import Arena, Violation
from harness.checks import Check
from harness.children import Children, Process
from harness.errors import JudgeError
from harness.policy.runtime import Watch
from harness.protocol import KS_OK, Op, Protocol
from harness.python.build import EXTENSIONS, NOISE, PythonBuild
from harness.python.forbidden import FORBIDDEN_OPERATORS, forbidden_among
from harness.python.forks import Forks
from harness.python.watch import PythonWatch
from harness.refusals import printable
from harness.runner import Call, Runner
from harness.verdict import Status

SCRIPT = Path(__file__).with_name("worker.py")
START_SECONDS = 120.0
"""Loading torch: a second or two, a minute from a cold disk."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """Which Python runs, the operator's ks_params.h, the library that holds the process ("" for none), and
    where its processes are forked from (None: each is started by itself)."""

    python: str
    header: str
    containment: str = ""
    forks: Forks | None = None


class PythonRunner(Runner):
    """A Python process with one file in it. `versions` are the interpreter's, torch's and triton's.

    A candidate that is checked and not timed has each call audited: the operators torch dispatched, and
    whether the Python around it is as it was. Nothing of that is done in a timed process.
    """

    def __init__(
        self,
        interpreter: Interpreter,
        made: PythonBuild,
        params: bytes,
        arena: Arena,
        *,
        children: Children,
        folder: Path,
        protocol: Protocol,
        cores: tuple[int, ...] = (),
        timed: bool = False,
    ) -> None:
        assert made.output is not None
        self._interpreter, self._made = interpreter, made
        self._audited = not timed and not made.trusted
        self.versions: dict[str, str] = {}
        self._homes: list[str] = []
        self._around = ""
        empty = Path(tempfile.mkdtemp(dir=folder, prefix="run-"))
        super().__init__(
            Path(interpreter.python),
            made.output,
            params,
            arena,
            children=children,
            folder=empty,
            protocol=protocol,
            cores=cores,
        )
        self._compare("load")

    noise = NOISE

    def run(self) -> Call:
        """Call ks_run once."""
        if not self._audited:
            return super().run()
        call = self._call(Op.AUDIT, b"")
        found = forbidden_among(call.words.split()) if call.status == KS_OK else []
        if found:
            words = (
                f"torch was asked to do the work in ks_run: it dispatched {', '.join(found[:5])}; "
                "a candidate computes it itself."
            )
            self._refuse(Violation(Status.POLICY, Check.LIBRARIES, words))
        self._compare("ks_run")
        return call

    @property
    def more_slack_ns(self) -> int:
        """See `Runner`."""
        return self.protocol.more_slack_python_ns

    def _command(self, program: Path) -> list[str]:
        return [str(program), "-I", "-P", "-B", str(SCRIPT)]

    def _environment(self) -> dict[str, str]:
        """Nothing of the judge's own; one thread in every library that asks the environment."""
        threads = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
        env = {"LC_ALL": "C", **dict.fromkeys(threads, "1")}
        return env | ({"TRITON_INTERPRET": "1"} if self._made.reading.is_triton else {})

    def _introduce(self) -> None:
        """Have torch loaded before the process is held and looked at, and long before the candidate."""
        payload = json.dumps(self._settings()).encode()
        reply, text, _, _ = self._ask(Op.HELLO, payload, "starting", seconds=START_SECONDS)
        if reply.status < 0:
            self.close()
            raise JudgeError(
                f"{self._interpreter.python} cannot run what is written in Python ({printable(text)}); "
                "name a Python that has torch with --python."
            )
        said = json.loads(text)
        self._homes = said.pop("homes")
        self.versions = said
        if not self._made.trusted:
            self._around = self._ask(Op.DIGEST, b"", "starting")[1]

    def _start(self, program: Path, folder: Path, channel: int, errors: int) -> Process:
        forks, give = self._interpreter.forks, (channel, self._arena.descriptor, errors)
        forked = forks.fork(self._settings(), self._environment(), folder, give) if forks else None
        return forked or super()._start(program, folder, channel, errors)

    def _settings(self) -> dict[str, object]:
        """What a worker is told first."""
        assert self._made.output is not None
        triton = self._made.reading.is_triton
        return {
            "tensors": [spec.name for spec in self._arena.specs],
            "header": self._interpreter.header,
            "requires": ["triton"] if triton else [],
            "numpy": triton or self._made.trusted,
            "extensions": str(self._made.output.parent / EXTENSIONS),
            "contain": self._interpreter.containment,
            "forbidden": FORBIDDEN_OPERATORS,
        }

    def _watcher(self) -> Watch:
        assert self._made.output is not None
        return PythonWatch(self.pid, [*self._homes, str(self._made.output.parent / EXTENSIONS)])

    def _compare(self, what: str) -> None:
        """Whether the Python around the candidate is as it was."""
        if not self._around or not self.protocol.on(Check.MODULES):
            return
        now = self._ask(Op.DIGEST, b"", what)[1]
        if self._lost or now == self._around:
            return
        try:
            old, new = (dict(json.loads(text)) for text in (self._around, now))
            names = [name for name in old if new.get(name) != old[name]] or ["the worker's own answer"]
        except (ValueError, TypeError):
            names = ["the worker's own answer"]
        words = f"In {what} the candidate replaced {', '.join(names[:3])}: Python that is not its own."
        self._refuse(Violation(Status.POLICY, Check.MODULES, words))
