"""`kernelseek sessions best`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelseek_tui.plain import line

if TYPE_CHECKING:
    from sessions import events as ev
    from sessions.state import SessionState


@click.command()
@click.argument("session", required=False)
@click.option(
    "--restore", is_flag=True, help="Write its candidate over the workspace's; the old one is kept."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def best(session: str | None, restore: bool, as_json: bool) -> None:
    """Show the best evaluation of SESSION: every scenario correct, the highest geometric mean.

    \b
    kernelseek sessions best
    kernelseek sessions best 20261129-141652-3f9a1c --restore

    Without SESSION: the newest session recorded here that has one; in a workspace the newest of that one.
    Compared are evaluations over the same set and baseline only.
    """
    from kernelseek_tui.restore import record_trouble
    from sessions.errors import RefusedInput

    named, state = _of(session) if session is not None else _newest()
    if state.best is None:
        raise RefusedInput(f"The session {named} has no evaluation in which every scenario is correct.")
    event = state.best.event
    told = {
        "session": named,
        "evaluation": event.evaluation,
        "event": event.id,
        "geomean": event.geomean,
        "low": event.low,
        "high": event.high,
        "baseline": event.baseline,
        "scenario_set": event.scenario_set,
        "correct": event.correct,
        "total": event.total,
        "counts": event.counts,
        "rehearsed": state.rehearsed,
        "candidate_sha256": event.candidate_sha256,
        "record": event.record,
        "record_sha256": event.record_sha256,
        "record_trouble": record_trouble(event),
    }
    if restore:
        told.update(_restored(named, state, event))
    if as_json:
        click.echo(json.dumps(told, indent=1, ensure_ascii=False))
        return
    for text in _lines(told):
        click.echo(line(text))


def _of(session: str) -> "tuple[str, SessionState]":
    from sessions.archive.finding import find_session

    return session, _folded(find_session(session))


def _newest() -> "tuple[str, SessionState]":
    """The newest session with a best evaluation, of the workspace we stand in where we do."""
    from harness.workspace import find
    from sessions.archive.finding import own_sessions
    from sessions.archive.listing import own_row
    from sessions.errors import RefusedInput

    workspace = find(Path.cwd())
    for folder in reversed(own_sessions()):
        row = own_row(folder)
        inside = workspace is None or row.workspace == str(workspace.root)
        if inside and row.where == "here" and row.geomean is not None:
            return row.id, _folded(row.path)
    where = f"of the workspace {workspace.root}" if workspace is not None else "here"
    raise RefusedInput(f"No session {where} has an evaluation in which every scenario is correct.")


def _folded(path: Path) -> "SessionState":
    from sessions.state import fold
    from sessions.transcript import TranscriptStream

    return fold(TranscriptStream(path))


def _restored(named: str, state: "SessionState", event: "ev.Evaluation") -> dict[str, Any]:
    from kernelseek_tui.restore import frozen_of, restore, workspace_of
    from sessions.archive.finding import own_session_folder
    from sessions.archive.importing import origin_of
    from sessions.errors import RefusedInput

    if origin_of(own_session_folder(named)) is not None:
        raise RefusedInput(f"The session {named} was imported; restore it where it was recorded.")
    workspace = workspace_of(state.started)
    done = restore(workspace, frozen_of(workspace, event))
    return {
        "restored": str(done.candidate),
        "kept": str(done.kept) if done.kept else None,
        "changed": done.changed,
    }


def _lines(told: dict[str, Any]) -> list[str]:
    low, high = told["low"], told["high"]
    interval = f" [{low:.3g}, {high:.3g}]" if low is not None and high is not None else ""
    within = f", set {told['scenario_set']}" if told["scenario_set"] else ""
    lines = [
        f"session:   {told['session']}"
        + (" (rehearsed: the agent was scripted)" if told["rehearsed"] else ""),
        f"best:      {told['geomean']:.3g}x over {told['baseline'] or 'an unnamed baseline'}{interval}, "
        f"{told['correct']}/{told['total']} correct{within}",
        f"candidate: {told['candidate_sha256'] or 'no hash'}",
        f"record:    {told['record'] or 'none'}"
        + (f" ({told['record_trouble']})" if told["record_trouble"] and told["record"] else ""),
        f"sha256:    {told['record_sha256'] or 'none'}",
    ]
    if not told["counts"]:
        lines.append("It does not count for the goal: no owner of the session made it.")
    if told.get("restored"):
        if told["changed"]:
            kept = told["kept"]
            lines.append(
                f"restored:  {told['restored']}" + (f"; what was there is now {kept}" if kept else "")
            )
        else:
            lines.append(f"restored:  {told['restored']} is this candidate already; nothing was written")
    return lines
