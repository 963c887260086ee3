"""What an agent may do unasked in a headless session without `--allow-all`: what stays in the workspace.

Reading and editing its files, `kernelseek`'s own commands, and building and running programs there. This
is manners, not a sandbox: the candidate is native code that runs with the user's rights, here as everywhere.
docs/drivers.md has the list for people.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelseek_tui.agents.builtin import editor
from kernelseek_tui.agents.builtin.permissions import OURS, READERS, SHELL, commands

COMPILERS = frozenset({"c++", "g++", "gcc", "cc", "clang", "clang++", "nvcc", "hipcc", "make"})
CHANGERS = frozenset({"rm", "mkdir", "cp", "mv", "touch"})

_EDITS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_READS = frozenset({"Read", "Glob", "Grep", "LS", "NotebookRead"})
_PATHS = ("file_path", "notebook_path", "path")
_COMPILER_OF_THE_USER = re.compile(r"\$\{(?:CXX|CC)(?::-[\w+-]+)?\}|\$(?:CXX|CC)\b")
_SEARCHED = re.compile(r"-(?:I|L|isystem)\S*")
_OUTSIDE = re.compile(r"/|\.\.")


def may(tool: str, arguments: Mapping[str, Any], workspace: Path) -> bool:
    """Whether the use of a tool stays in `workspace`."""
    root = workspace.resolve()
    if tool in _EDITS:
        return _edited(_path_in(arguments), root)
    if tool in _READS:
        given = _path_in(arguments)
        return given is None or _inside(given, root)
    if tool == editor.NAME:
        given = _path_in(arguments)
        if editor.edits(arguments):
            return _edited(given, root)
        return given is not None and _inside(given, root)
    if tool in ("Bash", SHELL):
        command = arguments.get("command")
        # What runs in the background outlives the look at it, and disturbs timings.
        return isinstance(command, str) and not arguments.get("run_in_background") and _runs(command, root)
    return False


def _path_in(arguments: Mapping[str, Any]) -> str | None:
    return next((str(arguments[name]) for name in _PATHS if arguments.get(name)), None)


def _edited(given: str | None, root: Path) -> bool:
    return given is not None and _inside(given, root) and not _hidden(given, root)


def _inside(given: str, root: Path) -> bool:
    """Whether a path, links followed, is in the workspace. `~` is the shell's, and nobody's folder here."""
    try:
        return not given.startswith("~") and (root / given).resolve().is_relative_to(root)
    except (OSError, RuntimeError, ValueError):
        return False


def _hidden(given: str, root: Path) -> bool:
    """Whether it is, or lies in, something whose name begins with a dot: what clients and tools obey.

    The workspace itself is counted as that: what changes it as a whole changes those, too.
    """
    inner = (root / given).resolve().relative_to(root).parts
    return not inner or any(part.startswith(".") for part in inner)


def _runs(command: str, root: Path) -> bool:
    found = commands(_COMPILER_OF_THE_USER.sub("c++", command))
    return found is not None and all(_runs_one(words, root) for words in found)


def _runs_one(words: Sequence[str], root: Path) -> bool:
    program, *arguments = words
    if arguments and (program, arguments[0]) in OURS:
        return all(_stays(argument, root) for argument in arguments)
    if program in READERS or program == "cd":
        return all(_stays(argument, root) for argument in arguments)
    if program in COMPILERS:
        plain = [argument for argument in arguments if not _SEARCHED.fullmatch(argument)]
        return all(_stays(argument, root, changes=True) for argument in plain)
    if program in CHANGERS:
        return all(_stays(argument, root, changes=True) for argument in arguments)
    own_program = "/" in program and _inside(program, root) and not _hidden(program, root)
    return own_program and all(_stays(argument, root) for argument in arguments)


def _stays(argument: str, root: Path, *, changes: bool = False) -> bool:
    """Whether an argument, if it is a path, is one of the workspace. Options with a path in them are not."""
    if argument.startswith("-"):
        return not _OUTSIDE.search(argument)
    value = argument.rpartition("=")[2]
    return _inside(value, root) and not (changes and value != "" and _hidden(value, root))
