"""A session is held to the workspace it was bound to, whatever `workspace.toml` says later."""

import io
import json
import shutil
from pathlib import Path

import pytest
import tomli_w

from kernelseek_tui.attach.attachment import Attachment
from kernelseek_tui.attach.discover import Running
from kernelseek_tui.hooks import run
from kernelseek_tui.hooks.answers import Answer
from kernelseek_tui.hooks.mailbox import Mailbox
from kernelseek_tui.hooks.owned import owned_settings, release
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace, stop_input

SESSION = "0f0f0f0f-2222"


def stop(made: MadeWorkspace) -> Answer:
    return run.answer("stop", io.BytesIO(stop_input(made.root, session=SESSION)), made.home, SESSION)


def mark(made: MadeWorkspace, folder: Path | None = None, **changes: str) -> None:
    said = {"schema_version": 1, "id": "toy-1", "operator": "toy", "candidate": "candidate.cpp", **changes}
    path = (folder or made.root) / ".kernelseek" / "workspace.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(tomli_w.dumps(said))


def another(made: MadeWorkspace) -> None:
    """A second workspace `toy-2` of the same state folder, whose goal the same candidate meets."""
    made.judged()
    own = made.own.with_name("toy-2")
    shutil.copytree(made.own, own)
    manifest = json.loads((own / "manifest.json").read_text())
    (own / "manifest.json").write_text(json.dumps({**manifest, "workspace": "toy-2"}))
    made.judged(slow=(0,))


def refused(answers: list[Answer], *words: str) -> None:
    assert [answer.get("decision") for answer in answers] == ["block", "block", None]
    for said in (answers[0]["reason"], answers[2]["systemMessage"]):
        assert all(word in said for word in words), said


def test_the_mark_of_another_workspace_is_no_verdict(made: MadeWorkspace) -> None:
    another(made)
    owned_settings(made.home, SESSION, "k", made.root)
    assert "toy-n8" in stop(made)["reason"]
    mark(made, id="toy-2")
    refused([stop(made) for _ in range(3)], "is held to the workspace toy-1", "now names toy-2")
    mark(made)
    assert "toy-n8" in stop(made)["reason"]


def test_without_a_binding_the_other_workspaces_verdict_would_have_let_it_go(made: MadeWorkspace) -> None:
    another(made)
    mark(made, id="toy-2")
    given = io.BytesIO(stop_input(made.root, session=SESSION))
    assert run.answer("stop", given, made.home) == {}


def test_the_mark_of_another_candidate_is_no_verdict(made: MadeWorkspace) -> None:
    made.judged()
    (made.root / "old.cpp").write_bytes((made.root / "candidate.cpp").read_bytes())
    (made.root / "candidate.cpp").write_text("// worse\n")
    owned_settings(made.home, SESSION, "k", made.root)
    assert "no evaluation that counts" in stop(made)["reason"]
    mark(made, candidate="old.cpp")
    refused([stop(made) for _ in range(3)], "old.cpp", "candidate.cpp")


def test_a_nearer_mark_is_no_verdict(made: MadeWorkspace) -> None:
    another(made)
    below = made.root / "below"
    below.mkdir()
    owned_settings(made.home, SESSION, "k", below)
    (below / "candidate.cpp").write_bytes((made.root / "candidate.cpp").read_bytes())
    mark(made, below)
    refused([stop(made) for _ in range(3)], f"in {made.root} and", str(below))


def test_another_manifest_is_no_verdict(made: MadeWorkspace) -> None:
    made.judged()
    owned_settings(made.home, SESSION, "k", made.root)
    assert stop(made) == {}
    path = made.own / "manifest.json"
    path.write_text(path.read_text() + "\n")
    refused([stop(made) for _ in range(3)], str(path), "is not the one this session was bound to")


def test_a_workspace_that_was_damaged_at_the_start_speaks_for_itself(made: MadeWorkspace) -> None:
    mark(made, id="toy-3")
    owned_settings(made.home, SESSION, "k", made.root)
    assert "contract of the workspace" in stop(made)["reason"]
    mark(made)
    made.judged()
    assert stop(made) == {}


@pytest.fixture
def attachment(made: MadeWorkspace) -> Attachment:
    running = Running(
        session=SESSION, pid=1, cwd=made.root, version="2.1.332", kind="interactive", status="", changed=0
    )
    return Attachment(running, made.home, "k", goal=True, workspace=made.workspace)


def test_an_attached_session_is_bound_to_its_workspace(made: MadeWorkspace, attachment: Attachment) -> None:
    another(made)
    attachment.open()
    try:
        assert "toy-n8" in stop(made)["reason"]
        mark(made, id="toy-2")
        assert "now names toy-2" in stop(made)["reason"]
    finally:
        attachment.close()


def test_hooks_leave_the_project_though_the_state_folder_is_gone(
    made: MadeWorkspace, attachment: Attachment
) -> None:
    attachment.open()
    assert SESSION in (made.root / ".claude" / "settings.local.json").read_text()
    shutil.rmtree(made.home)
    attachment.close()
    assert not (made.root / ".claude" / "settings.local.json").exists()
    assert not Mailbox(made.home, SESSION).folder.exists()


def test_an_owned_session_ends_well_though_the_state_folder_is_gone(made: MadeWorkspace) -> None:
    owned_settings(made.home, SESSION, "k", made.root)
    shutil.rmtree(made.home)
    release(made.home, SESSION)
    assert not made.home.exists()
