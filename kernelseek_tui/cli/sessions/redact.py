"""`kernelseek sessions redact`."""

from pathlib import Path

import click

from kernelseek_tui.cli.sessions.shared import REMINDER, redaction_report
from kernelseek_tui.plain import line


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "target",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The copy.",
)
def redact(path: Path, target: Path) -> None:
    """Write a redacted copy of PATH, in the form it has: a Claude Code transcript stays one.

    \b
    kernelseek sessions redact ~/.claude/projects/-home-me-kernel/0a72.jsonl -o shared.jsonl
    kernelseek sessions redact notes.md -o notes-redacted.md

    Replaced are keys, tokens, home paths, user and host names where a path, prompt or listing shows them, and
    e-mail addresses, always by the same words. PATH is never changed and nothing is overwritten.
    """
    from kernelseek_tui.cli.inspect import reading_progress
    from sessions.archive.exporting import redactor_here
    from sessions.archive.rewriting import rewrite
    from sessions.errors import RefusedInput
    from sessions.readers.detect import resolve

    source = resolve(path)
    if path.is_dir() and (source.with_suffix("") / "subagents").is_dir():
        raise RefusedInput(
            f"{path} holds a session of several files; redact them one by one, or export it into one file."
        )
    redactor = redactor_here()
    with reading_progress(source) as progress:
        rewrite(source, target, redactor, progress)
    click.echo(line(str(target)))
    click.echo(redaction_report(+redactor.found), err=True)
    click.echo(REMINDER, err=True)
