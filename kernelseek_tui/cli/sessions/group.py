"""`kernelseek sessions`: the table of its sub-commands."""

import click

from kernelseek_tui.cli.lazy import LazyGroup

# name -> (module:attribute, one line for `kernelseek sessions --help`); a command stands here when it works.
_AT = "kernelseek_tui.cli.sessions"
COMMANDS: dict[str, tuple[str, str]] = {
    "list": (f"{_AT}.listing:list_sessions", "The sessions kept here, and the bundled ones."),
    "import": (f"{_AT}.importing:import_sessions", "Make a session of any readable transcript."),
    "export": (f"{_AT}.export:export", "One session as one file, redacted."),
    "report": ("kernelseek_tui.cli.report:report", "Sessions as Markdown, HTML or JSON."),
    "annotate": ("kernelseek_tui.cli.annotate:annotate", "Label moments, and compare two annotators."),
    "redact": (f"{_AT}.redact:redact", "A redacted copy of any transcript or text file."),
    "best": (f"{_AT}.best:best", "The best evaluation, and its candidate back into the workspace."),
    "note": (f"{_AT}.note:note", "Write a remark into a session that nobody owns."),
    "prune": (f"{_AT}.prune:prune", "Remove old sessions, after showing which."),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
def sessions() -> None:
    """Sessions kept on this machine, and the bundled ones.

    \b
    kernelseek sessions list
    kernelseek sessions export 20261129-141652-3f9a1c -o run.jsonl.xz
    kernelseek sessions best --restore

    See docs/sessions.md.
    """
