"""The rules about clocks, floors and flags, applied again to a record's samples. Pure."""

from collections.abc import Iterator
from typing import Any

from harness.operator import Work
from harness.protocol import Protocol
from harness.record.record import Record, ScenarioRecord
from harness.record.samples import Bound, Timing
from harness.suspicion import flags_of_set, with_flags
from harness.timing.alone import alone_fault
from harness.timing.ceilings import bound_of
from harness.timing.samples import Misbehaved, Samples, compare_clocks, compare_processor_time
from harness.timing.slope import calls_in_a_row, holds
from harness.timing.timekeeper import too_fast
from harness.verify.fault import Fault, close
from harness.verify.rules import protocol_of


def clock_faults(record: Record) -> Iterator[Fault]:
    """Timed scenarios that the judge's own rules refuse or flag, where the record does not."""
    protocol = protocol_of(record.protocol)
    for index, scenario in enumerate(record.scenarios):
        yield from _bound(f"scenarios.{index}.bound", scenario, record)
        if scenario.timing is not None:
            place = f"scenarios.{index}.timing"
            yield from _plausible(place, scenario.timing)
            yield from _clocks(place, scenario.timing, protocol, record.language == "python")
            yield from _slope(f"{place}.slope", scenario.timing, protocol, record.language == "python")
            yield from _possible(place, scenario, record, protocol)
    yield from _flags(record)


def _plausible(place: str, timing: Timing) -> Iterator[Fault]:
    wanted = 2 * len(timing.order)
    if timing.checked_calls < wanted:
        words = f"says {timing.checked_calls}, but {wanted} timed calls have to be checked"
        yield Fault(f"{place}.checked_calls", words)
    for name in ("warmup_calls", "retaken"):
        if min(getattr(timing, name)) < 0:
            yield Fault(f"{place}.{name}", "is negative")
    for side in ("a", "b"):
        raw, seen = getattr(timing, f"raw_ns_{side}"), getattr(timing, f"outside_ns_{side}")
        for block, (inside, outside) in enumerate(zip(raw, seen, strict=True)):
            if inside[0] > outside[0] or inside[1] > outside[1]:
                yield Fault(f"{place}.outside_ns_{side}.{block}", "is shorter than the call inside it")


def _clocks(place: str, timing: Timing, protocol: Protocol, python: bool) -> Iterator[Fault]:
    """As `timing` holds calls to their clock: by the processor time they used, else by the judge's clock."""
    samples = samples_of(timing)
    samples.more_slack_ns = protocol.more_slack_python_ns if python else 0
    name, compare = (
        ("cpu_ns_b", compare_processor_time) if timing.cpu_ns_b else ("outside_ns_b", compare_clocks)
    )
    try:
        compare(samples, protocol)
    except Misbehaved as what:
        yield Fault(f"{place}.{name}", f"speaks against its clock: {str(what).rstrip('.')}")


def _slope(place: str, timing: Timing, protocol: Protocol, python: bool) -> Iterator[Fault]:
    slope = timing.slope
    calls = calls_in_a_row(samples_of(timing).slower_ns("b"), protocol)
    if (slope.calls if slope is not None else None) != calls:
        words = "is missing, but its calls are short enough for several in a row"
        if slope is not None:
            words = f"is of {slope.calls} calls in a row; by their length it is of {calls or 'none'}"
        yield Fault(place, words)
    if slope is None:
        return
    if any(inside > outside for inside, outside in zip(slope.inside_ns, slope.outside_ns, strict=True)):
        yield Fault(f"{place}.outside_ns", "is shorter than the calls inside it")
    elif words := alone_fault(timing.raw_ns_b, slope, protocol):
        yield Fault(place, f"speaks against single calls: {words.rstrip('.')}")
    elif not holds(slope, protocol, python=python):
        yield Fault(place, "says that the runner's clock missed time, but the scenario is CORRECT")


def _bound(place: str, scenario: ScenarioRecord, record: Record) -> Iterator[Fault]:
    """A floor follows from the work and the ceilings; one from earlier, lower ceilings may be higher."""
    said = scenario.bound
    if said is None:
        return
    floor = max((ns for ns in (said.memory_ns, said.compute_ns) if ns is not None), default=None)
    if (floor is None) != (said.floor_ns is None) or (
        floor is not None and said.floor_ns is not None and not close(said.floor_ns, floor)
    ):
        yield Fault(f"{place}.floor_ns", f"says {said.floor_ns}, its parts give {floor}")
    found = _floor(said, record)
    for name in ("memory_ns", "compute_ns"):
        value, least = getattr(said, name), getattr(found, name)
        if least is not None and (value is None or (value < least and not close(value, least))):
            yield Fault(f"{place}.{name}", f"says {value}, work and ceilings give {least:.6g}")
        if value is not None and least is None:
            yield Fault(f"{place}.{name}", f"says {value:.6g}, but `ceilings` does not say by what")


def _floor(said: Bound, record: Record) -> Bound:
    work = Work(said.bytes, said.operations, said.precision)  # type: ignore[arg-type]  # any name: none is measured
    return bound_of(work, record.ceilings)


def _possible(place: str, scenario: ScenarioRecord, record: Record, protocol: Protocol) -> Iterator[Fault]:
    if scenario.bound is None or scenario.timing is None or scenario.bound.floor_ns is None:
        return
    words = too_fast(samples_of(scenario.timing), _floor(scenario.bound, record), protocol)
    if words:
        yield Fault(f"{place}.median_ns_b", f"is IMPOSSIBLE: {words.rstrip('.')}")


def _flags(record: Record) -> Iterator[Fault]:
    """Whatever the samples make suspicious is said; more may be."""
    bare = [one.model_copy(update={"flags": ()}) for one in record.scenarios]
    for index, (said, found) in enumerate(zip(record.scenarios, with_flags(bare), strict=True)):
        for code in (flag.code for flag in found.flags if flag.code not in {one.code for one in said.flags}):
            yield Fault(f"scenarios.{index}.flags", f"does not say {code}, which its samples do")
    same_source = record.hashes.candidate == record.hashes.start
    for flag in flags_of_set(record.scenarios, same_source=same_source):
        if flag.code not in {one.code for one in record.flags}:
            yield Fault("flags", f"does not say {flag.code}, which the scenarios do")


def samples_of(timing: Timing) -> Samples:
    """A record's samples as they were taken; the slack of its runner is not in them."""

    def sides(name: str) -> dict[Any, Any]:
        return {side: list(getattr(timing, f"{name}_{side}")) for side in ("a", "b")}

    made = Samples(list(timing.order), raw=sides("raw_ns"), outside_ns=sides("outside_ns"))
    none = [(0, 0)] * len(timing.order)
    made.cross_runner = timing.cross_runner
    made.cpu_ns = sides("cpu_ns") if timing.cpu_ns_a else {"a": none, "b": none}
    return made
