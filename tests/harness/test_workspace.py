import hashlib
import shutil
from pathlib import Path

import pytest

from harness.errors import RefusedRequest
from harness.manifest import ManifestError, scenario_sha256
from harness.operators import load_operator
from harness.workspace import MARK, Workspace, WorkspaceError, create, find, require, state_home

OPERATOR = load_operator("attention")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def workspace(tmp_path: Path, home: Path) -> Workspace:
    return create(OPERATOR, tmp_path / "work", home)


def test_a_workspace_holds_what_an_agent_needs(workspace: Workspace) -> None:
    names = sorted(path.name for path in workspace.root.iterdir())
    assert names == [".kernelseek", "TASK.md", "candidate.cpp", "ks.h", "ks_params.h"]
    assert workspace.candidate.read_bytes() == OPERATOR.start.read_bytes()
    task = (workspace.root / "TASK.md").read_text()
    for words in ("kernelseek evaluate", "kernelseek goal check", "1.8x", "ks_run", "head_dim"):
        assert words in task
    for scenario in OPERATOR.sets["demo"]:
        assert scenario.id in task
    assert "A copy for your editor" in (workspace.root / "ks.h").read_text()


def test_the_contract_lies_outside_and_counts_every_set(workspace: Workspace, home: Path) -> None:
    assert workspace.home.parent == home / "workspaces"
    assert workspace.root not in workspace.home.parents
    manifest = workspace.manifest
    assert {name: manifest.ids(name) for name in manifest.sets} == {
        name: tuple(scenario.id for scenario in scenarios) for name, scenarios in OPERATOR.sets.items()
    }
    first = OPERATOR.sets["demo"][0]
    assert manifest.sets["demo"][0].sha256 == scenario_sha256(first.id, first.family, first.params)
    assert manifest.start_sha256 == hashlib.sha256(OPERATOR.start.read_bytes()).hexdigest()
    assert (workspace.home / "start.cpp").read_bytes() == OPERATOR.start.read_bytes()
    assert workspace.goal().set == "demo"
    assert [clause.above for clause in workspace.goal().clause] == [None, 1.8]


def test_it_is_found_from_below(workspace: Workspace, home: Path) -> None:
    below = workspace.root / "a" / "b"
    below.mkdir(parents=True)
    assert find(below, home) == workspace
    assert find(workspace.root.parent, home) is None


def test_the_state_folder_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path))
    assert state_home() == tmp_path
    monkeypatch.delenv("KERNELSEEK_HOME")
    assert state_home().name == "kernelseek"


def test_without_a_workspace_the_sentence_says_what_to_do(tmp_path: Path, home: Path) -> None:
    with pytest.raises(WorkspaceError, match="kernelseek init OPERATOR") as caught:
        require(tmp_path, home)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("name", ["candidate.cpp", "TASK.md", "ks.h", ".kernelseek"])
def test_nothing_is_overwritten(tmp_path: Path, home: Path, name: str) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / name).write_text("mine")
    with pytest.raises(WorkspaceError, match=name):
        create(OPERATOR, folder, home)
    assert (folder / name).read_text() == "mine"
    assert [path.name for path in folder.iterdir()] == [name]
    assert not home.exists()


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path, home: Path) -> None:
    (tmp_path / "notes.md").write_text("mine")
    create(OPERATOR, tmp_path, home)
    assert (tmp_path / "notes.md").read_text() == "mine"


def test_a_file_in_the_folders_place_and_an_unknown_set_are_refused(tmp_path: Path, home: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match="not a folder"):
        create(OPERATOR, tmp_path / "file", home)
    with pytest.raises(RefusedRequest, match="it has demo, smoke"):
        create(OPERATOR, tmp_path / "work", home, set_name="huge")


def test_a_lost_contract_is_refused(workspace: Workspace, home: Path) -> None:
    shutil.rmtree(workspace.home)
    with pytest.raises(WorkspaceError, match="KERNELSEEK_HOME"):
        find(workspace.root, home)


@pytest.mark.parametrize(
    "text", [None, "", "{}", "[]", '{"schema_version": 1', '{"schema_version": 1, "extra": 2}']
)
def test_a_lost_or_damaged_manifest_is_refused(workspace: Workspace, home: Path, text: str | None) -> None:
    path = workspace.home / "manifest.json"
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(ManifestError, match="kernelseek init") as caught:
        find(workspace.root, home)
    assert caught.value.exit_code == 3
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_manifest_that_doubles_or_empties_a_set_is_damaged(workspace: Workspace, home: Path) -> None:
    path = workspace.home / "manifest.json"
    manifest = workspace.manifest
    for scenarios in ((), manifest.sets["demo"][:1] * 2):
        damaged = manifest.model_copy(update={"sets": {"demo": scenarios}})
        path.write_text(damaged.model_dump_json())
        with pytest.raises(ManifestError):
            find(workspace.root, home)


@pytest.mark.parametrize(
    "mark",
    [
        'schema_version = 1\nid = "../other"\noperator = "attention"\ncandidate = "candidate.cpp"\n',
        'schema_version = 1\nid = "{id}"\noperator = "attention"\ncandidate = "../candidate.cpp"\n',
        'schema_version = 1\nid = "{id}"\noperator = "attention"\ncandidate = "/etc/passwd"\n',
        'schema_version = 1\nid = "{id}"\noperator = "other"\ncandidate = "candidate.cpp"\n',
        'schema_version = 1\nid = "{id}"\n',
        "id = [\n",
        "",
    ],
)
def test_a_mark_the_agent_changed_is_refused(workspace: Workspace, home: Path, mark: str) -> None:
    (workspace.root / MARK).write_text(mark.replace("{id}", workspace.id))
    with pytest.raises(WorkspaceError):
        find(workspace.root, home)
