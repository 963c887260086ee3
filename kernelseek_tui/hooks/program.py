"""How a client's settings start our hooks."""

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CAP_NAME = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
CAP = "97"
"""Refusals in a row after which the client overrides a stop hook (its own default: 8, in 2.1.332).

Far above where ours lets go by itself (`hooks.stop`), and no number a person would write.
"""

SECONDS = {"Stop": 30}
"""How long the client lets a hook of ours run; 10 for all others. Ours answer in a fraction of one."""

TOOLS = ("PostToolUse", "PostToolUseFailure")


def program() -> list[str]:
    """The command that starts us, by absolute path: the client's PATH is another."""
    script = Path(sys.executable).with_name("kernelseek")
    if script.is_file() and os.access(script, os.X_OK):
        return [str(script)]
    found = shutil.which("kernelseek")
    return [str(Path(found).absolute())] if found else [sys.executable, "-c", _MAIN]


_MAIN = "from kernelseek_tui.cli.main import main; main()"


def hook_command(start: Sequence[str], name: str, home: Path, session: str) -> str:
    """The shell command of one hook. Its last words are its tag: whose it is, and of which state folder."""
    words = [*start, "hook", name, "--home", str(home), "--attached", session]
    return " ".join(map(shlex.quote, words))


def hook_group(event: str, start: Sequence[str], name: str, home: Path, session: str) -> dict[str, Any]:
    """One entry under `hooks.<event>` of a client's settings."""
    command = hook_command(start, name, home, session)
    group: dict[str, Any] = {"matcher": "*"} if event in TOOLS else {}
    return {**group, "hooks": [{"type": "command", "command": command, "timeout": SECONDS.get(event, 10)}]}
