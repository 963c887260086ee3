"""`kernelseek bank`: the table of its sub-commands."""

import click

from kernelseek_tui.cli.lazy import LazyGroup

# name -> (module:attribute, one line for `kernelseek bank --help`); a command stands here when it works.
_AT = "kernelseek_tui.cli.bank"
COMMANDS: dict[str, tuple[str, str]] = {
    "list": (f"{_AT}.listing:list_entries", "The questions, by group and kind of moment."),
    "show": (f"{_AT}.show:show", "One entry with all that stands beside its question."),
    "suggest": (f"{_AT}.suggest:suggest", "Rank the questions for a moment of a session."),
    "lint": (f"{_AT}.lint:lint", "Check the admission rules over entries."),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
def bank() -> None:
    """The questions.

    \b
    kernelseek bank list --kind plateau
    kernelseek bank show kq-host-001
    kernelseek bank lint my-entries/ --strict
    kernelseek bank suggest SESSION.jsonl --kind plateau
    """
