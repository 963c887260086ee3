"""Whether the runner's clock sees the time of calls in a row.

B is called K times in a row within one request, then 2K times. By the processor time that the kernel charged,
each request's calls have to be seen for `slope_cpu_share`: no load delays that clock, and where the core is
taken away the runner's own only sees more. Where there is none, the judge's clock is asked for the difference
of the two requests, of which `slope_share` has to be seen: K calls, and nothing of the channel, of waking up
or of going to sleep.

What this sees and the check of single calls (`timing`) does not: that one lets 0.3 ms of a call go unseen,
which is all of a short one, and where there is no processor clock it knows the channel's own time only by
the baseline's. `unseen` says what is let go here: of calls of 0.1 ms 15 µs each, of those of 1 ms 0.11 ms.
A clock that was patched, wound back or stopped by more, and work put off until after the call, show either
way. What it does not see: less than that, and a candidate that tells calls in a row from single ones (their
outputs are not poisoned in between) and leaves its clock alone in them. Both are held by the witness: they
are never FASTER by what they hide, and where they hide more than the intervals are wide, the verdict is
AMBIGUOUS, the set's mean is the witness's, and a flag says so (`clocks_disagree`); one by `suspicion` too
where calls in a row take longer than single ones.
"""

from collections.abc import Callable
from dataclasses import dataclass

from harness.arena import Arena, Violation
from harness.checks import Check
from harness.correctness.calls import Checked
from harness.correctness.gate import GateResult
from harness.protocol import Protocol
from harness.record.parts import Pair
from harness.record.samples import Slope
from harness.runner import Runner
from harness.timing.samples import Draw, Misbehaved, Outputs, timed_call
from harness.verdict import Status


@dataclass(frozen=True, slots=True)
class Requests:
    """The two requests of a try, K calls and 2K."""

    once: Checked
    twice: Checked


def calls_in_a_row(call_ns: float, protocol: Protocol) -> int | None:
    """K for calls of this length; None where three of them would take too long."""
    if call_ns > protocol.slope_most_ns:
        return None
    return max(1, min(protocol.slope_calls, int(protocol.slope_ns / max(call_ns, 1.0))))


def holds(slope: Slope, protocol: Protocol, *, python: bool = False) -> bool:
    """Whether the runner's clock saw enough. Pure.

    `python`: the calls are made by the Python worker, which makes new views of the memory before each.
    """
    slack = protocol.slope_slack_python_ns if python else protocol.slope_slack_ns
    share = _share(slope, protocol)
    return all(
        inside + calls * slack + constant >= share * seen
        for calls, inside, seen, constant in _parts(slope, protocol)
    )


def unseen(call_ns: float, protocol: Protocol) -> float:
    """The most of each native call of this length that may go unseen in a row by processor time, in ns.

    A share, what surrounds a call and what surrounds a request; the longer of the two requests is the
    closer one. All of it where calls are too long to be taken in a row. Pure.
    """
    calls = calls_in_a_row(call_ns, protocol)
    if calls is None:
        return call_ns
    around = protocol.slope_slack_ns + protocol.cpu_slack_ns / (2 * calls)
    return min(call_ns, (1 - protocol.slope_cpu_share) * call_ns + around)


def _share(slope: Slope, protocol: Protocol) -> float:
    return protocol.slope_share if slope.cpu_ns is None else protocol.slope_cpu_share


def _parts(slope: Slope, protocol: Protocol) -> list[tuple[int, int, int, int]]:
    """What is held to each other: calls, their time inside and outside, and what a request costs beside."""
    first, second = slope.inside_ns
    if slope.cpu_ns is not None:
        once, twice = slope.cpu_ns
        constant = protocol.cpu_slack_ns
        return [(slope.calls, first, once, constant), (2 * slope.calls, second, twice, constant)]
    return [(slope.calls, second - first, slope.outside_ns[1] - slope.outside_ns[0], 0)]


def take_slope(
    a: Runner,
    b: Runner,
    arena: Arena,
    *,
    call_ns: float,
    python: bool,
    block: int,
    protocol: Protocol,
    set_inputs: Callable[[Draw], None],
    compare: Callable[[Draw, Outputs, Outputs], GateResult],
) -> Slope | None:
    """Take the requests and hold B to them; their last outputs are checked against A's like any timed call's.

    `call_ns` is what a call of B takes by the witness, `block` a number that no block of samples had. Up to
    `slope_tries` tries are made, until one was undisturbed, and of each length the least disturbed request
    counts. Raises `Misbehaved`; None where calls are too long.
    """
    calls = calls_in_a_row(call_ns, protocol)
    if calls is None:
        return None
    best: Requests | None = None
    found: Slope | None = None
    for attempt in range(protocol.slope_tries):
        draw = Draw(block, attempt)
        set_inputs(draw)
        truth = timed_call("a", a, arena, protocol)
        requests = Requests(
            *(timed_call("b", b, arena, protocol, in_a_row=count) for count in (calls, 2 * calls))
        )
        for one in (requests.once, requests.twice):
            result = compare(draw, truth.outputs, one.outputs)
            if not result.passed:
                words = f"In timed calls in a row: {result.evidence}"
                raise Misbehaved("b", Violation(result.status, result.check, words))
        best = requests if best is None else _less_disturbed(best, requests)
        found = _slope(calls, best)
        if not _disturbed(best) if found.cpu_ns else holds(found, protocol, python=python):
            break
    if found is not None and not holds(found, protocol, python=python) and protocol.on(Check.SLOPE):
        raise Misbehaved("b", Violation(Status.WRONG, Check.SLOPE, _evidence(found, protocol)))
    return found


def _disturbed(requests: Requests) -> bool:
    return requests.once.preempted + requests.twice.preempted > 0


def _less_disturbed(first: Requests, second: Requests) -> Requests:
    """By processor time: whose own clock saw the least beside it. Else: which came back soonest."""

    def beside(one: Checked) -> int:
        return one.outside_ns - one.ns if one.cpu_ns is None else one.ns - one.cpu_ns

    return Requests(
        min(first.once, second.once, key=beside),
        min(first.twice, second.twice, key=beside),
    )


def _slope(calls: int, requests: Requests) -> Slope:
    once, twice = requests.once, requests.twice
    cpu: Pair | None = None
    if once.cpu_ns is not None and twice.cpu_ns is not None:
        cpu = (once.cpu_ns, twice.cpu_ns)
    return Slope(
        calls=calls,
        outside_ns=(once.outside_ns, twice.outside_ns),
        inside_ns=(once.ns, twice.ns),
        cpu_ns=cpu,
    )


def _evidence(slope: Slope, protocol: Protocol) -> str:
    share = _share(slope, protocol)
    calls, inside, seen, _ = min(_parts(slope, protocol), key=lambda part: part[1] - share * part[2])
    clock = "the kernel's count of processor time" if slope.cpu_ns else "the judge's clock"
    return (
        f"{calls} {'' if slope.cpu_ns else 'more '}calls in a row took {seen / 1e6:.3g} ms by {clock}, of "
        f"which the runner's clock saw {inside / 1e6:.3g} ms; it has to see {share:.0%}."
    )
