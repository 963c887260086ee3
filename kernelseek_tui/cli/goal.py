"""`kernelseek goal check`: what the newest evaluation of the candidate says about the goal."""

import json
from pathlib import Path

import click

from harness.goal_check import check_goal
from harness.operators import load_operator
from harness.owner.files import live_owner
from harness.records import NO_OWNER, newest_of
from harness.sides import find_baseline
from harness.verdict import VerdictCode, exit_code
from harness.workspace import require
from kernelseek_tui.cli.evaluation_text import flag_lines
from kernelseek_tui.evaluations import goal_object, spoken_clauses
from kernelseek_tui.plain import line


@click.group()
def goal() -> None:
    """Check the workspace's goal.

    \b
    kernelseek goal check          in a workspace, after `kernelseek evaluate`
    kernelseek goal check --json
    """


@goal.command()
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as one object.")
def check(as_json: bool) -> int:
    """Say whether the candidate, as it is now, meets the goal. Measures nothing.

    \b
    kernelseek goal check
    kernelseek goal check --json | jq .unmet

    Looks up the newest record of this very file that a session's owner made; without a session also one made
    without an owner, and says so. Ends as `kernelseek evaluate` does.
    """
    workspace = require(Path.cwd())
    wanted = workspace.goal()
    find_baseline(load_operator(workspace.operator), wanted.baseline)  # refuses one that there is not
    sha256 = workspace.candidate_sha256()
    owner = live_owner(workspace.owner_lock)
    found = newest_of(workspace.records, sha256, wanted.set, wanted.baseline, owned_only=owner is not None)
    report = check_goal(wanted, workspace.manifest, found[1] if found else None, sha256)
    code = exit_code(found[1].status, report.outcome) if found else VerdictCode.NOT_MET
    owned = found is not None and found[1].owner != NO_OWNER
    if as_json:
        answer = {
            **goal_object(report),
            "exit_code": int(code),
            "path": str(found[0]) if found else None,
            "owner_made": owned,
            "rehearsed": found is not None and found[1].rehearsed,
            "flags": [line(words) for words in flag_lines(found[1])] if found else [],
        }
        click.echo(json.dumps(answer, indent=1))
        return int(code)
    word = {True: "met", False: "unmet", None: "unknown"}[report.met]
    click.echo(line(f"GOAL {word} (exit {int(code)}): {report.reason}"))
    for sentence in spoken_clauses(report):
        click.echo(line(f"unmet {sentence}"))
    for clause in wanted.clause:
        for glob, above in clause.targets.items():
            click.echo(line(f"target {clause.id}: {glob} above {above:g}x"))
    if found:
        rehearsed = ", rehearsed" if found[1].rehearsed else ""
        made = f"made by the owner {found[1].owner}" if owned else "made without a session's owner"
        click.echo(f"record {found[0]} ({made}{rehearsed})")
    for words in flag_lines(found[1]) if found else ():
        click.echo(line(words))
    return int(code)
