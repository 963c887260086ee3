"""`kernelseek bank lint`."""

from pathlib import Path

import click

from bank.admission.finding import LintFinding
from bank.admission.lints import admit_path
from bank.bank import ENTRIES
from bank.errors import BankError
from kernelseek_tui.cli.bank.shared import JSON, count, dump
from kernelseek_tui.plain import line


@click.command()
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--strict", is_flag=True, help="Refuse unexplained warnings too.")
@JSON
def lint(path: Path | None, strict: bool, as_json: bool) -> None:
    """Check the admission rules over a folder or file of entries; without PATH over the shipped bank.

    Exits 0 when no rule of level error is broken, else 3; with --strict a warning counts as well. A warning
    is explained in the entry: lint_ok: {Q07: {reason: '…', by: '…', text: '1a2b3c4d'}}, for this text only.

    \b
    kernelseek bank lint
    kernelseek bank lint my-entries/host.yaml --json
    """
    findings, total = admit_path(ENTRIES if path is None else path)
    errors = sum(found.level == "error" for found in findings)
    warnings = len(findings) - errors
    if as_json:
        click.echo(dump({"entries": total, "findings": [_finding(found) for found in findings]}))
    else:
        for found in findings:
            click.echo(line(_line(found)))
    summary = f"{count(total, 'entry', 'entries')}: {count(errors, 'error')}, {count(warnings, 'warning')}"
    if errors or (strict and warnings):
        raise BankError(f"{summary}; change what is named above, or explain a warning with lint_ok")
    click.echo(summary, err=True)


def _finding(found: LintFinding) -> dict[str, str]:
    return {
        "entry": found.entry,
        "lint": found.lint,
        "level": found.level,
        "words": found.words,
        "message": found.message,
    }


def _line(found: LintFinding) -> str:
    words = f"  [{found.words}]" if found.words and found.words not in found.message else ""
    return f"{found.level:<8} {found.lint:<8}{found.entry or 'bank':<18}{found.message}{words}"
