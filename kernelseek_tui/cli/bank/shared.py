"""Options and forms that the bank's commands share."""

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click

from bank.bank import Bank, Status
from bank.question import Architecture, Group, Question
from kernelseek_tui.cli.bank_option import BANKS as BANKS
from sessions.vocabulary import DecisionKind, Layer

F = TypeVar("F", bound=Callable[..., Any])

KINDS = click.Choice([kind.value for kind in DecisionKind])
GROUPS = click.Choice([group.value for group in Group])
LAYERS = click.Choice([layer.value for layer in Layer])
FAMILIES = click.Choice([family.value for family in Architecture])
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")
_FILTERS = (
    click.option("--group", type=GROUPS, help="Only entries of this group."),
    click.option("--kind", type=KINDS, help="Only entries that serve this kind of decision point."),
    click.option("--layer", type=LAYERS, help="Only entries that move, or have an answer that leads, there."),
    click.option("--architecture", type=FAMILIES, help="Only entries for this family of devices."),
    click.option(
        "--upstream", is_flag=True, help="Only entries that need another implementation to compare with."
    ),
    click.option("--core", is_flag=True, help="Only entries for every device, with nothing to compare with."),
    click.option(
        "--status",
        type=click.Choice(get_args(Status)),
        help="Only entries of this status; else all but the deprecated.",
    ),
)


def filters(command: F) -> F:
    """The options by which entries are chosen; `selected` applies what they were given."""
    for option in reversed(_FILTERS):
        command = option(command)
    return command


def selected(loaded: Bank, chosen: dict[str, Any]) -> tuple[Question, ...]:
    """The entries that the options of `filters` let through."""
    if chosen["core"] and (chosen["upstream"] or chosen["architecture"]):
        raise click.UsageError("--core leaves out what --upstream and --architecture ask for; give one.")
    made = {"group": Group, "kind": DecisionKind, "layer": Layer, "architecture": Architecture}
    given: dict[str, Any] = {name: make(chosen[name]) for name, make in made.items() if chosen[name]}
    return loaded.select(
        **given,
        upstream=True if chosen["upstream"] else None,
        core=True if chosen["core"] else None,
        status=chosen["status"],
    )


def dump(value: object) -> str:
    """JSON as it is printed: letters as they are, and what a terminal would obey as an escape."""
    return _OBEYED.sub(_escaped, json.dumps(value, indent=2, ensure_ascii=False))


# Controls, direction marks and overrides, line and paragraph separators, joiners and other signs of no width,
# tags, lone surrogates. The newlines of the layout stay; those in strings are escaped already.
_OBEYED = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def data_of(entry: Question) -> object:
    """An entry as JSON values, by the names used in files."""
    return entry.model_dump(mode="json", by_alias=True)


def count(number: int, one: str, many: str = "") -> str:
    """A number and its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"
