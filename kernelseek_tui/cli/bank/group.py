"""`kernelseek bank`: the table of its sub-commands."""

import click

from kernelseek_tui.cli.lazy import LazyGroup

# name -> (module:attribute, one line for `kernelseek bank --help`); a command stands here when it works.
_AT = "kernelseek_tui.cli.bank"
COMMANDS: dict[str, tuple[str, str]] = {
    "list": (f"{_AT}.listing:list_entries", "The questions, by group and kind of moment."),
    "show": (f"{_AT}.show:show", "One entry with all that stands beside its question."),
    "search": (f"{_AT}.search:search_entries", "Find questions by words, typing errors forgiven."),
    "browse": (f"{_AT}.browse:browse", "The questions on the screen: filter, search, read, copy."),
    "suggest": (f"{_AT}.suggest:suggest", "Rank the questions for a moment of a session."),
    "new": (f"{_AT}.new:new", "Draft an entry, or make one of a question asked in a session."),
    "lint": (f"{_AT}.lint:lint", "Check the admission rules over entries."),
    "effects": (f"{_AT}.effects:effects", "What became of questions that were asked."),
    "review": (f"{_AT}.review:review", "Make the tests that need a reader, and record them."),
    "evaluate-ranking": (
        f"{_AT}.evaluate_ranking:evaluate_ranking",
        "Score the ranking on labelled states.",
    ),
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
    kernelseek bank search launch overhead
    kernelseek bank lint my-entries/ --strict
    kernelseek bank suggest SESSION.jsonl --kind plateau
    """
