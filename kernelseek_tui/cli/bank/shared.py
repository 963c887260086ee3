"""Options and forms that the bank's commands share."""

import json
from pathlib import Path

import click

from bank.question import Group, Question
from sessions.vocabulary import DecisionKind

KINDS = click.Choice([kind.value for kind in DecisionKind])
GROUPS = click.Choice([group.value for group in Group])
BANK = click.option(
    "--bank", "folder", type=click.Path(path_type=Path), help="Another bank: a folder of *.yaml."
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")


def dump(value: object) -> str:
    """JSON as it is printed."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def data_of(entry: Question) -> object:
    """An entry as JSON values, by the names used in files."""
    return entry.model_dump(mode="json", by_alias=True)


def count(number: int, one: str, many: str = "") -> str:
    """A number and its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"
