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

COMPILERS = frozenset({"c++", "g++", "gcc", "cc", "clang", "clang++", "nvcc", "hipcc"})
CHANGERS = frozenset({"rm", "mkdir", "cp", "mv", "touch"})

_EDITS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_READS = frozenset({"Read", "Glob", "Grep", "LS", "NotebookRead"})
_PATHS = ("file_path", "notebook_path", "path")
_PATTERNS = ("pattern", "glob")
_COMPILER_OF_THE_USER = re.compile(r"\$\{(?:CXX|CC)(?::-[\w+-]+)?\}|\$(?:CXX|CC)\b")
_SEARCHED = re.compile(r"-(?:I|L|isystem)\S*")
_OUTSIDE = re.compile(r"/|\.\.")
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
# What a shell makes of a name that we look at as it is written, and a command that goes on by itself.
_OPEN_NAME = re.compile(r"[*?\[\]]|(?<![&>])&(?![&>])")
_RUNS_OTHERS = ("-wrapper", "-fplugin", "-specs", "--specs", "-B", "--plugin", "-Xclang", "-load")
"""Options by which a compiler runs programs of somebody's choice."""


def may(tool: str, arguments: Mapping[str, Any], workspace: Path) -> bool:
    """Whether the use of a tool stays in `workspace`."""
    root = workspace.resolve()
    given = [str(arguments[name]) for name in _PATHS if arguments.get(name)]
    if tool in _EDITS:
        return _edited(given, root)
    if tool in _READS:
        patterns = [str(arguments[name]) for name in _PATTERNS if arguments.get(name)]
        reaching = [one for one in patterns if tool != "Grep" or one is not arguments.get("pattern")]
        return all(_inside(one, root) for one in (*given, *reaching))
    if tool == editor.NAME:
        if editor.edits(arguments):
            return _edited(given, root)
        return bool(given) and all(_inside(one, root) for one in given)
    if tool in ("Bash", SHELL):
        command = arguments.get("command")
        # What runs in the background outlives the look at it, and disturbs timings.
        return isinstance(command, str) and not arguments.get("run_in_background") and _runs(command, root)
    return False


def _edited(given: Sequence[str], root: Path) -> bool:
    return bool(given) and all(_inside(one, root) and not _hidden(one, root) for one in given)


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
    plain = _COMPILER_OF_THE_USER.sub("c++", command)
    found = commands(plain)
    if found is None or _OPEN_NAME.search(_QUOTED.sub("", plain)):
        return False
    return all(_runs_one(words, root) for words in found)


def _runs_one(words: Sequence[str], root: Path) -> bool:
    program, *arguments = words
    if "=" in program:  # an assignment may change what any program does
        return False
    if program == "cd":  # a client may keep the folder, and names would mean others there
        return len(arguments) == 1 and (root / arguments[0]).resolve() == root
    if arguments and (program, arguments[0]) in OURS:
        return all(_stays(argument, root) for argument in arguments)
    if program in READERS:
        return all(_stays(argument, root) for argument in arguments)
    if program in COMPILERS:
        plain = [argument for argument in arguments if not _SEARCHED.fullmatch(argument)]
        if any("@" in argument or argument.startswith(_RUNS_OTHERS) for argument in plain):
            return False  # more arguments, or other programs, than are written here
        return all(_stays(argument, root, changes=True) for argument in plain)
    if program in CHANGERS:
        return all(_stays(argument, root, changes=True) for argument in arguments)
    return _is_own(program, root) and all(_stays(argument, root) for argument in arguments)


def _is_own(program: str, root: Path) -> bool:
    """Whether it is a program in the workspace, as far as can be seen before it is built; no script."""
    if "/" not in program or not _inside(program, root) or _hidden(program, root):
        return False
    try:
        with (root / program).open("rb") as file:
            return file.read(2) != b"#!" and not (root / program).suffix
    except OSError:
        return not Path(program).suffix  # not there yet: the command before it builds it


def _stays(argument: str, root: Path, *, changes: bool = False) -> bool:
    """Whether an argument, if it is a path, is one of the workspace. Options with a path in them are not.

    `a=b` may be a name, or carry one behind any of its signs.
    """
    if argument.startswith("-"):
        return not _OUTSIDE.search(argument)
    parts = argument.split("=")
    values = ["=".join(parts[start:]) for start in range(len(parts))]
    return all(
        _inside(value, root) and not (changes and value != "" and _hidden(value, root)) for value in values
    )
