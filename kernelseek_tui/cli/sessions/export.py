"""`kernelseek sessions export`."""

import os
from pathlib import Path

import click

from kernelseek_tui.cli.sessions.shared import REMINDER, count, redaction_report, size_text
from kernelseek_tui.plain import line
from sessions.archive.writing import PACKINGS


@click.command()
@click.argument("session")
@click.option(
    "-o", "--output", "target", type=click.Path(path_type=Path), metavar="FILE", help="[default: ID.jsonl.xz]"
)
@click.option(
    "--format", "packing", type=click.Choice(PACKINGS), help="[default: as FILE's name ends, else xz]"
)
@click.option("--no-redact", is_flag=True, help="Leave paths, names and addresses in.")
@click.option(
    "--manifest",
    "command",
    metavar="COMMAND",
    help="Also write a manifest: COMMAND, redacted, made the session.",
)
def export(
    session: str, target: Path | None, packing: str | None, no_redact: bool, command: str | None
) -> None:
    """Write SESSION (an id, a bundled one's id or a transcript's path) to one file, redacted.

    \b
    kernelseek sessions export 20261129-141652-3f9a1c
    kernelseek sessions export 20261129-141652-3f9a1c -o run.jsonl.gz
    kernelseek sessions export run.jsonl -o run.jsonl.xz --manifest 'kernelseek steer work --agent claude'

    Keys, tokens, home paths, user and host names and e-mail addresses are replaced; what and how often is
    told on stderr. `replay`, `inspect` and `import` open the compressed file. Nothing is overwritten.
    """
    from kernelseek_tui.cli.inspect import reading_progress
    from sessions.archive.exporting import export as write
    from sessions.archive.exporting import redactor_here
    from sessions.archive.finding import find_session
    from sessions.archive.manifest import SUFFIX, describe
    from sessions.archive.writing import packing_of, refuse_existing, write_new
    from sessions.clean import Cleaner
    from sessions.redaction import secret_values

    source = find_session(session)
    chosen = next((one for one in PACKINGS if one == packing), None)
    if target is None:
        chosen = chosen or "xz"
        target = Path(f"{_name_of(source)}.jsonl" + ("" if chosen == "jsonl" else f".{chosen}"))
    chosen = chosen or packing_of(target)
    about = target.with_name(target.name.split(".", 1)[0] + SUFFIX)
    if command is not None:
        refuse_existing(about)
    redactor = None if no_redact else redactor_here()
    if redactor is not None and command is not None:
        redactor.learn(command)
    with reading_progress(source) as progress:
        told = write(source, target, chosen, redactor, progress)
    click.echo(line(str(target)))
    words = f"{count(told.events, 'event')}, {size_text(target.stat().st_size)}, sha256 {told.sha256}"
    click.echo(words, err=True)
    if told.damaged:
        click.echo(f"{count(told.damaged, 'damaged line')} of the source could not be read.", err=True)
    if no_redact:
        click.echo("not redacted: paths, names and addresses are in the file", err=True)
    else:
        click.echo(redaction_report(told.redacted), err=True)
        click.echo(REMINDER, err=True)
    if command is not None:
        # A command line is where passwords stand: kept out even of what is not redacted otherwise.
        cleaner = redactor or Cleaner(secret_values(os.environ))
        command = cleaner.text(command)
        counted = dict(+redactor.found) if redactor else {}
        manifest = describe(target, told.sha256, told.events, told.started, command, counted)
        write_new(about, [manifest.model_dump_json(indent=1).encode() + b"\n"])
        click.echo(line(str(about)))


def _name_of(source: Path) -> str:
    """A file name for the export: the session's folder of a journal, else the source's own name."""
    from sessions.home import JOURNAL

    folder = source if source.is_dir() else source.parent
    if (source.name == JOURNAL or source.is_dir()) and folder.name:
        return folder.name
    return source.name.split(".", 1)[0] or "session"
