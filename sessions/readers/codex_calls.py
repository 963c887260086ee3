"""Calls as a rollout writes them: by the model's name for the tool, with arguments as text."""

from collections.abc import Mapping
from typing import Any

from sessions.readers.base import mapping_of, name_of, text_of
from sessions.readers.codex import PATCH
from sessions.readers.codex_words import arguments_of, shell_text
from sessions.readers.patches import patch_in

_SHELLS = frozenset(
    {"shell", "shell_command", "exec_command", "local_shell", "container.exec", "unified_exec"}
)


def call_of(kind: str, item: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A call as the layer map knows it: `Bash` with a command, a patch, or its own name and arguments."""
    name = name_of(item.get("name"))
    if kind == "local_shell_call":
        name, given = "local_shell", dict(mapping_of(item.get("action")))
    elif kind == "custom_tool_call":
        given = {"input": text_of(item.get("input"))}
    else:
        given = arguments_of(item.get("arguments"))
    if name in _SHELLS:
        command = given.pop("command", given.pop("cmd", ""))
        words = command if isinstance(command, list) else []
        if len(words) == 2 and words[0] == PATCH:
            return PATCH, {"input": text_of(words[1])}
        text = shell_text(command)
        patch = patch_in(text)
        return (PATCH, {"input": patch}) if patch else ("Bash", {"command": text, **given})
    space = name_of(item.get("namespace"))
    return (f"{space}__{name}" if space else name), given
