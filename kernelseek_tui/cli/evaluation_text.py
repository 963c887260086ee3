"""An evaluation as text: short and stable, because agents read it too. The form: docs/evaluation-text.md."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from harness.goal_check import GoalReport
from harness.hints import hints
from harness.record.parts import Flag
from harness.record.record import Record, ScenarioRecord, not_run
from harness.record.samples import Timing
from harness.verdict import Outcome, Speed, Status, VerdictCode
from kernelseek_tui.evaluations import spoken_clauses
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.plain import line

if TYPE_CHECKING:
    from harness.timing.statistics import Estimate

MAX_ERRORS = 8
MAX_FLAGS = 12
MAX_WITNESSED = 5
WANTED_CONTAINMENT = (
    "seccomp",
    "subreaper",
    "pause",
    "cpu-clock",
    "seals",
    "no-files",
    "no-network",
    "landlock",
)
"""What holds a candidate's process where the system can (`record.Environment`)."""
WANTED_SANDBOX = ("landlock", "no-network")
"""The same for its compiler (`record.BuildReport`)."""
_WORDS = {
    VerdictCode.NOT_MET: "goal unmet",
    VerdictCode.AMBIGUOUS: "ambiguous",
    VerdictCode.WRONG: "wrong",
    VerdictCode.BUILD: "does not build",
    VerdictCode.TIMEOUT: "timeout",
    VerdictCode.POLICY: "broke a rule",
    VerdictCode.INFRASTRUCTURE: "not judged",
}


def evaluation_text(
    record: Record,
    path: Path,
    report: GoalReport | None,
    code: VerdictCode,
    gaps: Mapping[str, str] | None = None,
    *,
    unread: str = "",
) -> str:
    """A table of scenarios, the set in a line, facts of a line each, one verdict line, the record's path.

    `gaps`: what holds a scenario back, by id (`kernelseek_tui.gaps.gap_words`). `unread`: why the goal could
    not be read, "" where it could or there is none; `code` is then the record's own.
    """
    return "\n".join(line(text) for text in _lines(record, path, report, code, gaps or {}, unread))


def verdict_line(
    record: Record, report: GoalReport | None, code: VerdictCode, *, unread: bool = False
) -> str:
    """What it came to and why, in one line: the goal's reason, then outcome, n/N, mean and interval, floor.

    `VERDICT goal unmet (exit 10): faster fails on 1 of 4, first toy-n16; CORRECT 4/4: 1.69x over start ...`.
    """
    if code is VerdictCode.GOAL_MET:
        word = "goal met" if report else "correct"
    elif code is VerdictCode.NOT_MET and record.status is Outcome.UNSUPPORTED:
        word = "unsupported"
    else:
        word = _WORDS[code]
    why = record.summary
    if report and record.status is Outcome.CORRECT:
        why = f"{report.reason.removesuffix('.')}; {record.summary}"
    if unread:
        why = f"the goal cannot be read; {record.summary}"
    ended = int(ExitCode.INPUT_REFUSED if unread else code)
    return f"VERDICT {word} (exit {ended}): {' '.join(why.split())}"


def _lines(
    record: Record,
    path: Path,
    report: GoalReport | None,
    code: VerdictCode,
    gaps: Mapping[str, str],
    unread: str,
) -> Iterator[str]:
    if record.rehearsed:
        yield "REHEARSED: the agent of this session follows a script; the judge is real."
    if record.status is Outcome.BUILD_FAILED:
        errors = record.build.errors or tuple(record.build.log_tail.splitlines())
        yield from errors[:MAX_ERRORS]
        if len(errors) > MAX_ERRORS:
            yield f"... and {len(errors) - MAX_ERRORS} more lines; the record has them"
    else:
        yield from _table(record)
        yield _whole_set(record)
        yield from _facts(record, gaps)
    yield from held(record)
    for note in record.notes:
        yield f"note: {note}"
    for sentence in spoken_clauses(report):
        yield f"unmet {sentence}"
    if unread:
        yield f"goal: cannot be read: {' '.join(unread.split())}"
    yield verdict_line(record, report, code, unread=bool(unread))
    owner = "no session's owner" if record.owner == "none" else f"owner {record.owner}"
    yield f"record {path} ({owner})"


def _facts(record: Record, gaps: Mapping[str, str]) -> Iterator[str]:
    """`key: value`, one fact a line: the worst five, what the mean rests on, what is marked."""
    by_id = {one.id: one for one in record.scenarios}
    for worst in record.aggregate.worst_five:
        yield f"worst: {_worst(by_id[worst.id], gaps)}" if worst.id in by_id else f"worst: {worst.id}"
    yield from _witnessed(record)
    if record.aggregate.geomean_without_best is not None:
        yield f"without best: {record.aggregate.geomean_without_best:.3f}x, the best twentieth left out"
    across = sum(one.timing is not None and one.timing.cross_runner for one in record.scenarios)
    if across:
        words = f"{record.baseline} was run by another launcher than the candidate"
        yield f"cross-runner: {words} in {across} of {len(record.scenarios)} scenarios"
    if record.off_list:
        right = sum(one.status is Status.CORRECT for one in record.off_list)
        yield f"off list: {right} of {len(record.off_list)} shapes that are on no list are correct"
    for one in record.off_list:
        if one.status is not Status.CORRECT:
            yield f"off list: {one.id} is {one.status}: {_evidence(one)}"
    for hint in hints(record):
        yield f"hint: {hint.code}: {hint.sentence}"
    yield from flag_lines(record)


def _witnessed(record: Record) -> Iterator[str]:
    """Where the interval alone would say FASTER and the witness does not (`statistics.confirmed`)."""
    from harness.aggregate import witness_logs  # arrays; `goal check` goes without them
    from harness.timing.statistics import estimate, geometric_mean

    floor, confidence = record.aggregate.floor, record.protocol.confidence
    if floor is None:
        return
    found = [
        f"witness: {one.id}: {_by_witness(estimate(witness_logs(timing), confidence), timing)}"
        for one in record.scenarios
        if (timing := one.timing) is not None
        and timing.verdict is Speed.AMBIGUOUS
        and timing.low > math.exp(floor)
    ]
    yield from found[:MAX_WITNESSED]
    if len(found) > MAX_WITNESSED:
        yield f"witness: and {len(found) - MAX_WITNESSED} more; the record has them"
    whole, timed = record.aggregate, [one.timing for one in record.scenarios if one.timing is not None]
    if whole.verdict is Speed.AMBIGUOUS and whole.low is not None and whole.low > math.exp(floor):
        mean = geometric_mean(
            [witness_logs(timing) for timing in timed],
            resamples=record.protocol.resamples,
            seed=record.seeds.bootstrap,
            confidence=confidence,
        )
        yield f"witness: set: {_by_witness(mean, timed[0])}"


def _by_witness(found: "Estimate", timing: Timing) -> str:
    from harness.aggregate import comparable

    clock = "processor time" if timing.cpu_ns_a and timing.cpu_ns_b else "the judge's clock"
    if not timing.cross_runner and not comparable(timing):
        return (
            f"a call is shorter than what is around it, so {clock} measures no ratio of it, and it is not "
            "called FASTER"
        )
    ratio, low, high = (math.exp(one) for one in (found.log, found.low, found.high))
    return f"{ratio:.3f}x [{low:.3f}, {high:.3f}] by {clock}, so it is not called FASTER"


def flag_lines(record: Record) -> Iterator[str]:
    """`flag: WHERE: CODE: EVIDENCE`, a line a code; they refuse nothing and are to be looked at.

    Where several scenarios have a flag, the evidence is the first one's.
    """
    by_code: dict[str, list[tuple[str, Flag]]] = {}
    for flag in record.flags:
        by_code.setdefault(f"set {flag.code}", []).append(("set", flag))
    for one in record.scenarios:
        for flag in one.flags:
            by_code.setdefault(flag.code, []).append((one.id, flag))
    for found in list(by_code.values())[:MAX_FLAGS]:
        first, flag = found[0]
        where = first if len(found) == 1 else f"{len(found)} of {len(record.scenarios)}, first {first}"
        yield f"flag: {where}: {flag.code}: {' '.join(flag.evidence.split())}"
    if len(by_code) > MAX_FLAGS:
        yield f"flag: and {len(by_code) - MAX_FLAGS} more; the record has them"


def held(record: Record) -> Iterator[str]:
    """What was not in force while the candidate was built and run, and whether the evaluation was broken."""
    if record.protocol.off:
        yield f"checks off: {', '.join(record.protocol.off)}; this record meets nothing"
    missing = [word for word in WANTED_CONTAINMENT if word not in record.env.containment]
    if missing and not not_run(record):
        yield f"containment missing: {', '.join(missing)}"
    missing = [word for word in WANTED_SANDBOX if word not in record.build.sandbox]
    if missing:
        yield f"sandbox missing: {', '.join(missing)} (the build)"
    for run in record.resumed:
        began = f"{run.started:%Y-%m-%dT%H:%M:%SZ}"
        yield f"resumed: a run of {began} had checked {run.checked} and timed {run.timed}"


def _worst(scenario: ScenarioRecord, gaps: Mapping[str, str]) -> str:
    timing = scenario.timing
    if timing is None:
        return scenario.id
    words = [
        scenario.id,
        f"{timing.ratio:.3f}x",
        f"[{timing.low:.3f}, {timing.high:.3f}]",
        timing.verdict.value,
        f"{milliseconds(timing.median_ns_a)} -> {milliseconds(timing.median_ns_b)}",
    ]
    if scenario.bound is not None and scenario.bound.floor_ns is not None:
        words.append(_of_the_bound(scenario.bound.floor_ns, timing.median_ns_b))
    words.append(f"gap {gaps[scenario.id]}" if scenario.id in gaps else "gap not classed")
    return ", ".join(words)


def _of_the_bound(floor_ns: float, median_ns: float) -> str:
    """`45% of the bound`. A clock that says nothing passed has no share."""
    return f"{floor_ns / median_ns:.0%} of the bound" if median_ns > 0 else "no share of the bound (0 ns)"


def _table(record: Record) -> Iterator[str]:
    head = ("scenario", "status", "ratio", "interval", "verdict", record.baseline, "candidate")
    rows = [head, *(_row(scenario) for scenario in record.scenarios)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    for index, row in enumerate(rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        if index and (evidence := _evidence(record.scenarios[index - 1])):
            yield f"    {evidence}"


def _row(scenario: ScenarioRecord) -> tuple[str, ...]:
    timing = scenario.timing
    if timing is None:
        return scenario.id, scenario.status.value, "-", "-", "-", "-", "-"
    return (
        scenario.id,
        scenario.status.value,
        f"{timing.ratio:.3f}x",
        interval_text(timing.low, timing.high),
        timing.verdict.value,
        milliseconds(timing.median_ns_a),
        milliseconds(timing.median_ns_b),
    )


def _evidence(scenario: ScenarioRecord) -> str:
    parts = (scenario.check, scenario.evidence or scenario.detail)
    return " ".join(": ".join(part for part in parts if part).split())


def _whole_set(record: Record) -> str:
    aggregate = record.aggregate
    correct = f"{aggregate.n_correct}/{aggregate.n_total} correct"
    floor = f"; A/A floor {aggregate.floor:.1%}" if aggregate.floor is not None else ""
    if aggregate.geomean is None or aggregate.low is None or aggregate.high is None:
        score = "score 0" if aggregate.score == 0 else "no geometric mean"
        reason = f" ({aggregate.reason.rstrip('.')})" if aggregate.reason else ""
        return f"set {record.scenario_set}: {score}{reason}; {correct}{floor}"
    verdict = f" {aggregate.verdict.value}" if aggregate.verdict else ""
    return (
        f"set {record.scenario_set}: geomean {aggregate.geomean:.3f}x "
        f"({aggregate.low:.3f}..{aggregate.high:.3f}){verdict} over {record.baseline}; {correct}{floor}; "
        f"{record.seconds:.1f} s"
    )


def interval_text(low: float, high: float) -> str:
    """`1.900..2.100`."""
    return f"{low:.3f}..{high:.3f}"


def milliseconds(nanoseconds: float) -> str:
    """`12.3 ms`."""
    return f"{nanoseconds / 1e6:.3g} ms" if nanoseconds < 1e8 else f"{nanoseconds / 1e6:.0f} ms"
