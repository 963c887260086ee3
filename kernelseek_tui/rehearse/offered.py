"""The tools that a request offers, and a script's calls in their terms.

Claude Code's tools have the names that scripts use. The Messages API's own `bash_20250124` and
`text_editor_20250728` (named `str_replace_based_edit_tool`) take other inputs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kernelseek_tui.agents.rehearsal.story import ToolUse

LONG_TIMEOUT_MS = 600_000
"""Asked of clients whose Bash has a timeout: their own is shorter than an evaluation may take."""

_Input = dict[str, Any]


def _bash(given: Mapping[str, Any]) -> _Input:
    return {"command": given["command"]}


def _view(given: Mapping[str, Any]) -> _Input:
    return {"command": "view", "path": given["file_path"]}


def _str_replace(given: Mapping[str, Any]) -> _Input:
    return {
        "command": "str_replace",
        "path": given["file_path"],
        "old_str": given["old_string"],
        "new_str": given["new_string"],
    }


def _create(given: Mapping[str, Any]) -> _Input:
    return {"command": "create", "path": given["file_path"], "file_text": given["content"]}


_EDITOR: dict[str, Callable[[Mapping[str, Any]], _Input]] = {
    "Read": _view,
    "Edit": _str_replace,
    "Write": _create,
}


def translate(use: ToolUse, tools: Sequence[Mapping[str, Any]]) -> tuple[str, _Input] | None:
    """The name and input of `use` for a client that offers `tools` (as in the request); None if it cannot.

    Raises `KeyError` where the script's call lacks an input.
    """
    by_name = {str(tool.get("name", "")): tool for tool in tools}
    own = by_name.get(use.tool)
    if own is not None:
        return use.tool, _with_timeout(use, own)
    for name, tool in by_name.items():
        kind = str(tool.get("type") or "")
        if use.tool == "Bash" and (kind.startswith("bash_") or name == "bash"):
            return name, _bash(use.input)
        if use.tool in _EDITOR and (kind.startswith("text_editor_") or name.startswith("str_replace_")):
            return name, _EDITOR[use.tool](use.input)
    return None


def _with_timeout(use: ToolUse, tool: Mapping[str, Any]) -> _Input:
    schema = tool.get("input_schema")
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if use.tool == "Bash" and isinstance(properties, Mapping) and "timeout" in properties:
        return {"timeout": LONG_TIMEOUT_MS, **use.input}
    return dict(use.input)
