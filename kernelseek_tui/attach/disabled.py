"""Whether the client's settings turn all hooks off, ours among them.

The client merges several files, and of `disableAllHooks` the nearest that names it decides: `false` in the
project's turns on again what the person's own turned off (tried: 2.1.332). What a machine's owner set up
goes before all of them.
"""

import json
import sys
from pathlib import Path
from typing import Any

MANAGED = Path(
    "/Library/Application Support/ClaudeCode/managed-settings.json"
    if sys.platform == "darwin"
    else "/etc/claude-code/managed-settings.json"
)
"""What the owner of the machine set; read where the client reads it, its effect was not tried."""

_NAME = "disableAllHooks"
_MAX_BYTES = 8 << 20


def setting_files(project: Path, client_home: Path | None) -> list[Path]:
    """The files the client merges for a session in `project`, the one that decides first."""
    own = project / ".claude"
    files = [MANAGED, own / "settings.local.json", own / "settings.json"]
    return files if client_home is None else [*files, client_home / "settings.json"]


def hooks_disabled(project: Path, client_home: Path | None) -> str:
    """Which file turns hooks off, as the beginning of a sentence; empty where none does."""
    for path in setting_files(project, client_home):
        settings = _read(path)
        if path == MANAGED and settings.get("allowManagedHooksOnly") is True:
            return f"{path} allows no hooks but its own (`allowManagedHooksOnly`)"
        if isinstance(said := settings.get(_NAME), bool):
            return f"{path} turns all hooks off (`{_NAME}`)" if said else ""
    return ""


def unknown_settings(project: Path, client_home: Path | None) -> list[Path]:
    """The files that are there and say nothing we can read: whether they turn hooks off is not known."""
    return [path for path in setting_files(project, client_home) if path.exists() and not _readable(path)]


def _readable(path: Path) -> bool:
    try:
        return isinstance(_load(path), dict)
    except (OSError, ValueError, RecursionError):
        return False


def _read(path: Path) -> dict[str, Any]:
    try:
        found = _load(path)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _load(path: Path) -> Any:
    with path.open("rb") as file:
        return json.loads(file.read(_MAX_BYTES))
