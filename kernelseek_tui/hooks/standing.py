"""Where the goal of a folder stands, looked up in the owner's records. Measures nothing."""

from typing import TYPE_CHECKING

from kernelseek_tui.hooks.stop import Standing

if TYPE_CHECKING:  # loaded when there is a workspace: the models cost a fifth of a second
    from harness.goal_check import GoalReport
    from harness.workspace import Workspace


AGAIN = (
    "What kept the judge from judging may have passed: run `kernelseek evaluate` again before anything else."
)
"""What an agent can do about a record that says that the judge could not work (exit code 60)."""


def standing(workspace: "Workspace") -> Standing:
    """Where the workspace's goal stands for the candidate as it is now. Never raises a `JudgeError`."""
    from harness.errors import JudgeError, RefusedCandidate
    from harness.goal_check import RUN_EVALUATE, check_goal
    from harness.records import NO_OWNER, newest_of
    from harness.verdict import Outcome

    name = workspace.candidate.name
    try:
        goal = workspace.goal()
        try:
            sha256 = workspace.candidate_sha256()
        except RefusedCandidate as error:  # the agent's doing, and its to mend
            return Standing("unmet", f"The goal is not met: {error}", "no candidate")
        found = newest_of(workspace.records, sha256, goal.set, goal.baseline, owned_only=True)
        if found is None:
            other = newest_of(workspace.records, sha256, goal.set, goal.baseline, owned_only=False)
            words = f"This version of {name} has no evaluation that counts: {RUN_EVALUATE}."
            if other is not None and other[1].owner == NO_OWNER:
                words += " The one there is was made without a session's owner and counts for nothing."
            return Standing("unmet", words, sha256)
        report = check_goal(goal, workspace.manifest, found[1], sha256)
    except JudgeError as error:
        return Standing("unknown", str(error))
    mark = f"{sha256} {found[1].eval_id}"
    if report.met is None or found[1].status is Outcome.INFRASTRUCTURE:
        why = report.reason if report.met is None else found[1].summary
        return Standing("unknown", f"{why.rstrip('.')}. {AGAIN}", mark)
    if report.met:
        return Standing("met", report.reason, mark)
    return Standing("unmet", _unmet(report, name), mark)


def _unmet(report: "GoalReport", name: str) -> str:
    lines = [f"The goal of this workspace is not met, says the judge's newest evaluation of {name}:"]
    lines += [f"- {clause.id}: {clause.sentence}" for clause in report.unmet]
    if not report.unmet:
        lines.append(f"- {report.reason}")
    if report.first_failing:
        lines.append(f"First failing: {', '.join(report.first_failing)}.")
    lines.append("Go on with these; `kernelseek evaluate` measures again, `kernelseek goal check` shows all.")
    return "\n".join(lines)
