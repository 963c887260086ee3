"""A workspace whose records are made by hand, for hooks that look them up."""

import json
from pathlib import Path
from typing import Any

import tomli_w

from harness.goal import dump_goal
from harness.manifest import Manifest
from harness.record.record import ScenarioRecord
from harness.workspace import Workspace, find
from tests.made_records import SCENARIOS, made_goal, made_manifest, made_record, made_scenario, store

ROOMS = ("records", "candidates", "requests")


class MadeWorkspace:
    """A real workspace on disk: `root` is the agent's folder, `home` the state folder."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.root = folder / "work"
        self.own = self.home / "workspaces" / "toy-1"
        for path in (self.root / ".kernelseek", *(self.own / name for name in ROOMS)):
            path.mkdir(parents=True)
        mark = {"schema_version": 1, "id": "toy-1", "operator": "toy", "candidate": "candidate.cpp"}
        (self.root / ".kernelseek" / "workspace.toml").write_text(tomli_w.dumps(mark))
        manifest: Manifest = made_manifest()
        (self.own / "manifest.json").write_text(manifest.model_dump_json())
        (self.own / "goal.toml").write_text(dump_goal(made_goal()))
        (self.root / "candidate.cpp").write_text("// a candidate\n")
        self._number = 0

    @property
    def workspace(self) -> Workspace:
        found = find(self.root, self.home)
        assert found is not None
        return found

    def judged(self, *, slow: tuple[int, ...] = (), **changes: Any) -> Path:
        """A record of the candidate as it is now; the scenarios at `slow` miss the target."""
        scenarios: list[ScenarioRecord] = [
            made_scenario(scenario, interval=(1.1, 1.3) if place in slow else (1.9, 2.1))
            for place, scenario in enumerate(SCENARIOS)
        ]
        sha256 = self.workspace.candidate_sha256()
        record = made_record(tuple(scenarios), hashes={"candidate": sha256}, **changes)
        self._number += 1
        return store(record, self.own / "records", self._number)


def stop_input(cwd: Path, session: str = "s-1", *, active: bool = True, **more: Any) -> bytes:
    """What the client says at a stop."""
    given = {
        "session_id": session,
        "cwd": str(cwd),
        "hook_event_name": "Stop",
        "stop_hook_active": active,
        "background_tasks": [],
        **more,
    }
    return json.dumps(given).encode()
