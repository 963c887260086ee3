"""Which tool calls of the built-in agent need a person's word, and what "always" covers.

Looking at files of the workspace needs none. "Always" on an edit covers that file. On a command it covers
exactly that command, but for programs that only read and for `kernelseek`'s own commands, where other
arguments are covered too as long as they stay in the workspace. What a shell could make more of (variables,
substitution, redirection, globs of hidden names) is never covered by anything but the exact command.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kernelseek_tui.agents.builtin import editor

SHELL = "bash"

_READERS = frozenset(
    {
        "cat",
        "head",
        "tail",
        "wc",
        "ls",
        "grep",
        "nproc",
        "lscpu",
        "pwd",
        "echo",
        "stat",
        "size",
        "objdump",
    }
)
_OURS = frozenset({("kernelseek", "evaluate"), ("kernelseek", "goal"), ("kernelseek", "bank")})
_HARMLESS_REDIRECT = re.compile(r"\s(?:2>&1|2?>\s*/dev/null)(?=\s|$|[;&|])")
_SHELL_MAGIC = re.compile(r"[`$<>(){}\\\n!~#]")
_ENDS = frozenset({"&&", "||", ";", "|", "&"})


def pattern(command: str) -> tuple[str, ...] | None:
    """What "always" covers of a command beyond its exact text: one entry a program. None: nothing."""
    plain = _HARMLESS_REDIRECT.sub(" ", f" {command} ")
    if _SHELL_MAGIC.search(plain):
        return None
    lexer = shlex.shlex(plain, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # an open quote
        return None
    covered: list[str] = []
    current: list[str] = []
    for word in (*words, ";"):
        if word not in _ENDS:
            current.append(word)
            continue
        if current:
            found = _covered(current)
            if found is None:
                return None
            covered.append(found)
        current = []
    return tuple(dict.fromkeys(covered)) or None


def _covered(words: list[str]) -> str | None:
    program, *arguments = words
    if any(re.search(r"(^|=)/|(^|/)\.\.(/|$)", argument) for argument in arguments):
        return None
    if program in _READERS:
        return program
    if arguments and (program, arguments[0]) in _OURS:
        return f"{program} {arguments[0]}"
    return None


@dataclass(slots=True)
class Permissions:
    """What was allowed for good. `ask` False: everything is."""

    ask: bool = True
    _commands: set[str] = field(default_factory=set)
    _covered: set[str] = field(default_factory=set)
    _files: set[str] = field(default_factory=set)

    def needed(self, tool: str, arguments: Mapping[str, Any], path: str = "") -> bool:
        """Whether a person has to be asked. `path` is the file that an edit resolves to."""
        if not self.ask:
            return False
        if tool == SHELL:
            command = str(arguments["command"])
            if command in self._commands:
                return False
            covered = pattern(command)
            return covered is None or not self._covered.issuperset(covered)
        return editor.edits(arguments) and path not in self._files

    def always(self, tool: str, arguments: Mapping[str, Any], path: str = "") -> str:
        """Allow such calls from now on; what that covers, in words."""
        if tool != SHELL:
            self._files.add(path)
            return f"edits of {path}"
        command = str(arguments["command"])
        covered = pattern(command)
        if covered is None:
            self._commands.add(command)
            return f"exactly the command {command!r}"
        self._covered.update(covered)
        return f"in the workspace {', '.join(f'`{name} …`' for name in covered)}"
