"""A group whose sub-commands stand in a table and are imported only when they are needed."""

import importlib
from collections.abc import Mapping
from typing import Any

import click

Table = Mapping[str, tuple[str, str]]
"""name -> (module:attribute, one line for the group's `--help`)."""


class LazyGroup(click.Group):
    """A group that imports a sub-command only when it is needed, so `--help` stays fast.

    `@click.group(cls=LazyGroup, table=COMMANDS)`: another sub-command is another row of the table.
    """

    def __init__(self, *args: Any, table: Table, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the table."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command behind a name."""
        if cmd_name not in self._table:
            return None
        module, _, attribute = self._table[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self._table.items()])
