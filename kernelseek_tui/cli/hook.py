"""`kernelseek hook EVENT`: what an agent's client runs at its events. Loads little, for it starts often."""

import io
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import click

from kernelseek_tui.hooks import rewake
from kernelseek_tui.hooks.answers import Answer, aloud
from kernelseek_tui.hooks.run import answer
from sessions.home import home as default_home

WAKE = 2
"""The client's exit code for "here is text, begin a turn"; of `hook rewake` alone."""

BLOCK = 2
"""The client's exit code for "do not stop", with the reason on stderr; where stdout cannot be written."""


class HookCommand(click.Command):
    """Answers also a call that is none: 2, which a usage error ends with, means "refused" to the client."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of a call; for a mistaken one the answer, and the end with 0."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            words = f"KernelSeek's hook was called wrongly and held nothing: {error.format_message()}"
            _say("stop", aloud(words))
            _written(sys.stderr, f"{words} `kernelseek hook --help` shows how.\n")
            raise click.exceptions.Exit(0) from error


@click.command(cls=HookCommand)
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

    Ends with 0; with 2 and the reason on stderr where a stop is refused and stdout cannot be written, and
    where `rewake` wakes the session. docs/hooks.md says what the client makes of the answers.
    """
    # A closed stdin is input that cannot be read, and is answered as such.
    given = sys.stdin.buffer if sys.stdin is not None else io.BytesIO()
    where = _state_folder(home)
    if event == "rewake":
        return _wake(_woken_by(given, where, attached))
    return _say(event, answer(event, given, where, attached))


def _state_folder(home: Path | None) -> Path:
    try:
        return home.absolute() if home is not None else default_home()
    except (OSError, RuntimeError):
        # Relative to a folder that is gone, or to an unknown person's: a path below no folder, which
        # the hook then says it cannot use.
        return Path(os.devnull, os.environ.get("KERNELSEEK_HOME", "").lstrip("/"))


def _woken_by(given: BinaryIO, home: Path, attached: str | None) -> str:
    try:
        return rewake.wait(given, home, attached) if attached else ""
    except Exception as error:  # a traceback would say no more to anybody; the stop hook says what is broken
        _written(sys.stderr, f"kernelseek: nothing waits beside this session ({error}).\n")
        return ""


def _wake(text: str) -> int:
    return WAKE if text and not _written(sys.stderr, f"{text}\n") else 0


def _say(event: str, said: Answer) -> int:
    """Print the answer; the exit code. What was meant to hold the agent holds it without stdout, too."""
    why = _written(sys.stdout, json.dumps(said) + "\n")
    if not why:
        return 0
    if said.get("decision") == "block":
        words, code = str(said["reason"]), BLOCK
    else:
        lost = "A question did not arrive." if "hookSpecificOutput" in said else "Nothing is held up."
        words, code = str(said.get("systemMessage", lost)), 0
    _written(sys.stderr, f"{words}\n(kernelseek: the {event} hook's stdout cannot be written: {why}.)\n")
    return code


def _written(stream: TextIO | None, text: str) -> str:
    """Write all of `text` now; why that failed, or nothing.

    Goes round the commands' `Output`, for which a reader that has gone is no failure.
    """
    try:
        if stream is None:
            return "it is closed"
        stream.buffer.write(text.encode(errors="backslashreplace"))
        stream.buffer.flush()
    except (OSError, ValueError, AttributeError) as error:  # closed before the start: no stream has a buffer
        if stream is not None:
            _discard(stream)
        return str(getattr(error, "strerror", None) or "it is closed")
    return ""


def _discard(stream: TextIO) -> None:
    """Send what is still buffered nowhere: Python flushes at exit, and would end with a code of its own."""
    with suppress(OSError, ValueError):
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)
