"""What `tests.crashes` kills: the judge as an owner starts it, and `evaluate` in a workspace without one.

Both are the real ones, with a toy operator in place of the registered ones, a short warm-up, and wide limits
for clocks: on a machine that a campaign keeps busy, a call of microseconds is charged others' work.
"""

import json
import sys
import tempfile
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import harness.judge
from harness import process
from harness.correctness.admission import operator_sha256
from harness.goal import default_goal, dump_goal
from harness.manifest import Manifest, ManifestScenario, scenario_sha256
from harness.operator import ReferenceScript, Scenario
from harness.owner.ask import request_evaluation
from harness.protocol import Protocol
from harness.request import Progress
from harness.timing import turn
from harness.workspace import Workspace
from tests.harness.toy import START, Toy

ROOT = Path(__file__).parents[1]
SET = "demo"
SCENARIOS = tuple(
    Scenario(f"{family}-{n}", family, {"rows": n, "inner": 24, "cols": 16, "scale": 1.0})
    for family, sizes in (("small", (8, 16)), ("large", (48, 64)))
    for n in sizes
)


@dataclass(frozen=True)
class Rules(Protocol):
    """The judge's constants, but for these."""

    aa_scenarios: int = 2
    warmup_ns: int = 200_000
    cpu_slack_ns: int = 50_000_000
    clock_slack_ns: int = 50_000_000
    pause_slack_ns: int = 50_000_000
    slope_slack_ns: int = 50_000_000


OPERATOR = Toy(
    sets={SET: SCENARIOS},
    default_set=SET,
    reference=ReferenceScript(Path(__file__).parent / "harness" / "toy_numpy_reference.py", requires=()),
)
GOAL = default_goal(SET, 1.8)
MANIFEST = Manifest(
    workspace="crash-1",
    created=datetime(2026, 1, 2, tzinfo=UTC),
    operator=OPERATOR.name,
    operator_sha256=operator_sha256(OPERATOR),
    start_sha256=sha256(START.read_bytes()).hexdigest(),
    sets={
        SET: tuple(
            ManifestScenario(id=one.id, sha256=scenario_sha256(one.id, one.family, one.params))
            for one in SCENARIOS
        )
    },
)


def workspace(folder: Path) -> Workspace:
    """The workspace in a folder; its folders are made."""
    made = Workspace(folder / "work", folder / "home", "crash-1", folder / "work" / "candidate.cpp", MANIFEST)
    for path in (made.root, made.records, made.candidates, made.requests):
        path.mkdir(parents=True, exist_ok=True)
    if not made.goal_path.exists():
        made.goal_path.write_text(dump_goal(GOAL))
    return made


def command(what: str) -> tuple[str, ...]:
    """The command that runs `judge` or `alone` of this file from any folder."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tests.crash_judge import {what}; {what}()"
    return (sys.executable, "-P", "-c", code)


def judge() -> None:
    """`python -m harness.judge`, arguments and all."""
    _use_the_toy()
    raise SystemExit(process.main())


def alone() -> None:
    """`kernelseek evaluate` without an owner in the workspace of the folder that is named. Progress and, when
    it is on the disk, the record's name go to stdout, a JSON object a line."""
    _use_the_toy()

    def tell(progress: Progress) -> None:
        print(json.dumps(asdict(progress)), flush=True)

    made = request_evaluation(workspace(Path(sys.argv[1])), progress=tell)
    print(json.dumps({"stage": "written", "eval_id": made.record.eval_id}), flush=True)


def _use_the_toy() -> None:
    turn.SHARED = Path(tempfile.gettempdir())  # a campaign's own: no turn has to be waited for
    vars(harness.judge).update(load_operator=lambda name: OPERATOR, Protocol=Rules)
