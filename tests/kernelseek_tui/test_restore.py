import fcntl
import hashlib
import os
from pathlib import Path

import pytest

from harness.operators import load_operator
from harness.owner.files import OwnerIdentity
from harness.workspace import Workspace, create
from kernelseek_tui import restore as restoring
from kernelseek_tui.restore import frozen_of, record_trouble, restore, workspace_of
from sessions import events as ev
from sessions.errors import RefusedInput, StorageError

BEST = b"// the best one\n"
SHA256 = hashlib.sha256(BEST).hexdigest()


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))
    made = create(load_operator("attention"), tmp_path / "work", tmp_path / "home")
    (made.candidates / f"{SHA256}.cpp").write_bytes(BEST)
    return made


def evaluation(sha256: str | None = SHA256, **changes: str) -> ev.Evaluation:
    return ev.Evaluation(id="e1", evaluation="v1", status="CORRECT", candidate_sha256=sha256, **changes)


def names(workspace: Workspace) -> list[str]:
    return sorted(path.name for path in workspace.root.iterdir() if path.suffix in (".cpp", ".part"))


def test_the_old_candidate_is_kept_beside_it(workspace: Workspace) -> None:
    old = workspace.candidate.read_bytes()
    workspace.candidate.chmod(0o640)
    done = restore(workspace, frozen_of(workspace, evaluation()))
    assert workspace.candidate.read_bytes() == BEST
    assert workspace.candidate.stat().st_mode & 0o777 == 0o640
    assert done.kept == workspace.root / "candidate.before-restore-1.cpp"
    assert done.kept.read_bytes() == old
    workspace.candidate.write_bytes(b"// newer\n")
    assert restore(workspace, frozen_of(workspace, evaluation())).kept == (
        workspace.root / "candidate.before-restore-2.cpp"
    )
    assert done.kept.read_bytes() == old


def test_what_is_the_best_already_is_left_alone(workspace: Workspace) -> None:
    workspace.candidate.write_bytes(BEST)
    assert not restore(workspace, frozen_of(workspace, evaluation())).changed
    assert names(workspace) == ["candidate.cpp"]


def test_a_missing_candidate_comes_back(workspace: Workspace) -> None:
    workspace.candidate.unlink()
    assert restore(workspace, frozen_of(workspace, evaluation())).kept is None
    assert workspace.candidate.read_bytes() == BEST


def test_a_frozen_file_that_was_changed_is_refused(workspace: Workspace) -> None:
    (workspace.candidates / f"{SHA256}.cpp").write_bytes(BEST + b"int x;")
    with pytest.raises(RefusedInput, match="sha256 differs"):
        frozen_of(workspace, evaluation())


@pytest.mark.parametrize("sha256", [None, "", "../../x", "0" * 64, "x" * 63 + "/"])
def test_a_frozen_file_that_is_not_there(workspace: Workspace, sha256: str | None) -> None:
    with pytest.raises(RefusedInput):
        frozen_of(workspace, evaluation(sha256))


def test_a_live_owner_keeps_it_as_it_is(workspace: Workspace) -> None:
    frozen = frozen_of(workspace, evaluation())
    before = workspace.candidate.read_bytes()
    with workspace.owner_lock.open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(OwnerIdentity(pid=4711, session="s9").model_dump_json())
        lock.flush()
        with pytest.raises(StorageError, match=r"owned by the session s9 \(process 4711\)"):
            restore(workspace, frozen)
    assert workspace.candidate.read_bytes() == before
    assert restore(workspace, frozen).changed


def test_a_link_is_not_written_through(workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside.cpp"
    outside.write_text("mine")
    workspace.candidate.unlink()
    workspace.candidate.symlink_to(outside)
    with pytest.raises(RefusedInput, match="link"):
        restore(workspace, frozen_of(workspace, evaluation()))
    assert outside.read_text() == "mine"


@pytest.mark.parametrize("broken", ["fsync", "link"])
def test_a_full_disk_leaves_the_candidate_as_it_was(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    frozen, before = frozen_of(workspace, evaluation()), workspace.candidate.read_bytes()
    monkeypatch.setattr(os, broken, full)
    with pytest.raises(StorageError, match="No space left"):
        restore(workspace, frozen)
    assert workspace.candidate.read_bytes() == before
    assert names(workspace) == ["candidate.cpp"]


def test_ctrl_c_leaves_the_candidate_as_it_was(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: Path) -> Path:
        raise KeyboardInterrupt

    frozen, before = frozen_of(workspace, evaluation()), workspace.candidate.read_bytes()
    monkeypatch.setattr(restoring, "_keep", stop)
    with pytest.raises(KeyboardInterrupt):
        restore(workspace, frozen)
    assert workspace.candidate.read_bytes() == before
    assert names(workspace) == ["candidate.cpp"]


def test_the_sessions_own_workspace(workspace: Workspace, tmp_path: Path) -> None:
    def of(root: Path | None) -> Workspace:
        given = str(root) if root else None
        return workspace_of(ev.SessionStarted(id="e1", session="s", agent_name="a", workspace=given))

    assert of(workspace.root).id == workspace.id
    (workspace.root / "below").mkdir()
    for root in (tmp_path / "gone", workspace.root / "below", None):
        with pytest.raises(RefusedInput, match="nothing to restore into"):
            of(root)


def test_a_record_is_checked_by_its_hash(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text("{}")
    sha256 = hashlib.sha256(b"{}").hexdigest()
    assert record_trouble(evaluation(record=str(path), record_sha256=sha256)) == ""
    assert "sha256 differs" in record_trouble(evaluation(record=str(path), record_sha256="0" * 64))
    assert "cannot be read" in record_trouble(evaluation(record=str(tmp_path / "no"), record_sha256=sha256))
    assert record_trouble(evaluation()) == "there is none"
