"""The goal as a stop hook of a session that we start ourselves: no file of the project is touched."""

from pathlib import Path
from typing import Any

from harness.errors import JudgeError
from harness.workspace import find
from kernelseek_tui.hooks.bound import bound
from kernelseek_tui.hooks.mailbox import Binding, Mailbox
from kernelseek_tui.hooks.program import CAP, CAP_NAME, hook_group, program


def owned_settings(home: Path, client_session: str, copilot: str, cwd: Path) -> dict[str, Any]:
    """Bind the client's session and give the settings to start the client with (`claude --settings JSON`).

    `home` is KernelSeek's state folder, `copilot` our session's id. The stop hook holds the session to the
    goal of the workspace that `cwd` lies in now, and of no other. Call it again, with the new id, for a
    fork. Raises `OSError` where the state folder cannot be written.
    """
    binding = Binding(copilot, str(cwd), lock=False)
    try:
        workspace = find(cwd, home)
    except JudgeError:
        workspace = None  # the hook says at every stop what is wrong with it
    Mailbox(home, client_session).bind(binding if workspace is None else bound(binding, workspace))
    stop = hook_group("Stop", program(), "stop", home, client_session)
    # Said here it stands above the project's and the user's own settings: one line in a file that the agent
    # can write would otherwise end the hold without a word (tried with 2.1.332).
    return {"disableAllHooks": False, "hooks": {"Stop": [stop]}, "env": {CAP_NAME: CAP}}


def release(home: Path, client_session: str) -> None:
    """The session has ended: hooks that still run leave it alone. Never raises `OSError`."""
    Mailbox(home, client_session).unbind()
