"""A workspace: the folder an agent works in, and its contract, which is kept out of the way of its edits."""

import hashlib
import os
import re
import secrets
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal

import platformdirs
import tomli_w
from pydantic import BaseModel, ConfigDict, ValidationError

from harness.candidate import read_candidate
from harness.errors import JudgeError, RefusedRequest
from harness.goal import Goal, default_goal, dump_goal, read_goal
from harness.manifest import Manifest, ManifestScenario, read_manifest, scenario_sha256

if TYPE_CHECKING:  # whoever only finds a workspace (a hook, at every tool call) loads no arrays
    from harness.operator import Operator

MARK = Path(".kernelseek") / "workspace.toml"
CANDIDATE = "candidate.cpp"
_ID = re.compile(r"^[a-z0-9][a-z0-9_-]{0,79}$")
_KS_H = Path(__file__).with_name("native") / "ks.h"


class WorkspaceError(JudgeError):
    """There is no usable workspace; the message says what to do."""

    exit_code = 3


class StorageError(JudgeError):
    """Something could not be written."""

    exit_code = 4


class _Mark(BaseModel):
    """`.kernelseek/workspace.toml`: which workspace this folder is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    id: str
    operator: str
    candidate: str


@dataclass(frozen=True, slots=True)
class Workspace:
    """`root` is the agent's folder; `home` holds the contract, the frozen candidates and the records."""

    root: Path
    home: Path
    id: str
    candidate: Path
    manifest: Manifest

    @property
    def operator(self) -> str:
        """The operator's name, from the manifest."""
        return self.manifest.operator

    @property
    def records(self) -> Path:
        """One `<eval_id>.json` an evaluation."""
        return self.home / "records"

    def record_path(self, eval_id: str) -> Path:
        """Where the record of that name is, or will be."""
        return self.records / f"{eval_id}.json"

    @property
    def candidates(self) -> Path:
        """Frozen candidates, `<sha256>.cpp`."""
        return self.home / "candidates"

    @property
    def requests(self) -> Path:
        """What is asked of the owner (`harness.owner.server`)."""
        return self.home / "requests"

    @property
    def owner_lock(self) -> Path:
        """Locked by the process that owns a session here."""
        return self.home / "owner.lock"

    @property
    def gaps(self) -> Path:
        """What holds scenarios back (`harness.gaps`), a line an entry."""
        return self.home / "gaps.jsonl"

    @property
    def goal_path(self) -> Path:
        """`goal.toml`, out of the agent's folder."""
        return self.home / "goal.toml"

    def goal(self) -> Goal:
        """The goal, read now. Raises `GoalError`."""
        return read_goal(self.goal_path, self.manifest)

    def forbidden_libraries(self) -> tuple[str, ...]:
        """The goal's, read now; none where there is no goal. Raises `GoalError`."""
        return self.goal().forbidden_libraries if self.goal_path.exists() else ()

    def candidate_sha256(self) -> str:
        """The hash of the candidate as it is now. Raises `RefusedCandidate`."""
        return hashlib.sha256(read_candidate(self.candidate)).hexdigest()


def state_home() -> Path:
    """Where workspaces and sessions live: `KERNELSEEK_HOME`, else the user's state folder."""
    override = os.environ.get("KERNELSEEK_HOME")
    return Path(override).expanduser().absolute() if override else platformdirs.user_state_path("kernelseek")


def create(
    operator: "Operator",
    folder: Path,
    home: Path,
    target: float = 1.8,
    set_name: str | None = None,
    *,
    extras: Mapping[str, bytes] | None = None,
    task_note: str = "",
) -> Workspace:
    """Make `folder` a workspace for `operator`, with its contract under `home/workspaces/<id>/`.

    `home` is `state_home()` but for tests. The goal is `target` over every scenario of `set_name` (None:
    the operator's default set). `extras` are more files of the agent's folder (relative path with `/` to
    content), `task_note` is put at the end of TASK.md. Never overwrites: raises `WorkspaceError` naming the
    files in the way, `RefusedRequest` for an unknown set, `StorageError` where it cannot write.
    """
    from harness.params import params_header
    from harness.task import task_text

    set_name = set_name or operator.default_set
    if set_name not in operator.sets:
        raise RefusedRequest(f"{operator.name} has no set '{set_name}'; it has {', '.join(operator.sets)}.")
    start = operator.start.read_bytes()
    goal = default_goal(set_name, target)
    files = {
        CANDIDATE: start,
        "ks.h": b"// A copy for your editor; the judge brings its own.\n" + _KS_H.read_bytes(),
        "ks_params.h": b"// A copy for your editor; the judge brings its own.\n"
        + params_header(operator.params_struct).encode(),
        "TASK.md": (task_text(operator, goal, CANDIDATE) + task_note).encode(),
        **(extras or {}),
    }
    folder = folder.absolute()
    in_the_way = [name for name in (*files, MARK.parts[0]) if os.path.lexists(folder / name)]
    in_the_way += _wrong_folders(folder, files)
    if folder.exists() and not folder.is_dir():
        raise WorkspaceError(f"{folder} is not a folder; name one, or one that does not exist yet.")
    if in_the_way:
        raise WorkspaceError(
            f"{folder} already holds {', '.join(in_the_way)} (nothing is overwritten); name another folder."
        )
    identity = f"{operator.name}-{secrets.token_hex(4)}"
    own = home / "workspaces" / identity
    manifest = _manifest(operator, identity, start)
    mark = _Mark(id=identity, operator=operator.name, candidate=CANDIDATE)
    try:
        for part in ("records", "candidates", "requests"):
            (own / part).mkdir(parents=True)
        own.chmod(0o700)
        (own / "manifest.json").write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
        (own / "goal.toml").write_text(dump_goal(goal), encoding="utf-8")
        (own / "start.cpp").write_bytes(start)
        (own / "start.cpp").chmod(0o444)
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        (folder / MARK).parent.mkdir()
        # Last: a folder is a workspace only when all of it is there.
        (folder / MARK).write_text(tomli_w.dumps(mark.model_dump()), encoding="utf-8")
    except OSError as error:
        raise StorageError(
            f"The workspace could not be written in {folder} and {own} ({error.strerror}); set "
            "KERNELSEEK_HOME to a folder that can be written, or name another workspace folder."
        ) from error
    return Workspace(folder, own, identity, folder / CANDIDATE, manifest)


def _wrong_folders(folder: Path, files: Iterable[str]) -> list[str]:
    """What stands where a folder of `files` has to be and is none, or is a link to one elsewhere."""
    below = {parent for name in files for parent in PurePosixPath(name).parents if parent.name}
    return [
        f"{parent} (a link)" if (folder / parent).is_symlink() else str(parent)
        for parent in sorted(below)
        if (folder / parent).is_symlink() or ((folder / parent).exists() and not (folder / parent).is_dir())
    ]


def find(start: Path, home: Path | None = None) -> Workspace | None:
    """The workspace `start` lies in, looking upwards; None where there is none.

    Raises `WorkspaceError` or `ManifestError` for one that is damaged or whose contract is gone.
    """
    start = start.absolute()
    for folder in (start, *start.parents):
        if (folder / MARK).is_file():
            return _open(folder, home or state_home())
    return None


def require(start: Path, home: Path | None = None) -> Workspace:
    """As `find`, but raises `WorkspaceError` where there is none."""
    workspace = find(start, home)
    if workspace is None:
        raise WorkspaceError(f"{start} is in no workspace; make one with `kernelseek init OPERATOR [DIR]`.")
    return workspace


def _open(root: Path, home: Path) -> Workspace:
    path = root / MARK
    try:
        mark = _Mark.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WorkspaceError(f"{path} is not TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise WorkspaceError(
            f"{path} is refused: {'.'.join(map(str, first['loc']))}: {first['msg']}."
        ) from error
    candidate = Path(mark.candidate)
    # The agent can edit this file: it may name neither another home nor a file elsewhere.
    if not _ID.match(mark.id) or candidate.is_absolute() or ".." in candidate.parts:
        raise WorkspaceError(f"{path} is refused: its id or candidate leads out of the workspace.")
    own = home / "workspaces" / mark.id
    if not own.is_dir():
        raise WorkspaceError(
            f"The contract of the workspace {root} is missing ({own}); set KERNELSEEK_HOME to where it was "
            "made, or make a new workspace with `kernelseek init`."
        )
    manifest = read_manifest(own / "manifest.json")
    if (manifest.workspace, manifest.operator) != (mark.id, mark.operator):
        raise WorkspaceError(f"{path} and the manifest {own / 'manifest.json'} are of different workspaces.")
    return Workspace(root, own, mark.id, root / candidate, manifest)


def _manifest(operator: "Operator", identity: str, start: bytes) -> Manifest:
    from harness.correctness.admission import operator_sha256

    return Manifest(
        workspace=identity,
        created=datetime.now(UTC),
        operator=operator.name,
        operator_sha256=operator_sha256(operator),
        start_sha256=hashlib.sha256(start).hexdigest(),
        sets={
            name: tuple(
                ManifestScenario(
                    id=scenario.id, sha256=scenario_sha256(scenario.id, scenario.family, scenario.params)
                )
                for scenario in scenarios
            )
            for name, scenarios in operator.sets.items()
        },
    )
