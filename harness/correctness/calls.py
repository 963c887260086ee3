"""One checked call: memory made ready, the call, and what it did that it may not."""

from dataclasses import dataclass

from harness.arena import Arena, Violation
from harness.checks import Check
from harness.operator import Array
from harness.protocol import KS_OK, KS_UNSUPPORTED, RAISED
from harness.refusals import printable
from harness.runner import Call, Runner
from harness.verdict import Status


@dataclass(frozen=True, slots=True)
class Checked:
    """A call's times (ns: on the runner's and the judge's clock, and the processor time of its process), its
    outputs, and what was wrong.

    `violation` is None where nothing was; one with the status UNSUPPORTED is an honest answer.
    `more_slack_ns`: processor time that this kind of runner may use beside a call, more than others.
    """

    ns: int
    outside_ns: int
    preempted: int
    cpu_ns: int | None
    outputs: dict[str, Array]
    violation: Violation | None
    more_slack_ns: int = 0


def checked_call(runner: Runner, arena: Arena, *, in_a_row: int | None = None) -> Checked:
    """Run once on the arena's inputs, or so many times `in_a_row` on the memory as each call leaves it; then
    the times are of all of them, the outputs the last one's. Raises `RunnerDied`."""
    arena.prepare(runner.workspace_wanted)
    call = runner.run() if in_a_row is None else runner.run_many(in_a_row)
    violation = arena.violation()
    if violation is not None and violation.status is Status.REDZONE:
        arena.mend()
    outputs = arena.outputs()
    if violation is None and call.status != KS_OK:
        violation = _answer(call, arena, outputs)
        if violation is not None and violation.check and not runner.protocol.on(violation.check):
            violation = None
    times = (call.ns, call.outside_ns, call.preempted, call.cpu_ns)
    return Checked(*times, outputs, violation, runner.more_slack_ns)


def _answer(call: Call, arena: Arena, outputs: dict[str, Array]) -> Violation:
    """What a return value other than KS_OK means."""
    if call.status != KS_UNSUPPORTED:
        words = f"ks_run returned {call.status}, which is neither KS_OK nor KS_UNSUPPORTED."
        if call.status == RAISED:
            words = f"ks_run raised {printable(call.words)}."
        return Violation(Status.WRONG, Check.STATUS, words)
    for name, output in outputs.items():
        if not arena.is_poison(output):
            return Violation(
                Status.WRONG, Check.STATUS, f"ks_run returned KS_UNSUPPORTED but wrote to {name}."
            )
    return Violation(Status.UNSUPPORTED, "", "The candidate says that it does not support this scenario.")
