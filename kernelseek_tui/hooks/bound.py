"""Which workspace a session is held to, and whether what is found there now is still that one."""

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from kernelseek_tui.hooks.mailbox import Binding

if TYPE_CHECKING:  # the models cost a hook a fifth of a second
    from harness.workspace import Workspace

_AGAIN = "put it back, or end this session and begin another if the change was meant."


def bound(binding: Binding, workspace: "Workspace") -> Binding:
    """The binding, to this workspace and no other. Raises `OSError`."""
    return replace(
        binding,
        root=str(workspace.root),
        workspace=workspace.id,
        candidate=str(workspace.candidate),
        manifest_sha256=_manifest_sha256(workspace),
    )


def swapped(binding: Binding, workspace: "Workspace") -> str:
    """What is not as it was bound, in a sentence; empty where nothing is. Raises `OSError`.

    The agent can write `workspace.toml`: with another workspace's, or another candidate's name in it, a goal
    that was met elsewhere would let this session go.
    """
    if not binding.workspace:
        return ""
    here = (str(workspace.root), workspace.id, str(workspace.candidate))
    if here != (binding.root, binding.workspace, binding.candidate):
        return (
            f"This session is held to the workspace {binding.workspace} in {binding.root} and its candidate "
            f"{binding.candidate}, but the mark {workspace.root / '.kernelseek' / 'workspace.toml'} now "
            f"names {workspace.id} and {workspace.candidate}; {_AGAIN}"
        )
    if _manifest_sha256(workspace) != binding.manifest_sha256:
        return (
            f"The manifest of the workspace {workspace.id} ({workspace.home / 'manifest.json'}) is not the "
            f"one this session was bound to; {_AGAIN}"
        )
    return ""


def _manifest_sha256(workspace: "Workspace") -> str:
    return hashlib.sha256((workspace.home / "manifest.json").read_bytes()).hexdigest()
