"""The first layer map: what a tool call does and which layers it touches, from its name and command text.

The rules are the tables of `layer_rules`; each says why. They read names, not intentions: a call they cannot
place is `Activity.OTHER` and touches no layer, which costs a visit and never invents one.
"""

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from sessions.commands import SimpleCommand, split
from sessions.layer_rules import CODE_NAME, COMMAND_RULES, NOTHING_DONE, PATH_RULES, CommandRule
from sessions.vocabulary import Activity, Layer

SHELL_TOOLS = frozenset(
    {"bash", "shell", "sh", "exec_command", "local_shell", "run_shell_command", "terminal", "execute"}
)
READ_TOOLS = frozenset(
    {"read", "readfile", "read_file", "notebookread", "glob", "grep", "ls", "list", "view", "readlints"}
)
EDIT_TOOLS = frozenset(
    {
        "edit",
        "write",
        "multiedit",
        "notebookedit",
        "str_replace",
        "str_replace_editor",
        "str_replace_based_edit_tool",
        "strreplacefile",
        "writefile",
        "write_file",
        "edit_file",
        "create_file",
        "replace",
        "apply_patch",
        "applypatch",
        "patch",
    }
)
_PATH_KEYS = ("file_path", "filePath", "path", "notebook_path", "filename", "file")
_NEW_TEXT_KEYS = ("content", "new_string", "newString", "new_str", "edits", "edit", "new_source")
_PATCHED = re.compile(r"^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ b/)(.+)$", re.MULTILINE)


def edited_path(tool: str, input: Mapping[str, Any]) -> str | None:  # noqa: A002
    """The file an edit call changes, or None when the call is no edit."""
    name = tool.casefold().rsplit("__", 1)[-1]
    if name in SHELL_TOOLS or name in READ_TOOLS or input.get("command") == "view":
        return None
    path = next((input[key] for key in _PATH_KEYS if isinstance(input.get(key), str)), None)
    if name in EDIT_TOOLS:
        if path:
            return str(path)
        whole = next((value for value in input.values() if isinstance(value, str)), "")
        patched = _PATCHED.search(whole)
        if patched:
            return patched.group(1).strip()
        # Some exporters keep only the path, in the one field they have.
        return whole if whole and len(whole) < 512 and "\n" not in whole else None
    return str(path) if path and any(key in input for key in _NEW_TEXT_KEYS) else None


def command_text(tool: str, input: Mapping[str, Any]) -> str | None:  # noqa: A002
    """The command line of a shell call, or None when the call is no shell."""
    if tool.casefold().rsplit("__", 1)[-1] not in SHELL_TOOLS:
        return None
    command = input.get("command", input.get("cmd", input.get("raw", "")))
    if isinstance(command, list | tuple):
        return shlex.join(str(word) for word in command)
    if isinstance(command, str) and command.startswith("{"):
        try:
            given = json.loads(command).get("command", command)
            command = shlex.join(map(str, given)) if isinstance(given, list) else given
        except (ValueError, AttributeError, RecursionError):
            return str(command)  # an exporter's cut-off JSON: its words are still readable
    return str(command)


def is_candidate(path: str, candidate: str | None) -> bool:
    """Whether `path` is the candidate. Either may be relative: the shorter must end the longer."""
    if not candidate:
        return False
    one, other = PurePosixPath(path).parts, PurePosixPath(candidate).parts
    shorter = min(len(one), len(other))
    return shorter > 0 and one[-shorter:] == other[-shorter:]


def place(
    tool: str,
    call: Mapping[str, Any],
    candidate: str | None = None,
) -> tuple[Activity, tuple[Layer, ...]]:
    """What a tool call does, and the layers it touches, each once; a chain of commands counts each.

    `candidate` is the path of the session's candidate, where it is known. Takes any tool name: Claude
    Code's, and the lower-case or mangled ones of other agents, for which the shape of the input (a path and
    new text) is enough.
    """
    command = command_text(tool, call)
    if command is not None:
        return _place_commands(split(command), candidate)
    path = edited_path(tool, call)
    if path is not None:
        return _place_path(path, candidate)
    name = tool.casefold().rsplit("__", 1)[-1]
    reads = name in READ_TOOLS or call.get("command") == "view"
    return (Activity.READ if reads else Activity.OTHER), ()


def _place_path(path: str, candidate: str | None) -> tuple[Activity, tuple[Layer, ...]]:
    if is_candidate(path, candidate):
        return Activity.KERNEL_EDIT, (Layer.KERNEL,)
    pure = PurePosixPath(path)
    for rule in PATH_RULES:
        in_folder = bool(CODE_NAME.search(pure.name)) and not rule.folders.isdisjoint(pure.parts[-3:-1])
        if in_folder or rule.name.search(pure.name):
            return rule.activity, rule.layers
    return Activity.OTHER_EDIT, ()


def _place_commands(
    commands: Iterable[SimpleCommand], candidate: str | None
) -> tuple[Activity, tuple[Layer, ...]]:
    best = len(COMMAND_RULES)
    activity = Activity.OTHER
    edits: list[tuple[Activity, tuple[Layer, ...]]] = []
    layers: list[Layer] = []
    for command in commands:
        found = _matching(command)
        if found is not None:
            rank, rule = found
            if rank < best:
                best, activity = rank, rule.activity
            layers.extend(rule.layers)
        # Logs and results are written all the time; only writing to a file that a rule knows is an edit.
        places = (_place_path(path, candidate) for path in command.writes if CODE_NAME.search(path))
        edits.extend(places)
    for kind, touched in edits:
        layers.extend(touched)
        if activity in (Activity.OTHER, Activity.READ):
            activity = kind
    return activity, tuple(dict.fromkeys(layers))


def _matching(command: SimpleCommand) -> tuple[int, CommandRule] | None:
    nothing = NOTHING_DONE.match(command.text) is not None
    for rank, rule in enumerate(COMMAND_RULES):
        if rule.program.match(command.program) and _has_words(rule, command):
            return None if nothing and rule.activity is not Activity.READ else (rank, rule)
    return None


def _has_words(rule: CommandRule, command: SimpleCommand) -> bool:
    looked_at = command.pipeline if rule.piped else command.text
    return rule.words is None or rule.words.search(looked_at) is not None
