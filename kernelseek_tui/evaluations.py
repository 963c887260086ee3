"""Records to events: where the judge's pillar meets the session's.

Events come without id and time (`id=""`, but for an evaluation, whose id is its record's, so that others can
name it as parent): the owner of the journal stamps them.
"""

import hashlib
from pathlib import Path
from typing import Any

from harness.errors import RefusedCandidate
from harness.goal import GoalError
from harness.goal_check import GoalReport, check_goal
from harness.owner.server import Served
from harness.record.record import Record, ScenarioRecord
from harness.verdict import exit_code
from harness.workspace import Workspace
from sessions import events as ev


def goal_report(workspace: Workspace, record: Record) -> GoalReport:
    """What the workspace's goal says about a record, and about the candidate as it is now.

    A record that meets the goal for a file that is not the workspace's candidate (any more) leaves it
    unmet, and says so. Raises `GoalError` where the goal cannot be read.
    """
    report = check_goal(workspace.goal(), workspace.manifest, record, record.hashes.candidate)
    if not report.met:
        return report
    name = workspace.candidate.name
    try:
        same = workspace.candidate_sha256() == record.hashes.candidate
    except RefusedCandidate as error:
        return GoalReport(False, f"The file that was judged meets the goal, but now: {error}")
    if same:
        return report
    return GoalReport(False, f"The file that was judged meets the goal, but {name} is another version now.")


def goal_report_or_why(workspace: Workspace, record: Record) -> GoalReport:
    """`goal_report`, or that nothing can be told (`met` None) and why, where the goal cannot be read."""
    try:
        return goal_report(workspace, record)
    except GoalError as error:
        return GoalReport(None, str(error))


def evaluation_event(
    record: Record, path: Path, record_sha256: str, report: GoalReport | None, *, counts: bool
) -> ev.Evaluation:
    """The summary of a record. `counts`: the owner of this session started the judge that made it."""
    aggregate = record.aggregate
    return ev.Evaluation(
        id=record.eval_id,
        time=record.ended,
        evaluation=record.eval_id,
        owner=record.owner,
        counts=counts,
        candidate_sha256=record.hashes.candidate,
        scenario_set=record.scenario_set,
        baseline=record.baseline,
        status=record.status.value,
        exit_code=int(exit_code(record.status, report.outcome if report else None)),
        geomean=aggregate.geomean,
        low=aggregate.low,
        high=aggregate.high,
        noise_floor=aggregate.floor,
        scenarios=tuple(_scenario(scenario) for scenario in record.scenarios),
        correct=aggregate.n_correct,
        total=aggregate.n_total,
        unmet=unmet_lines(report),
        detail=record.summary,
        seconds=record.seconds,
        record=str(path),
        record_sha256=record_sha256,
    )


def goal_event(report: GoalReport, evaluation: str | None) -> ev.GoalVerdict:
    """The goal's verdict on the evaluation of that id."""
    return ev.GoalVerdict(
        id="",
        parent=evaluation,
        met=report.met,
        unmet=unmet_lines(report),
        first_failing=report.first_failing,
        evaluation=evaluation,
        reason=report.reason,
    )


def served_events(workspace: Workspace, served: Served) -> list[ev.AnyEvent]:
    """What the owner writes down of an evaluation it made: it counts, also where the goal cannot be read
    just now. Of one that failed: a note."""
    if served.record is None or served.path is None:
        return [ev.Note(id="", text=f"No evaluation: {served.error}", author="judge")]
    report = goal_report_or_why(workspace, served.record)
    sha256 = served.record_sha256 or hashlib.sha256(served.path.read_bytes()).hexdigest()
    return [
        evaluation_event(served.record, served.path, sha256, report, counts=True),
        goal_event(report, served.record.eval_id),
    ]


def unmet_lines(report: GoalReport | None) -> tuple[str, ...]:
    """The unmet clauses as sentences: `faster: 2 of 4 not above 1.8x over start: ...`."""
    return tuple(f"{clause.id}: {clause.sentence}" for clause in report.unmet) if report else ()


def spoken_clauses(report: GoalReport | None) -> tuple[str, ...]:
    """`unmet_lines` but for those that only repeat the report's reason."""
    reason = report.reason.removesuffix(".") if report else ""
    return tuple(line for line in unmet_lines(report) if not line.endswith(f": {reason}"))


def goal_object(report: GoalReport) -> dict[str, Any]:
    """The goal's report as JSON."""
    return {
        "met": report.met,
        "outcome": report.outcome.value,
        "reason": report.reason,
        "unmet": [{"id": one.id, "sentence": one.sentence, "failing": one.failing} for one in report.unmet],
        "first_failing": report.first_failing,
    }


def _scenario(scenario: ScenarioRecord) -> ev.ScenarioResult:
    timing = scenario.timing
    return ev.ScenarioResult(
        id=scenario.id,
        family=scenario.family,
        status=scenario.status.value,
        ratio=timing.ratio if timing else None,
        low=timing.low if timing else None,
        high=timing.high if timing else None,
        verdict=timing.verdict.value if timing else None,
        baseline_ns=timing.median_ns_a if timing else None,
        candidate_ns=timing.median_ns_b if timing else None,
        detail=scenario.evidence or scenario.detail,
    )
