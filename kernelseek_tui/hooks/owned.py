"""The goal as a stop hook of a session that we start ourselves: no file of the project is touched."""

from pathlib import Path
from typing import Any

from kernelseek_tui.hooks.mailbox import Binding, Mailbox
from kernelseek_tui.hooks.program import CAP, CAP_NAME, hook_group, program


def owned_settings(home: Path, client_session: str, copilot: str, cwd: Path) -> dict[str, Any]:
    """Bind the client's session and give the settings to start the client with (`claude --settings JSON`).

    `home` is KernelSeek's state folder, `copilot` our session's id. The stop hook holds the session to the
    goal of the workspace that `cwd` lies in. Call it again, with the new id, for a fork. Raises `OSError`
    where the state folder cannot be written.
    """
    Mailbox(home, client_session).bind(Binding(copilot, str(cwd), lock=False))
    stop = hook_group("Stop", program(), "stop", home, client_session)
    return {"hooks": {"Stop": [stop]}, "env": {CAP_NAME: CAP}}


def release(home: Path, client_session: str) -> None:
    """The session has ended: hooks that still run leave it alone."""
    Mailbox(home, client_session).unbind()
