"""Every command explains itself, with an example that begins with the command's own words."""

import click
import pytest
from click.testing import CliRunner

from kernelseek_tui.cli.main import root


def commands(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None, name
        found.append((*path, name))
        if isinstance(command, click.Group):
            found += commands(command, (*path, name))
    return found


@pytest.mark.parametrize("path", commands(root), ids=" ".join)
def test_help_has_an_example(path: tuple[str, ...]) -> None:
    done = CliRunner().invoke(root, [*path, "--help"])
    assert done.exit_code == 0
    assert f"kernelseek {' '.join(path)}" in done.output.replace("Usage: ", "", 1).split("\n", 1)[1]
