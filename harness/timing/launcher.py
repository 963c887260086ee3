"""What a call costs that does nothing: the launcher's own time, to be told from the kernel's.

A kernel that does nothing (`native/empty.cpp`, `python/empty.py`) is called by the same launcher as a side,
with the scenario's arguments, right after its blocks. The native one is done for each scenario (some 20 ms).
The Python one takes seconds to start and its time hardly depends on the scenario: it is measured once, with
the first. Where both sides have one launcher, one measurement is both's.
"""

import statistics
from dataclasses import dataclass, field
from pathlib import Path

from harness.arena import Arena
from harness.build import NATIVE
from harness.device import Device
from harness.errors import JudgeError
from harness.operator import Baseline
from harness.protocol import KS_OK, Protocol
from harness.record.samples import Timing
from harness.runner import RunnerDied

EMPTY = NATIVE / "empty.cpp"
EMPTY_PYTHON = Path(__file__).parents[1] / "python" / "empty.py"
SHARE = 0.05
"""Of a side's median call; a launcher that takes more is worth a sentence."""


def in_python(library: Path) -> bool:
    """Whether what was built is called by the Python worker."""
    return library.suffix == ".py"


@dataclass
class Launchers:
    """The empty kernels of one evaluation, built when they are first wanted."""

    device: Device
    params_header: str
    protocol: Protocol
    _empty: dict[bool, Path] = field(default_factory=dict)
    _python_ns: tuple[int, ...] | None = None

    def build(self, library: Path) -> None:
        """Build the one that `library` is compared with. Raises `JudgeError`."""
        python = in_python(library)
        if python in self._empty:
            return
        if python:
            script = Baseline("launcher", EMPTY_PYTHON, requires=("torch",))
            made = self.device.place_python(script, EMPTY_PYTHON.read_bytes(), self.params_header).output
            why = "cannot be placed"
        else:
            built = self.device.build_library(EMPTY.read_bytes(), self.params_header)
            made, why = built.output, f"does not build with {built.compiler}: {built.why}"
        if made is None:
            raise JudgeError(f"The judge's kernel that does nothing {why}.")
        self._empty[python] = made

    def ns(self, library: Path, params: bytes, arena: Arena) -> tuple[int, ...]:
        """Calls of the empty kernel by the launcher of `library`, on its clock; the first, which pays for
        page tables, is left out. Empty where its process failed: then nothing is said."""
        python = in_python(library)
        if not python:
            return self._measure(python, params, arena)
        if self._python_ns is None:
            self._python_ns = self._measure(python, params, arena)
        return self._python_ns

    def _measure(self, python: bool, params: bytes, arena: Arena) -> tuple[int, ...]:
        try:
            runner = self.device.runner(self._empty[python], params, arena, timed=True)
        except RunnerDied:
            return ()
        try:
            runner.map()
            calls = [runner.run() for _ in range(self.protocol.launcher_calls + 1)][1:]
        except RunnerDied:
            return ()
        finally:
            runner.close()
        return tuple(max(1, call.ns) for call in calls) if all(call.status == KS_OK for call in calls) else ()


def share(timing: Timing) -> dict[str, float]:
    """The launcher's share of the median call of `baseline` and `candidate`, where it is known."""
    sides = {
        "baseline": (timing.launcher_ns_a, timing.median_ns_a),
        "candidate": (timing.launcher_ns_b, timing.median_ns_b),
    }
    return {
        name: statistics.median(calls) / max(median, 1.0) for name, (calls, median) in sides.items() if calls
    }


def sentence(timing: Timing) -> str:
    """One sentence where the launcher is over 5 % of a side's median call, else ""."""
    large = {name: part for name, part in share(timing).items() if part > SHARE}
    if not large:
        return ""
    parts = " and ".join(f"{part:.0%} of the {name}'s call" for name, part in large.items())
    return f"Calling a kernel that does nothing takes {parts}: that part is the launcher's, not the kernel's."
