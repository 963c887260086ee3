"""An evaluation as text: short and stable, because agents read it too."""

from collections.abc import Iterator
from pathlib import Path

from harness.goal import GoalReport
from harness.record import Record, ScenarioRecord
from harness.verdict import Outcome, VerdictCode
from kernelseek_tui.evaluations import spoken_clauses
from kernelseek_tui.plain import line

MAX_ERRORS = 8
_WORDS = {
    VerdictCode.NOT_MET: "goal unmet",
    VerdictCode.AMBIGUOUS: "ambiguous",
    VerdictCode.WRONG: "wrong",
    VerdictCode.BUILD: "does not build",
    VerdictCode.TIMEOUT: "timeout",
    VerdictCode.POLICY: "broke a rule",
    VerdictCode.INFRASTRUCTURE: "not judged",
}


def evaluation_text(record: Record, path: Path, report: GoalReport | None, code: VerdictCode) -> str:
    """A table of scenarios, the whole set in a line, unmet clauses, one verdict line, the record's path."""
    return "\n".join(line(text) for text in _lines(record, path, report, code))


def verdict_line(record: Record, report: GoalReport | None, code: VerdictCode) -> str:
    """`VERDICT goal unmet (exit 10): faster: 1 of 4 not above 1.8x over start: ...`."""
    if code is VerdictCode.GOAL_MET:
        word = "goal met" if report else "correct"
    elif code is VerdictCode.NOT_MET and record.status is Outcome.UNSUPPORTED:
        word = "unsupported"
    else:
        word = _WORDS[code]
    why = report.reason if report and record.status is Outcome.CORRECT else record.summary
    return f"VERDICT {word} (exit {int(code)}): {' '.join(why.split())}"


def _lines(record: Record, path: Path, report: GoalReport | None, code: VerdictCode) -> Iterator[str]:
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
    for note in record.notes:
        yield f"note: {note}"
    for sentence in spoken_clauses(report):
        yield f"unmet {sentence}"
    yield verdict_line(record, report, code)
    owner = "no session's owner" if record.owner == "none" else f"owner {record.owner}"
    yield f"record {path} ({owner})"


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
        f"{timing.low:.3f}..{timing.high:.3f}",
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


def milliseconds(nanoseconds: float) -> str:
    """`12.3 ms`."""
    return f"{nanoseconds / 1e6:.3g} ms" if nanoseconds < 1e8 else f"{nanoseconds / 1e6:.0f} ms"
