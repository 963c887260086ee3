"""`kernelseek evaluate`: judge a candidate, by the session's owner where one lives."""

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from harness.goal import GoalError
from harness.goal_check import GoalReport
from harness.machine import boot_id
from harness.owner.ask import Evaluated, request_evaluation
from harness.owner.files import OwnerIdentity
from harness.request import EvaluationRequest, Progress
from harness.verdict import exit_code
from harness.workspace import Workspace, WorkspaceError, find, state_home
from kernelseek_tui.cli.evaluation_text import evaluation_text
from kernelseek_tui.cli.own_benchmark import run_own
from kernelseek_tui.cli.progress import ProgressLine
from kernelseek_tui.evaluations import goal_object, goal_report
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.gaps import gap_words, known_gaps
from kernelseek_tui.own_benchmark.declared import OwnBenchmark, OwnBenchmarkError, find_benchmark

KEPT = (
    "What was found right and timed so far is kept: the next `kernelseek evaluate` of the same goes on from "
    "there (--fresh does all anew)."
)


@click.command()
@click.argument("candidate", required=False, type=click.Path(path_type=Path))
@click.option("--operator", metavar="NAME", help="What the candidate computes; needed outside a workspace.")
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", show_default=True)
@click.option(
    "--set", "scenario_set", metavar="NAME", help="Default: the goal's set, else the operator's own."
)
@click.option("--scenarios", metavar="GLOB", help="Judge only the ids that match; meets no goal.")
@click.option("--baseline", metavar="NAME", help="What ratios are over; default: the goal's, else the start.")
@click.option(
    "--python",
    metavar="PATH",
    envvar="KERNELSEEK_PYTHON",
    show_envvar=True,
    help="An interpreter with torch, for the reference.",
)
@click.option(
    "--fresh", is_flag=True, help="Do all anew, also what an evaluation that broke off had finished."
)
@click.option("--own", is_flag=True, help="Run the project's own benchmark, also where there is a workspace.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole record and the goal as one object.")
def evaluate(
    candidate: Path | None,
    operator: str | None,
    device: str,
    scenario_set: str | None,
    scenarios: str | None,
    baseline: str | None,
    python: str | None,
    fresh: bool,
    own: bool,
    as_json: bool,
) -> int:
    """Judge CANDIDATE, or the workspace's own: is it right, and how fast against the baseline?

    \b
    kernelseek evaluate                                        in a workspace
    kernelseek evaluate --scenarios 'window-*'                 a quick look at some of them; meets no goal
    kernelseek evaluate my.cpp --operator attention --json     a file outside of a workspace
    kernelseek evaluate --own                                  the project's own benchmark; not judged

    Ends with the verdict: 0 goal met (or all correct where there is no goal), 10 correct but unmet,
    11 ambiguous, 20 wrong, 30 does not build, 40 timeout, 50 broke a rule, 60 the judge could not work.
    """
    signal.signal(signal.SIGTERM, _interrupted)  # what a client's time limit sends: end the runners too
    options: dict[str, Any] = {
        "device": device,
        "scenarios": scenarios,
        "python": python,
        "fresh": fresh,
    }
    benchmark = _own_benchmark(own, candidate, operator)
    if benchmark is not None:
        return run_own(benchmark, as_json=as_json)
    workspace = _workspace(candidate, operator)
    report: GoalReport | None = None
    unread = ""
    with _Keeping() as keeping, ProgressLine(sys.stderr) as line:

        def progress(now: Progress) -> None:
            keeping.see(now)
            line.show(now)

        if workspace is None:
            assert candidate is not None
            assert operator is not None
            made = _alone(candidate, operator, scenario_set, baseline, options, progress)
        else:
            goal = workspace.goal()  # one that cannot be read is refused before anything is judged

            def asked(owner: OwnerIdentity) -> None:
                line.say(f"asked the owner of this workspace (session {owner.session}) to judge")

            made = request_evaluation(
                workspace,
                candidate=candidate,
                scenario_set=goal.set if scenario_set is None else scenario_set,
                baseline=goal.baseline if baseline is None else baseline,
                progress=progress,
                asked=asked,
                **options,
            )
            try:
                report = goal_report(workspace, made.record)
            except GoalError as error:  # it was changed meanwhile; what was judged is still shown
                unread = str(error)
    for note in made.notes:
        click.echo(note, err=True)
    code = exit_code(made.record.status, report.outcome if report else None)
    ended = int(ExitCode.INPUT_REFUSED if unread else code)
    if as_json:
        click.echo(json.dumps(_object(made, report, ended, unread), indent=1))
    else:
        now = made.record.hashes.candidate
        gaps = {} if workspace is None else gap_words(known_gaps(workspace), now)
        click.echo(evaluation_text(made.record, made.path, report, code, gaps, unread=unread))
    return ended


class _Keeping:
    """Says, where an evaluation is interrupted, that what it had finished is kept."""

    def __init__(self) -> None:
        self._some = False

    def see(self, now: Progress) -> None:
        """Where it is: the build is the first step, and is nothing to go on from."""
        self._some = self._some or (now.stage not in {"build", "done"} and now.done > 1)

    def __enter__(self) -> "_Keeping":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # Without a boot's name nothing is kept (`harness.evaluation`).
        if kind is not None and issubclass(kind, KeyboardInterrupt) and self._some and boot_id():
            click.echo(KEPT, err=True)


def _own_benchmark(wanted: bool, candidate: Path | None, operator: str | None) -> OwnBenchmark | None:
    """The project's own benchmark where it is what measures: asked for, or in no workspace of ours."""
    if candidate is not None or operator is not None:
        if wanted:
            raise click.UsageError(
                "--own runs the project's benchmark, which takes no candidate and operator."
            )
        return None
    here = Path.cwd()
    found = find_benchmark(here, state_home())
    if wanted and found is None:
        raise OwnBenchmarkError(
            f"{here} is in no project with a benchmark of its own; declare it with "
            "`kernelseek init --benchmark COMMAND`."
        )
    if found is None or wanted:
        return found
    around = find(here)
    nearer = around is None or (found.root != around.root and around.root in found.root.parents)
    return found if nearer else None


def _interrupted(_: int, __: object) -> NoReturn:
    raise KeyboardInterrupt


def _workspace(candidate: Path | None, operator: str | None) -> Workspace | None:
    """The workspace to judge in; None for a candidate that is judged alone."""
    places = [Path.cwd()] if candidate is None else [Path.cwd(), candidate.absolute().parent]
    found = next((workspace for place in places if (workspace := find(place)) is not None), None)
    if found is not None and operator in {None, found.operator}:
        return found
    if candidate is not None and operator is not None:
        return None
    if found is not None:
        raise WorkspaceError(
            f"This workspace is for {found.operator}; to judge a candidate for {operator}, name its file too."
        )
    if candidate is not None:
        raise click.UsageError("Outside a workspace, --operator has to say what the candidate computes.")
    raise WorkspaceError(
        f"{Path.cwd()} is in no workspace; make one with `kernelseek init OPERATOR [DIR]`, "
        "or name a candidate and --operator."
    )


def _alone(
    candidate: Path,
    operator: str,
    scenario_set: str | None,
    baseline: str | None,
    options: dict[str, Any],
    progress: Callable[[Progress], None],
) -> Evaluated:
    from harness.judge import evaluate as run_judge  # here: who asks an owner needs no judge

    home = state_home()

    def place(eval_id: str) -> Path:
        return home / "records" / f"{eval_id}.json"

    record = run_judge(
        EvaluationRequest(
            operator=operator,
            candidate=candidate,
            scenario_set=scenario_set,
            baseline="start" if baseline is None else baseline,
            candidates=home / "candidates",
            **options,
        ),
        progress,
        place=place,
    )
    return Evaluated(record, place(record.eval_id))


def _object(made: Evaluated, report: GoalReport | None, code: int, unread: str) -> dict[str, Any]:
    return {
        "path": str(made.path),
        "exit_code": code,
        "goal": goal_object(report) if report else None,
        "goal_unread": unread,
        "record": made.record.model_dump(mode="json"),
    }
