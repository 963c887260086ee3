"""Other clients' tools under the names that the layer map and the screen know, where they are the same."""

import shlex
from collections.abc import Mapping
from typing import Any

from sessions.layers import SHELL_TOOLS

_NAMES: dict[str, str] = {
    **dict.fromkeys(SHELL_TOOLS, "Bash"),
    **dict.fromkeys(("execute_bash", "run_terminal_cmd", "run_terminal_command", "run_command"), "Bash"),
    **dict.fromkeys(("read", "read_file", "readfile", "view_file"), "Read"),
    **dict.fromkeys(("write", "write_file", "writefile", "create_file"), "Write"),
    **dict.fromkeys(("edit", "replace", "edit_file", "strreplace", "search_replace", "multiedit"), "Edit"),
    **dict.fromkeys(("grep", "grep_search", "search_file_content", "ripgrep"), "Grep"),
    **dict.fromkeys(("glob", "glob_file_search", "find_files"), "Glob"),
    **dict.fromkeys(("ls", "list_dir", "list_directory"), "LS"),
    **dict.fromkeys(("str_replace_editor", "file_editor"), "str_replace_editor"),
}
_COMMANDS = ("command", "cmd", "CommandLine", "commandLine")
_PATHS = ("file_path", "filePath", "path")
_OTHER_PATHS = ("absolute_path", "target_file", "AbsolutePath", "relative_workspace_path")


def known_name(tool: str, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A call's tool and input: a shell is `Bash` with `command`, a read `Read`, an edit `Edit` or `Write`.

    Any other tool keeps its name, and every input keeps its fields; `command` and `file_path` are added
    where the client calls them something else.
    """
    name = _NAMES.get(tool.casefold(), tool)
    if name == "Bash":
        command = next((given[key] for key in _COMMANDS if key in given), "")
        if isinstance(command, list):
            command = shlex.join(map(str, command))
        return name, {**given, "command": command if isinstance(command, str) else str(command)}
    if name in ("Read", "Edit", "Write") and not any(isinstance(given.get(key), str) for key in _PATHS):
        path = next((given[key] for key in _OTHER_PATHS if isinstance(given.get(key), str)), None)
        if path is not None:
            return name, {"file_path": path, **given}
    return name, dict(given)
