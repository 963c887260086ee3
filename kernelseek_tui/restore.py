"""Puts the best candidate of a session back into its workspace, and keeps the one that stood there."""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness.candidate import frozen_path, read_candidate
from harness.errors import RefusedCandidate
from harness.owner.files import live_owner, lock
from harness.workspace import Workspace, find
from sessions import events as ev
from sessions.errors import RefusedInput, StorageError

KEPT = "before-restore"


@dataclass(frozen=True, slots=True)
class Restored:
    """`kept` is where the candidate lies that stood there before; None where there was none.

    `changed` is False where the candidate was the best one already.
    """

    candidate: Path
    kept: Path | None = None
    changed: bool = True


def workspace_of(started: ev.SessionStarted | None) -> Workspace:
    """The workspace a session worked in.

    Raises `RefusedInput` where it is gone and `WorkspaceError` for a damaged one.
    """
    root = started.workspace if started is not None else None
    workspace = find(Path(root)) if root and Path(root).is_dir() else None
    if root is None or workspace is None or workspace.root.resolve() != Path(root).resolve():
        where = f"its workspace {root} is gone" if root else "it worked in no workspace"
        raise RefusedInput(f"There is nothing to restore into: {where}.")
    return workspace


def frozen_of(workspace: Workspace, evaluation: ev.Evaluation) -> Path:
    """The frozen candidate of an evaluation. Raises `RefusedInput` where it is gone or was changed."""
    sha256 = evaluation.candidate_sha256 or ""
    path = frozen_path(workspace.candidates, sha256)
    if len(sha256) != 64 or not sha256.isalnum():
        raise RefusedInput(f"The evaluation {evaluation.evaluation} names no candidate by its hash.")
    try:
        source = read_candidate(path)
    except RefusedCandidate as error:
        raise RefusedInput(f"The frozen candidate of the best evaluation cannot be used: {error}") from error
    if hashlib.sha256(source).hexdigest() != sha256:
        raise RefusedInput(
            f"The frozen candidate {path} was changed: its sha256 differs. Nothing was written."
        )
    return path


def record_trouble(evaluation: ev.Evaluation) -> str:
    """What is wrong with the record file of an evaluation, in words; empty where its hash matches."""
    if not evaluation.record:
        return "there is none"
    try:
        with Path(evaluation.record).open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"it cannot be read: {error.strerror or error}"
    return "" if found == evaluation.record_sha256 else "it was changed: its sha256 differs"


def restore(workspace: Workspace, frozen: Path) -> Restored:
    """Write the frozen candidate over the workspace's, by atomic rename.

    Raises `StorageError` where a live owner holds the workspace or it cannot be written, and `RefusedInput`
    where the candidate is a link or lies outside of the workspace; the candidate is then as it was.
    """
    target = workspace.candidate
    if target.is_symlink() or not target.parent.resolve().is_relative_to(workspace.root.resolve()):
        raise RefusedInput(f"{target} is a link or leads out of the workspace; nothing was written.")
    try:
        with workspace.owner_lock.open("a+", encoding="utf-8") as file:
            # Held while the file is changed: an owner that comes in this moment waits.
            if not lock(file):
                owner = live_owner(workspace.owner_lock)
                who = f"the session {owner.session} (process {owner.pid})" if owner else "another process"
                raise StorageError(f"The workspace {workspace.root} is owned by {who}; end that first.")
            return _write(target, read_candidate(frozen))
    except OSError as error:
        raise StorageError(
            f"{target} could not be written ({error.strerror or error}); make room."
        ) from error


def _write(target: Path, source: bytes) -> Restored:
    if target.exists() and target.read_bytes() == source:
        return Restored(target, changed=False)
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(source)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
        kept = _keep(target) if target.exists() else None
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return Restored(target, kept)


def _keep(target: Path) -> Path:
    """Give the file a second name beside it that is not taken yet."""
    for number in range(1, 10_000):
        kept = target.with_name(f"{target.stem}.{KEPT}-{number}{target.suffix}")
        try:
            os.link(target, kept, follow_symlinks=False)
        except FileExistsError:
            continue
        return kept
    raise FileExistsError(f"{target.stem}.{KEPT}-* are all taken")
