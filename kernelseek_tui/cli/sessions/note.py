"""`kernelseek sessions note`."""

from datetime import UTC, datetime

import click

from kernelseek_tui.plain import line


@click.command()
@click.argument("session")
@click.argument("text")
def note(session: str, text: str) -> None:
    """Write TEXT into SESSION's journal, as a person's note. `prune` spares sessions that have one.

    \b
    kernelseek sessions note 20261129-141652-3f9a1c 'the jump at entry 210 is the one to look at'

    Only while nobody owns the session: its owner is its journal's only writer.
    """
    from sessions import events as ev
    from sessions.archive.finding import own_session_folder
    from sessions.errors import LockedSession
    from sessions.journal import Journal

    if not text.strip():
        raise click.UsageError("the note is empty; say something.")
    folder = own_session_folder(session)
    try:
        with Journal(folder) as journal:
            written = journal.append(ev.Note(id="", time=datetime.now(UTC), text=text, author="human"))
    except LockedSession as error:
        owner = f"process {error.pid}" if error.pid else "another process"
        raise LockedSession(
            f"The session {session} is live: {owner} owns it and alone may write to it. Tell whoever runs "
            "it there, or write the note when it has ended.",
            error.pid,
        ) from error
    click.echo(line(f"{session} {written.id}"))
