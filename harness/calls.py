"""One checked call: memory made ready, the call, and what it did that it may not."""

from dataclasses import dataclass

from harness.arena import Arena, Violation
from harness.operator import Array
from harness.protocol import KS_OK, KS_UNSUPPORTED
from harness.runner import Runner
from harness.verdict import Status


@dataclass(frozen=True, slots=True)
class Checked:
    """A call's times (ns: on the runner's and the judge's clock, and the processor time of its process), its
    outputs, and what was wrong.

    `violation` is None where nothing was; one with the status UNSUPPORTED is an honest answer.
    """

    ns: int
    outside_ns: int
    preempted: int
    cpu_ns: int | None
    outputs: dict[str, Array]
    violation: Violation | None


def checked_call(runner: Runner, arena: Arena) -> Checked:
    """Run once on the arena's inputs. Raises `RunnerDied`."""
    arena.prepare(runner.workspace_wanted)
    call = runner.run()
    violation = arena.violation()
    if violation is not None and violation.status is Status.REDZONE:
        arena.mend()
    outputs = arena.outputs()
    if violation is None and call.status == KS_UNSUPPORTED:
        violation = _unsupported(arena, outputs)
    elif violation is None and call.status != KS_OK:
        violation = Violation(
            Status.WRONG,
            "status",
            f"ks_run returned {call.status}, which is neither KS_OK nor KS_UNSUPPORTED.",
        )
    return Checked(call.ns, call.outside_ns, call.preempted, call.cpu_ns, outputs, violation)


def _unsupported(arena: Arena, outputs: dict[str, Array]) -> Violation:
    for name, output in outputs.items():
        if not arena.is_poison(output):
            return Violation(Status.WRONG, "status", f"ks_run returned KS_UNSUPPORTED but wrote to {name}.")
    return Violation(Status.UNSUPPORTED, "", "The candidate says that it does not support this scenario.")
