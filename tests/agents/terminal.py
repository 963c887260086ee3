"""An interactive Claude Code in a tmux of its own, as a person has it."""

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import pytest

from tests.agents.client import claude_binary, loopback_env, trust


class Terminal:
    """Starts the client in `cwd` and ends it, and its tmux server, at the end."""

    def __init__(self, folder: Path, cwd: Path, port: int, **more: str) -> None:
        if shutil.which("tmux") is None:
            pytest.skip("tmux is not installed")
        binary = claude_binary()
        self.home = folder / "person"
        environment = {**loopback_env(self.home, port), **more}
        trust(self.home, cwd)
        self.socket = folder / "tmux.sock"
        assigned = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
        # Root may not skip permissions unasked; allowing the tool by name needs no consent.
        start = f"{shlex.quote(str(binary))} --permission-mode default --allowedTools Bash"
        inner = f'env -i TMUX="$TMUX" {assigned} {start}'
        self._command = ["new-session", "-d", "-x", "160", "-y", "50", "-c", str(cwd), inner]

    def __enter__(self) -> "Terminal":
        self.tmux("-f", "/dev/null", *self._command)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            print(self.screen(), *(self.tmux("capture-pane", "-p", "-t", f":{n}") for n in (0, 1)))
        self.tmux("kill-server")

    def tmux(self, *arguments: str) -> str:
        environment = {name: value for name, value in os.environ.items() if name != "TMUX"}
        done = subprocess.run(
            ["tmux", "-S", str(self.socket), *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        return done.stdout

    def screen(self) -> str:
        """What stands on it."""
        return self.tmux("capture-pane", "-p")

    def type(self, text: str) -> None:
        """Type a prompt and press return."""
        self.tmux("send-keys", "-l", "--", text)
        time.sleep(0.3)
        self.tmux("send-keys", "Enter")


def until(what: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait for something; fails when it does not come."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come in time"
        time.sleep(0.05)
