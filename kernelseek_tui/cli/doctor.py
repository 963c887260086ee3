"""`kernelseek doctor`: what is here, what is missing, and what to do about it."""

import json
import sys
from dataclasses import asdict

import click

from kernelseek_tui.doctor.finding import Surroundings
from kernelseek_tui.doctor.table import SCRIPTED_ONLY, examine, ready
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.plain import one_line


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option(
    "--python", metavar="PATH", help="The interpreter that has torch, for the reference; default: this one."
)
def doctor(as_json: bool, python: str | None) -> int:
    """Look at this machine: what is installed, which versions, what will work.

    Changes nothing and sends nothing. Takes a few seconds at most. Ends 0 when everything that
    `kernelseek demo` needs is there, else 60.

    \b
    kernelseek doctor
    kernelseek doctor --python ~/envs/torch/bin/python
    kernelseek doctor --json | jq '.checks[] | select(.state == "missing")'
    """
    findings = examine(Surroundings(python=python or sys.executable))
    good = ready(findings)
    if as_json:
        checks = [asdict(finding) for finding in findings]
        click.echo(json.dumps({"ready": good, "checks": checks, "scripted_only": SCRIPTED_ONLY}))
        return ExitCode.OK if good else ExitCode.INFRASTRUCTURE
    for finding in findings:
        click.echo(f"{finding.state:<8} {finding.name:<18} {one_line(finding.found)}")
        if finding.advice:
            click.echo(f"{'':<27} -> {one_line(finding.advice)}")
    click.echo("")
    click.echo("was only ever run against a scripted model, never a real one:")
    for name in SCRIPTED_ONLY:
        click.echo(f"  {name}")
    click.echo("")
    if good:
        click.echo("`kernelseek demo` will work here.")
        return ExitCode.OK
    lacking = [finding.name for finding in findings if finding.needed and finding.state == "missing"]
    click.echo(f"`kernelseek demo` will not work here: {', '.join(lacking)}.")
    return ExitCode.INFRASTRUCTURE
