"""`kernelseek sessions import`."""

from pathlib import Path

import click

from kernelseek_tui.cli.sessions.shared import count
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.plain import line


@click.command("import")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--again", is_flag=True, help="Also what was imported before.")
@click.option(
    "--mapping", type=click.Path(path_type=Path), help="How the columns of a score log are meant (TOML)."
)
def import_sessions(paths: tuple[Path, ...], again: bool, mapping: Path | None) -> int:
    """Make a session of each transcript: Claude Code's, a stream, an exported journal, ….

    \b
    kernelseek sessions import ~/.claude/projects/-home-me-kernel/*.jsonl
    kernelseek sessions import run.jsonl.xz

    The events go into a journal of ours, with the file and line each is from; keys and tokens are taken out,
    as of every journal. The file itself stays where it is. Prints the new ids. A file that is refused costs
    only itself; then the command ends 3.
    """
    from kernelseek_tui.cli.inspect import reading_progress
    from sessions.archive.importing import import_transcript
    from sessions.errors import RefusedInput

    refused = 0
    for path in paths:
        try:
            with reading_progress(path) as progress:
                session, damaged = import_transcript(path, again=again, mapping=mapping, progress=progress)
        except RefusedInput as error:
            click.echo(f"kernelseek: {line(str(error))}", err=True)
            refused += 1
            continue
        click.echo(session)
        if damaged:
            lines = count(damaged, "damaged line")
            click.echo(f"{line(str(path))}: {lines}; the journal says which.", err=True)
    return ExitCode.INPUT_REFUSED if refused else ExitCode.OK
