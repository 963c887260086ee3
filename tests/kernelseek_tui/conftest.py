"""A workspace whose judge answers at once: `slow` in the candidate is slow, all else meets the goal."""

from pathlib import Path

import pytest

from harness.goal import dump_goal
from harness.workspace import Workspace
from tests.kernelseek_tui.live import JUDGE
from tests.made_records import SCENARIOS, made_goal, made_manifest, made_record, made_scenario


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(
        tmp_path / "work", tmp_path / "home", "toy-1", tmp_path / "work" / "candidate.cpp", made_manifest()
    )
    for folder in (made.root, made.records, made.candidates, made.requests):
        folder.mkdir(parents=True)
    made.candidate.write_text("// slow\n")
    made.goal_path.write_text(dump_goal(made_goal()))
    (tmp_path / "record.json").write_text(made_record().model_dump_json())
    slow = made_record(tuple(made_scenario(scenario, interval=(1.0, 1.1)) for scenario in SCENARIOS))
    (tmp_path / "slow.json").write_text(slow.model_dump_json())
    (tmp_path / "judge.py").write_text(JUDGE)
    return made
