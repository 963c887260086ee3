"""`kernelseek bank new --lists`: the values that the keys of an entry may have."""

from collections.abc import Iterator, Sequence
from textwrap import fill

import click

from bank.question import Architecture, Category, Group
from sessions.vocabulary import DecisionKind, Layer


def closed_lists() -> dict[str, Sequence[str]]:
    """Every closed list by the key of an entry that takes its values."""
    from bank.words import vocabulary  # with the reader of YAML

    return {
        "group": [one.value for one in Group],
        "decision_kinds": [one.value for one in DecisionKind],
        "category": [one.value for one in Category],
        "moves, and next in outcomes": [one.value for one in Layer],
        "verdict in outcomes": ["reopen", "stand"],
        "architectures": [one.value for one in Architecture],
        "measurement.tools": sorted(vocabulary("tools")["tools"]),
    }


def print_lists(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """The callback of the option: print them and end."""
    if wanted and not context.resilient_parsing:
        click.echo("\n".join(_lines()))
        context.exit()


def _lines() -> Iterator[str]:
    for key, values in closed_lists().items():
        yield f"{key}:"
        yield fill(
            ", ".join(values), 100, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
        )
