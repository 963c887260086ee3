"""The real client for tests marked `agents`: Claude Code from npm, cached outside the tree, without a key."""

import fcntl
import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

VERSION = "2.1.332"
PACKAGE = "@anthropic-ai/claude-code"
CACHE = Path("~/.cache/kernelseek/agents").expanduser()
INSTALL_SECONDS = 600
HOST = "127.0.0.1"


@functools.cache
def _install() -> tuple[Path | None, str]:
    """The binary, or why there is none."""
    npm = shutil.which("npm")
    folder = CACHE / f"claude-code-{VERSION}"
    binary = folder / "node_modules" / ".bin" / "claude"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"claude-code-{VERSION}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _version(binary) == VERSION:
            return binary, ""
        if npm is None:
            return None, "npm is not installed, so Claude Code cannot be"
        command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", f"{PACKAGE}@{VERSION}"]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return None, f"npm did not install {PACKAGE}@{VERSION} in {INSTALL_SECONDS} s"
        if done.returncode:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            return None, f"npm could not install {PACKAGE}@{VERSION}: {last}"
        found = _version(binary)
        return (
            (binary, "") if found == VERSION else (None, f"npm installed Claude Code {found}, not {VERSION}")
        )


def _version(binary: Path) -> str:
    if not binary.exists():
        return "nothing"
    try:
        done = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (done.stdout.split() or [done.stderr.strip()])[0]


def claude_binary() -> Path:
    """Claude Code `VERSION`, installed on first use; skips the test with a reason where it cannot be."""
    binary, reason = _install()
    if binary is None:
        pytest.skip(reason)
    return binary


def loopback_env(home: Path, port: int) -> dict[str, str]:
    """The whole environment of a client that talks to the model server on `port` and to nothing else.

    `home` becomes its HOME (made if missing, with the first-start questions answered), so no login and no
    settings of a person are seen. `kernelseek` of this interpreter comes first in PATH.
    """
    home.mkdir(parents=True, exist_ok=True)
    config = home / ".claude.json"
    if not config.exists():
        config.write_text(json.dumps({"hasCompletedOnboarding": True, "theme": "dark", "numStartups": 1}))
    return {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
        "ANTHROPIC_BASE_URL": f"http://{HOST}:{port}",
        "ANTHROPIC_API_KEY": "rehearsal-no-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "NO_PROXY": f"{HOST},localhost",
        "IS_SANDBOX": "1",
    }


def trust(home: Path, folder: Path, key: str = "rehearsal-no-key") -> None:
    """Answer the interactive client's questions about `folder` and the key beforehand, in `home`."""
    config = home / ".claude.json"
    known = json.loads(config.read_text()) if config.exists() else {}
    known.setdefault("projects", {})[str(folder.resolve())] = {
        "hasTrustDialogAccepted": True,
        "hasCompletedProjectOnboarding": True,
    }
    known["customApiKeyResponses"] = {"approved": [key[-20:]], "rejected": []}
    config.write_text(json.dumps(known))
