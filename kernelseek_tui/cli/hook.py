"""`kernelseek hook EVENT`: what an agent's client runs at its events. Loads little, for it starts often."""

import io
import json
import sys
from pathlib import Path

import click

from kernelseek_tui.hooks import rewake
from kernelseek_tui.hooks.run import answer
from sessions.home import home as default_home

WAKE = 2
"""The client's exit code for "here is text, begin a turn"; of `hook rewake` alone."""


@click.command()
@click.argument("event")
@click.option(
    "--home",
    type=click.Path(path_type=Path),
    help="KernelSeek's state folder; an installed hook names it. [default: as everywhere]",
)
@click.option("--attached", metavar="SESSION", help="Serve this session alone; an installed hook names it.")
def hook(event: str, home: Path | None, attached: str | None) -> int:
    """Answer the hook EVENT of an agent's client: its JSON on stdin, ours on stdout.

    \b
    stop                    holds the agent to the workspace's goal: the newest evaluation that a
                            session's owner made of this very candidate; measures nothing
    post-tool-use, post-tool-use-failure, user-prompt-submit
                            hand over the questions that wait
    session-start, session-end, subagent-stop
                            tell the copilot
    rewake                  waits beside an idle session and wakes it for a question

    \b
    kernelseek hook stop < stop-input.json

    Always ends with 0 (but `rewake`, whose 2 wakes the session). docs/hooks.md says what the client makes
    of the answers.
    """
    # A closed stdin is input that cannot be read, and is answered as such.
    given = sys.stdin.buffer if sys.stdin is not None else io.BytesIO()
    where = home.absolute() if home is not None else default_home()
    if event == "rewake":
        text = rewake.wait(given, where, attached) if attached else ""
        click.echo(text, err=True, nl=bool(text))
        return WAKE if text else 0
    click.echo(json.dumps(answer(event, given, where, attached)))
    return 0
