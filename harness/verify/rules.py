"""The rules a record keeps beside its numbers: limits, statuses, ids, hashes, times. Pure."""

import re
from collections.abc import Iterator
from dataclasses import fields
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from harness.blocks import blocks_of
from harness.checks import Check
from harness.correctness.gate import StartError, limits
from harness.protocol import DTYPES, Protocol
from harness.record.parts import ProtocolConstants
from harness.record.record import Record, ScenarioRecord, not_run
from harness.record.samples import InputSetResult, OutputError
from harness.request import FEWEST_BLOCKS, MOST_BLOCKS
from harness.seeds import check_seed, derive
from harness.verdict import WRONG_STATUSES, Outcome, Status
from harness.verify.fault import Fault, differences

MAX_RESAMPLES = 1_000_000
"""More than any judge takes: a record that asks for more would keep its reader computing."""

OPEN = frozenset(
    {
        "name",
        "off",
        "warmup_calls",
        "warmup_ns",
        "red_zone_bytes",
        "poison_byte",
        "build_seconds",
        "call_seconds",
        "tries",
        "retakes_per_call",
        "priority",
        "reference_seconds",
        "max_deaths",
        "pause_seconds",
        "pause_slack_ns",
        "slope_tries",
        "workspace_bytes",
    }
)
"""Constants that say how long and how often; all others decide what is right or fast: the protocol's own."""

_HASH = re.compile(r"[0-9a-f]{64}")
_SEED = re.compile(r"[0-9a-f]{16}")
_EVAL_ID = re.compile(r"[0-9]{8}T[0-9]{9}-[0-9a-f]{8}")
_NUMBERS = (
    (Check.REL_RMS, "rel_rms", "rel_rms_limit"),
    (Check.ROW_RMS, "row_rel_rms", "row_rel_rms_limit"),
    (Check.MAX_ABS, "max_abs", "max_abs_limit"),
)
_FAILED = WRONG_STATUSES | {Status.TIMEOUT}
_UNJUDGED = frozenset({Status.NOT_ADMITTED, Status.INVALID_REFERENCE})


def constant_faults(record: Record) -> Iterator[Fault]:
    """Constants that are none, or not those of the protocol that the record names."""
    said = record.protocol
    if said.off:
        yield Fault("protocol.off", f"lists {', '.join(said.off)}: made with checks switched off")
    asked, own = record.asked.blocks, blocks_of(record.scenario_set)
    if not FEWEST_BLOCKS <= said.blocks <= MOST_BLOCKS:
        yield Fault("protocol.blocks", f"says {said.blocks}, it is {FEWEST_BLOCKS} to {MOST_BLOCKS}")
    elif asked is None and said.blocks != own:
        yield Fault("protocol.blocks", f"says {said.blocks}, the set {record.scenario_set} has {own}")
    elif asked is not None and said.blocks != asked:
        yield Fault("protocol.blocks", f"says {said.blocks}, `asked.blocks` says {asked}")
    if not record.scenarios:
        yield Fault("scenarios", "is empty")
    if not 1 <= said.resamples <= MAX_RESAMPLES:
        yield Fault("protocol.resamples", f"says {said.resamples}, it is 1 to {MAX_RESAMPLES}")
    if record.seeds.bootstrap < 0:
        yield Fault("seeds.bootstrap", f"says {record.seeds.bootstrap}, a seed is not negative")
    ours = Protocol()
    if said.name != ours.name:
        yield Fault("protocol.name", f"says {said.name}, this judge knows {ours.name}")
        return
    for name in (one.name for one in fields(Protocol) if one.name not in OPEN):
        words = f"{ours.name} has"
        yield from differences(f"protocol.{name}", getattr(said, name, None), getattr(ours, name), words)


def rule_faults(record: Record) -> Iterator[Fault]:
    """What breaks a rule, in the order of the record's fields."""
    yield from _head(record)
    yield from _build(record)
    yield from _ids(record)
    protocol = protocol_of(record.protocol)
    for place, listed in (("scenarios", record.scenarios), ("off_list", record.off_list)):
        for index, scenario in enumerate(listed):
            yield from _scenario(f"{place}.{index}", scenario, protocol, listed=place == "scenarios")
    for index, run in enumerate(record.resumed):
        for name, count in (("checked", run.checked), ("timed", run.timed)):
            if not 0 <= count <= len(record.scenarios) + len(record.off_list):
                yield Fault(f"resumed.{index}.{name}", f"says {count} of {len(record.scenarios)} scenarios")


def protocol_of(said: ProtocolConstants) -> Protocol:
    """The protocol that a record was made by, with every check on."""
    given: dict[str, Any] = said.model_dump(exclude_none=True, exclude={"off"})
    return Protocol(**{one.name: given[one.name] for one in fields(Protocol) if one.name in given})


def _head(record: Record) -> Iterator[Fault]:
    if not _EVAL_ID.fullmatch(record.eval_id):
        yield Fault("eval_id", "is no evaluation's id")
    if record.ended < record.started:
        yield Fault("ended", "is before `started`")
    took = (record.ended - record.started).total_seconds()
    yield from differences("seconds", record.seconds, took, "from `started` to `ended` it is")
    for name, value in record.hashes:
        if value is not None and not _HASH.fullmatch(value):
            yield Fault(f"hashes.{name}", "is no SHA-256")
    if record.baseline == "start":
        for name in ("start", "start_binary"):
            other = name.replace("start", "baseline")
            if getattr(record.hashes, name) != getattr(record.hashes, other):
                yield Fault(f"hashes.{other}", "is not the start's, which is the baseline")
    if not _HASH.fullmatch(record.build.log_sha256):
        yield Fault("build.log_sha256", "is no SHA-256")
    if not _SEED.fullmatch(record.seeds.root):
        yield Fault("seeds.root", "is no 16 hex digits")
    else:
        due = derive(int(record.seeds.root, 16), "bootstrap") >> 32
        yield from differences("seeds.bootstrap", record.seeds.bootstrap, due, "`seeds.root` gives")


def _build(record: Record) -> Iterator[Fault]:
    """A candidate that was not built or was refused has nothing measured; one that was measured was built."""
    failed = record.build.returncode != 0 or record.build.timed_out
    refused = not_run(record)
    if failed and not refused:
        yield Fault("status", f"says {record.status}, but the build failed")
    if record.status is Outcome.BUILD_FAILED and not (failed and refused):
        yield Fault("status", "says BUILD_FAILED, but the build did not fail or scenarios were run")
    if refused and (record.aa or any(one.correctness for one in (*record.scenarios, *record.off_list))):
        yield Fault("aa", "holds measurements of a candidate that was not run")


def _ids(record: Record) -> Iterator[Fault]:
    seen: set[str] = set()
    for place, listed in (("scenarios", record.scenarios), ("off_list", record.off_list)):
        for index, one in enumerate(listed):
            if one.id in seen:
                yield Fault(f"{place}.{index}.id", f"says {one.id}, which is there already")
            seen.add(one.id)
    glob = record.scenario_glob
    for index, one in enumerate(record.scenarios):
        if glob is not None and not fnmatchcase(one.id, glob):
            yield Fault(f"scenarios.{index}.id", f"says {one.id}, which `scenario_glob` does not match")
    timed = {one.id for one in record.scenarios if one.timing is not None}
    again: set[str] = set()
    for index, same in enumerate(record.aa):
        if same.scenario in again or same.scenario not in {one.id for one in record.scenarios}:
            yield Fault(
                f"aa.{index}.scenario", f"says {same.scenario}, which is none of the set or there twice"
            )
        again.add(same.scenario)
    if timed and not again and record.protocol.aa_scenarios > 0:
        yield Fault("aa", "is empty, but scenarios were timed")


def _scenario(place: str, one: ScenarioRecord, protocol: Protocol, *, listed: bool) -> Iterator[Fault]:
    if one.timing is not None and one.status is not Status.CORRECT:
        yield Fault(f"{place}.timing", f"is there, but the scenario is {one.status}")
    if one.timing is not None and not listed:
        yield Fault(f"{place}.timing", "is there, but shapes off the list are not timed")
    if one.seed and not _SEED.fullmatch(one.seed):
        yield Fault(f"{place}.seed", "is no 16 hex digits")
    if (one.status is Status.NOT_ADMITTED) != (one.admitted is False):
        yield Fault(f"{place}.admitted", f"says {one.admitted}, but the scenario is {one.status}")
    if one.status is Status.CORRECT and one.admitted is not True and listed:
        yield Fault(f"{place}.admitted", f"says {one.admitted}, but the scenario is CORRECT")
    yield from _named(place, one.status, one.check)
    if one.status is Status.CORRECT and one.evidence:
        yield Fault(f"{place}.evidence", "says what failed, but the scenario is CORRECT")
    failing = next((result for result in one.correctness if result.status is not Status.CORRECT), None)
    if one.status is Status.CORRECT and not one.correctness:
        yield Fault(f"{place}.correctness", "is empty, so that nothing says that the scenario is CORRECT")
    if failing is not None and one.status not in _UNJUDGED:
        words = f"its input set {failing.input_set} says"
        yield from differences(f"{place}.status", one.status.value, failing.status.value, words)
        yield from differences(f"{place}.check", one.check, failing.check, words)
    names: set[str] = set()
    for index, result in enumerate(one.correctness):
        where = f"{place}.correctness.{index}"
        if result.input_set in names:
            yield Fault(f"{where}.input_set", f"says {result.input_set}, which is there already")
        names.add(result.input_set)
        if _SEED.fullmatch(one.seed):
            due = f"{check_seed(int(one.seed, 16), result.input_set):016x}"
            yield from differences(f"{where}.seed", result.seed, due, "the scenario's seed gives")
        yield from _input_set(where, result, protocol)


def _named(place: str, status: Status, check: str) -> Iterator[Fault]:
    """A failure names the check that failed, and nothing else does."""
    if status in _FAILED and check not in set(Check):
        yield Fault(f"{place}.check", f"says {check!r}, which is no check's name")
    if status is Status.CORRECT and check:
        yield Fault(f"{place}.check", f"says {check}, but the status is CORRECT")


def _input_set(place: str, result: InputSetResult, protocol: Protocol) -> Iterator[Fault]:
    if not _SEED.fullmatch(result.seed):
        yield Fault(f"{place}.seed", "is no 16 hex digits")
    yield from _named(place, result.status, result.check)
    if result.status is Status.CORRECT and result.evidence:
        yield Fault(f"{place}.evidence", "says what failed, but the status is CORRECT")
    if result.status is Status.CORRECT and not result.outputs:
        yield Fault(f"{place}.outputs", "is empty, so that nothing says that the input set is CORRECT")
    names: set[str] = set()
    for index, output in enumerate(result.outputs):
        where = f"{place}.outputs.{index}"
        if output.output in names:
            yield Fault(f"{where}.output", f"says {output.output}, which is there already")
        names.add(output.output)
        yield from _output(where, output, protocol)
    over = [(index, *one) for index, output in enumerate(result.outputs) for one in _over(output)]
    if result.status is Status.CORRECT and over:
        index, _, name, words = over[0]
        yield Fault(f"{place}.outputs.{index}.{name}", f"{words}, but the status is CORRECT")
    if result.check in {check for check, _, _ in _NUMBERS} and "the reference" in result.evidence:
        first = over[0][1] if over else "none"
        yield from differences(
            f"{place}.check", str(result.check), str(first), "the first number over its limit is"
        )


def _over(output: OutputError) -> Iterator[tuple[Check, str, str]]:
    """The numbers of an output that are over their limits, in the order of the gate."""
    for check, name, limit in _NUMBERS:
        value, allowed = getattr(output, name), max(getattr(output, limit), np.finfo(np.float64).tiny)
        if value > allowed:
            yield check, name, f"is {value:.4g}, over its limit {allowed:.4g}"


def _output(place: str, output: OutputError, protocol: Protocol) -> Iterator[Fault]:
    if not _HASH.fullmatch(output.sha256):
        yield Fault(f"{place}.sha256", "is no SHA-256")
    for name in ("rel_rms", "row_rel_rms", "max_abs"):
        for field in (name, f"{name}_start"):
            if getattr(output, field) < 0:
                yield Fault(f"{place}.{field}", "is negative")
    if len(output.worst_row) != max(0, len(output.worst_index) - 1):
        yield Fault(f"{place}.worst_row", "is not one shorter than `worst_index`")
    if output.dtype not in DTYPES:
        yield Fault(f"{place}.dtype", f"says {output.dtype}, which is no dtype of a tensor")
        return
    if output.row_rms is None:
        yield Fault(f"{place}.row_rms", "is missing")
        return
    start = StartError(output.rel_rms_start, output.row_rel_rms_start, output.max_abs_start)
    allowed = limits(start, output.dtype, protocol)
    found = {
        "rel_rms_limit": allowed.rel_rms,
        "row_rel_rms_limit": allowed.row_rel_rms,
        "max_abs_limit": max(allowed.max_abs, allowed.max_share * output.row_rms),
    }
    said = {name: getattr(output, name) for name in found}
    yield from differences(place, said, found, "the start's error and the constants give")
