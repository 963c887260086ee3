"""Whether every part that the judge writes is there, so that nothing was dropped or pruned. Pure.

What a record has to hold follows from what was asked (`Asked`), from the constants and from the secret root:
which scenarios, which input sets of each, which of them against themselves, which shapes off the list. A part
may be absent only where the record says why.
"""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from harness.checks import Check
from harness.correctness import off_list
from harness.operator import Scenario
from harness.record.parts import ProtocolConstants
from harness.record.record import Record, ScenarioRecord, not_run
from harness.record.samples import InputSetResult
from harness.sides import spread
from harness.timing.ceilings import NO_CEILINGS
from harness.verdict import Status
from harness.verify.fault import Fault, differences

CPU_CLOCK = "cpu-clock"
"""The word of `env.containment` that says that processor time is known."""
_LAST = frozenset({Status.CRASH, Status.EXITED, Status.TIMEOUT, Status.UNSUPPORTED})
"""After an input set that ends so the candidate is not asked again."""
_OF_CALLS = frozenset(
    {
        Check.WRITTEN,
        Check.FINITE,
        Check.REL_RMS,
        Check.ROW_RMS,
        Check.MAX_ABS,
        Check.RED_ZONE,
        Check.INPUTS_UNCHANGED,
        Check.STATUS,
        Check.SLOPE,
        Check.IMPOSSIBLE,
    }
)
"""Checks that fail in a call on inputs, never while a candidate is loaded."""
_AGAIN_UNTIMED = frozenset({Status.IMPOSSIBLE, Status.INVALID_REFERENCE})
"""What a scenario may become after its baseline was timed against itself."""
_SET = "Input set {}:"
"""How the evidence of a failed check begins (`checker.Checker`)."""


def part_faults(record: Record) -> Iterator[Fault]:
    """Parts that are missing, or there and not the judge's, in the order of the record's fields."""
    yield from _constants(record.protocol)
    yield from _listed(record)
    for place, listed in (("scenarios", record.scenarios), ("off_list", record.off_list)):
        for index, scenario in enumerate(listed):
            yield from _scenario(f"{place}.{index}", scenario, record, listed=place == "scenarios")
    if not_run(record):
        for name in ("off_list", "left_out"):
            if getattr(record, name):
                yield Fault(name, "is of a candidate that was not run")
    else:
        yield from _binaries(record)
        yield from _off_list(record)
    yield from _again(record)
    yield from _ceilings(record)


def _constants(said: ProtocolConstants) -> Iterator[Fault]:
    for name, value in said:
        if value is None:
            yield Fault(f"protocol.{name}", "is missing")


def _binaries(record: Record) -> Iterator[Fault]:
    for name, value in record.hashes:
        if value is None:
            yield Fault(f"hashes.{name}", "is missing, but the candidate was run")


def _listed(record: Record) -> Iterator[Fault]:
    """The scenarios are those of the set that were asked for, each once and in its order."""
    asked, glob = record.asked, record.scenario_glob
    if not asked.input_sets or len(set(asked.input_sets)) < len(asked.input_sets):
        yield Fault("asked.input_sets", "is empty or names one twice")
    due = [one for one in asked.scenarios if glob is None or fnmatchcase(one, glob)]
    said = [one.id for one in record.scenarios]
    missing = [one for one in due if one not in said]
    if missing or not due:
        yield Fault(
            "scenarios", f"has {len(said)} of {len(due)} that were asked for, without {_few(missing)}"
        )
    elif said != due:
        yield Fault(
            "scenarios", "is not what was asked for, in its order (`asked.scenarios`, `scenario_glob`)"
        )
    for index, one in enumerate(asked.baseline_lacks):
        if one not in said:
            yield Fault(f"asked.baseline_lacks.{index}", f"says {one}, which is none of the scenarios")


def _scenario(place: str, one: ScenarioRecord, record: Record, *, listed: bool) -> Iterator[Fault]:
    yield from _input_sets(f"{place}.correctness", one, record.asked.input_sets)
    yield from _outputs(f"{place}.correctness", one.correctness)
    if one.correctness and not one.seed:
        yield Fault(f"{place}.seed", "is missing, but inputs were drawn")
    if one.admitted is None and one.status not in (Status.NOT_RUN, Status.INVALID_REFERENCE):
        yield Fault(f"{place}.admitted", f"is missing, but the scenario is {one.status}")
    if one.admitted is True and not one.trivial_failed:
        yield Fault(f"{place}.trivial_failed", "is empty, but the scenario is admitted")
    if one.bound is None:
        yield Fault(f"{place}.bound", "is missing")
    keys = record.scenarios[0].params.keys() if record.scenarios else one.params.keys()
    if one.params.keys() != keys or not keys:
        yield Fault(f"{place}.params", "has not the parameters of the first scenario")
    if listed and one.status is Status.CORRECT:
        yield from _timed(place, one, record)


def _timed(place: str, one: ScenarioRecord, record: Record) -> Iterator[Fault]:
    """A correct scenario was timed, or says why not; what its timing lacks, it says too."""
    timing = one.timing
    if timing is None:
        if not one.detail:
            yield Fault(f"{place}.timing", "is missing, and `detail` does not say why")
        return
    if record.asked.check_only:
        yield Fault(f"{place}.timing", "is there, but only correctness was asked for")
    if one.id in record.asked.baseline_lacks:
        yield Fault(f"{place}.timing", "is there, but the baseline does not support the scenario")
    for name in ("launcher_ns_a", "launcher_ns_b"):
        calls, wanted = getattr(timing, name), record.protocol.launcher_calls
        if len(calls) != wanted and (calls or not one.detail):
            yield Fault(f"{place}.timing.{name}", f"has {len(calls)} of {wanted} calls, and nothing says why")
    if not timing.cpu_ns_a and CPU_CLOCK in record.env.containment:
        yield Fault(f"{place}.timing.cpu_ns_a", "is missing, but the processor time was known")
    if timing.cpu_ns_a and timing.slope is not None and timing.slope.cpu_ns is None:
        yield Fault(
            f"{place}.timing.slope.cpu_ns", "is missing, but the processor time of its calls is known"
        )


def _input_sets(place: str, one: ScenarioRecord, wanted: Sequence[str]) -> Iterator[Fault]:
    said = [result.input_set for result in one.correctness]
    if said != list(wanted[: len(said)]):
        yield Fault(place, f"has the input sets {_few(said)}; in order they are {_few(wanted)}")
    elif len(said) < len(wanted) and not _may_end(one):
        yield Fault(
            place, f"has {len(said)} of {len(wanted)} input sets, without {_few(wanted[len(said) :])}"
        )
    elif one.status is Status.NOT_RUN and said:
        yield Fault(place, "holds results of a scenario that was not run")
    failing = next((result for result in one.correctness if result.status is not Status.CORRECT), None)
    if failing is None and one.evidence.startswith(tuple(_SET.format(name) for name in wanted)):
        yield Fault(place, "does not hold the input set that `evidence` names")


def _may_end(one: ScenarioRecord) -> bool:
    """Whether the judge looked at fewer input sets than there are."""
    if one.status is Status.CORRECT:
        return False
    if not one.correctness:  # nothing was tried, or the candidate could not be loaded
        if one.admitted is None or one.status is Status.NOT_ADMITTED:
            return True
        return one.check not in _OF_CALLS and one.status is not Status.UNSUPPORTED
    last = one.correctness[-1]
    return one.admitted is None or last.status in _LAST or last.check == Check.CHANNEL


def _outputs(place: str, results: Sequence[InputSetResult]) -> Iterator[Fault]:
    """The same outputs on every input set, but where a call had none that could be measured."""
    first: list[tuple[str, str]] | None = None
    for index, result in enumerate(results):
        names = [(output.output, output.dtype) for output in result.outputs]
        if result.status is not Status.CORRECT:
            if not names and result.check in (Check.REL_RMS, Check.ROW_RMS, Check.MAX_ABS):
                yield Fault(f"{place}.{index}.outputs", f"is empty, but {result.check} was measured")
            continue
        first = names if first is None else first
        if names != first:
            yield Fault(f"{place}.{index}.outputs", "is not of the same outputs as the other input sets")


def _off_list(record: Record) -> Iterator[Fault]:
    """One shape like each scenario that the root chooses, in that order, or a word about why not."""
    scenarios = [Scenario(one.id, one.family, one.params) for one in record.scenarios]
    if not scenarios or len(record.seeds.root) != 16:
        return
    wanted = off_list.wanted(len(scenarios), record.protocol.off_list_share)
    due = off_list.chosen(scenarios, wanted, int(record.seeds.root, 16))
    without = {one.scenario: one.why for one in record.left_out}
    for index, left in enumerate(record.left_out):
        if left.scenario not in {one.id for one in due} or not left.why:
            yield Fault(f"left_out.{index}", f"says {left.scenario} without a reason, or of one never chosen")
    if len(without) < len(record.left_out):
        yield Fault("left_out", "names a scenario twice")
    places = [one for one in due if one.id not in without]
    if len(record.off_list) != len(places):
        words = f"has {len(record.off_list)} shapes, {wanted} are checked less {len(without)} in `left_out`"
        yield Fault("off_list", words)
    for index, (shape, like) in enumerate(zip(record.off_list, places, strict=False)):
        if not off_list.is_like(shape.id, shape.family, like):
            words = f"says {shape.id} of {shape.family}, `seeds.root` chooses a shape like {like.id}"
            yield Fault(f"off_list.{index}.id", words)
        if shape.status in (Status.NOT_ADMITTED, Status.INVALID_REFERENCE, Status.NOT_RUN):
            yield Fault(f"off_list.{index}.status", f"says {shape.status}: such a shape is left out")


def _again(record: Record) -> Iterator[Fault]:
    """The baseline against itself on all the scenarios that `spread` gives and that were timed."""
    by_id = {one.id: one for one in record.scenarios}
    asked = record.asked
    to_time = [
        Scenario(one.id, one.family, one.params)
        for one in record.scenarios
        if one.id not in asked.baseline_lacks and not asked.check_only
    ]
    wanted = [one.id for one in spread(to_time, record.protocol.aa_scenarios)]
    due = [
        one
        for one in wanted
        if by_id[one].timing is not None or (one in _said(record) and by_id[one].status in _AGAIN_UNTIMED)
    ]
    yield from differences("aa", _said(record), due, "spread over the timed scenarios there are")
    for index, same in enumerate(record.aa):
        if not same.cpu_ns_a and CPU_CLOCK in record.env.containment:
            yield Fault(f"aa.{index}.cpu_ns_a", "is missing, but the processor time was known")


def _said(record: Record) -> list[str]:
    return [one.scenario for one in record.aa]


def _ceilings(record: Record) -> Iterator[Fault]:
    timed = any(one.timing is not None for one in record.scenarios)
    if timed and record.ceilings is None and NO_CEILINGS not in record.notes:
        yield Fault("ceilings", "is missing, and no note says that there are none")
    if record.ceilings is not None and not (record.ceilings.bandwidth and record.ceilings.operations):
        yield Fault("ceilings", "holds no bandwidth or no operations")


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return (shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")) or "none"
