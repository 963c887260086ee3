"""`kernelseek gap`: record what holds scenarios back, with the measurement that says so."""

import json
import re
from pathlib import Path
from typing import Any

import click

from harness.gaps import GAP_NAMES, MAX_MEASURED, GapEntry, GapName, add_gap, matching
from harness.workspace import Workspace, require
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.gaps import EARLIER, known_gaps
from kernelseek_tui.plain import line, one_line

_NUMBER = re.compile(r"[0-9]")


@click.command()
@click.argument("scenarios", required=False)
@click.argument("gap_class", metavar="[CLASS]", required=False, type=click.Choice(GAP_NAMES))
@click.option("--measured", metavar="TEXT", help="The measurement that says so, with its number.")
@click.option("--list", "listing", is_flag=True, help="Show what is recorded (as without arguments).")
@click.option("--json", "as_json", is_flag=True, help="Print it as one object.")
def gap(
    scenarios: str | None, gap_class: GapName | None, measured: str | None, listing: bool, as_json: bool
) -> int:
    """Record that CLASS (host, routing or kernel) holds SCENARIOS back; without them, show what is recorded.

    \b
    kernelseek gap 'decode-*' host --measured '41 us a call, of which 33 us with an empty kernel'
    kernelseek gap
    kernelseek gap --list --json

    SCENARIOS is a glob over the ids of the goal's set. host: the time goes outside the kernel; routing: these
    take another path or split than the fast ones; kernel: the path is right and the kernel is slow. A
    session's owner writes it into its journal; without one it waits for the next.
    """
    workspace = require(Path.cwd())
    if scenarios is None or listing:
        if scenarios is not None or measured is not None:
            raise click.UsageError("--list takes no scenarios, class or measurement.")
        return _show(workspace, as_json=as_json)
    if gap_class is None:
        raise click.UsageError(f"Say what holds {line(scenarios)} back: {', '.join(GAP_NAMES)}.")
    words = " ".join((measured or "").split())
    if not _NUMBER.search(words):
        raise click.UsageError(
            "--measured has to say the measurement with its number: '33 of 41 us with an empty kernel'."
        )
    if len(words) > MAX_MEASURED:
        raise click.UsageError(f"--measured is over {MAX_MEASURED} characters; say the one that decides.")
    ids = matching(workspace.manifest, workspace.goal().set, scenarios)
    entry = add_gap(workspace.gaps, ids, gap_class, words, workspace.candidate_sha256())
    if as_json:
        click.echo(json.dumps(_object(entry), indent=1))
    else:
        click.echo(line(f"gap {gap_class}: {len(ids)} of {_total(workspace)} scenarios: {', '.join(ids)}"))
    return ExitCode.OK


def _show(workspace: Workspace, *, as_json: bool) -> int:
    gaps = known_gaps(workspace)
    wanted = workspace.manifest.ids(workspace.goal().set)
    now = workspace.candidate_sha256()
    if as_json:
        listed = {
            one: {**_object(gaps[one]), "earlier_candidate": gaps[one].candidate_sha256 != now}
            if one in gaps
            else None
            for one in wanted
        }
        click.echo(json.dumps({"set": workspace.goal().set, "scenarios": listed}, indent=1))
        return ExitCode.OK
    width = max(len(one) for one in wanted)
    for one in wanted:
        if one not in gaps:
            click.echo(line(f"{one:<{width}}  -"))
            continue
        entry = gaps[one]
        older = "" if entry.candidate_sha256 == now else f" {EARLIER}"
        click.echo(f"{line(one):<{width}}  {entry.gap:<7}  {one_line(entry.measured)}{older}")
    return ExitCode.OK


def _object(entry: GapEntry) -> dict[str, Any]:
    return entry.model_dump(mode="json")


def _total(workspace: Workspace) -> int:
    return len(workspace.manifest.ids(workspace.goal().set))
