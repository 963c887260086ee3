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

READERS = frozenset(
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
OURS = frozenset(("kernelseek", word) for word in ("evaluate", "goal", "gap", "bank"))
_HARMLESS_REDIRECT = re.compile(r"\s(?:2>&1|2?>\s*/dev/null)(?=\s|$|[;&|])")
_SHELL_MAGIC = re.compile(r"[`$<>(){}\\\n!~#]")
_ENDS = frozenset({"&&", "||", ";", "|", "&"})


def commands(line: str) -> list[list[str]] | None:
    """The programs that a command line runs, each with its arguments; empty for none.

    None where a shell could make more of it than its words (variables, substitution, redirection, groups,
    globs of hidden names, more than one line), or where its quotes are open.
    """
    plain = _HARMLESS_REDIRECT.sub(" ", f" {line} ")
    if _SHELL_MAGIC.search(_without_single_quoted(plain)):
        return None
    lexer = shlex.shlex(plain, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # an open quote
        return None
    found: list[list[str]] = []
    current: list[str] = []
    for word in (*words, ";"):
        if word in _ENDS:
            if current:
                found.append(current)
            current = []
        elif word and not word.strip(";&|"):
            return None  # `|&`, `;;`, or a quoted one of these
        else:
            current.append(word)
    return found


def _without_single_quoted(line: str) -> str:
    """The line without what stands in single quotes, of which a shell makes nothing."""
    kept: list[str] = []
    quote = ""
    for sign in line:
        if quote != "'" and not (sign == "'" and not quote):
            kept.append(sign)
        if sign == quote:
            quote = ""
        elif not quote and sign in "'\"":
            quote = sign
    return "".join(kept)


def pattern(command: str) -> tuple[str, ...] | None:
    """What "always" covers of a command beyond its exact text: one entry a program. None: nothing."""
    found = commands(command)
    if not found:
        return None
    covered = [_covered(words) for words in found]
    if None in covered:
        return None
    return tuple(dict.fromkeys(filter(None, covered)))


def _covered(words: list[str]) -> str | None:
    program, *arguments = words
    if any(_leaves(argument) for argument in arguments):
        return None
    if program in READERS:
        return program
    if arguments and (program, arguments[0]) in OURS:
        return f"{program} {arguments[0]}"
    return None


def _leaves(argument: str) -> bool:
    """Whether an argument may be a path outside the workspace; one within an option always may."""
    if argument.startswith("-") and re.search(r"/|\.\.", argument):
        return True
    return re.search(r"(^|=)/|(^|/)\.\.(/|$)", argument) is not None


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
        elif (covered := pattern(str(arguments["command"]))) is None:
            self._commands.add(str(arguments["command"]))
        else:
            self._covered.update(covered)
        return self.words(tool, arguments, path)

    def words(self, tool: str, arguments: Mapping[str, Any], path: str = "") -> str:
        """What `always` would allow, in words."""
        if tool != SHELL:
            return f"edits of {path}"
        command = str(arguments["command"])
        covered = pattern(command)
        if covered is None:
            return f"exactly the command {command!r}"
        return f"in the workspace {', '.join(f'`{name} …`' for name in covered)}"
