"""A record that contradicts itself meets no goal, however good its numbers look."""

import json
import math
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from harness.errors import RefusedRecord
from harness.goal import GoalError, read_goal
from harness.goal_check import check_goal
from harness.record.files import read_record
from harness.record.record import Record, ScenarioRecord
from harness.records import newest_first, newest_of
from harness.suspicion import with_flags
from harness.timing.statistics import estimate, witness_log_ratios
from harness.verdict import Outcome, Speed, Status
from harness.verify.record import fault
from tests.made_records import (
    BASE,
    BLOCKS,
    CANDIDATE,
    SCENARIOS,
    made_goal,
    made_manifest,
    made_record,
    made_scenario,
    store,
)

EQUAL = ((BASE, BASE),) * BLOCKS


def with_timing(**changes: Any) -> Record:
    first, *rest = made_record().scenarios
    assert first.timing is not None
    forged = first.model_copy(update={"timing": first.timing.model_copy(update=changes)})
    return made_record((forged, *rest))


def test_an_honest_record_meets_the_goal_and_passes() -> None:
    assert fault(made_record()) is None
    assert check_goal(made_goal(), made_manifest(), made_record(), CANDIDATE).met


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"low": 50.0}, "low: says 50, samples give 1.9"),
        ({"high": 0.1}, "high: says 0.1"),
        ({"ratio": 3.0}, "ratio: says 3"),
        ({"witness_low": 3.0}, "witness_low: says 3"),
        ({"witness_low": None}, "witness_low: is missing"),
        ({"order": ()}, "order: has 0 blocks, protocol.blocks says 8"),
        ({"raw_ns_b": ()}, "raw_ns_b: has 0 pairs for 8 blocks"),
        ({"cpu_ns_a": ((1, 1),)}, "cpu_ns_a: has 1 pairs for 8 blocks"),
        ({"raw_ns_b": ((0, 1), *EQUAL[1:])}, "raw_ns_b.0: is a call that took no time"),
        ({"raw_ns_b": ((10**400, 1), *EQUAL[1:])}, "or years"),
    ],
)
def test_numbers_that_do_not_follow_from_the_samples_meet_nothing(
    changes: dict[str, Any], words: str
) -> None:
    report = check_goal(made_goal(), made_manifest(), with_timing(**changes), CANDIDATE)
    assert report.met is False
    assert "contradicts itself: scenarios.0.timing." in report.reason
    assert words in report.reason


def test_an_outcome_that_its_scenarios_do_not_come_to_meets_nothing() -> None:
    report = check_goal(made_goal(), made_manifest(), made_record(status=Outcome.WRONG), CANDIDATE)
    assert report.met is False
    assert "status: says WRONG, its scenarios come to CORRECT" in report.reason


def test_a_goal_asks_the_witness_too() -> None:
    first, *rest = made_record().scenarios
    assert first.timing is not None
    # The runner's clock says twice as fast; the processor time of the same calls says as fast as before.
    logs = witness_log_ratios(first.timing.raw_ns_a, EQUAL, EQUAL)
    seen = math.exp(estimate(logs).log)
    forged = first.timing.model_copy(
        update={
            "cpu_ns_a": EQUAL,
            "cpu_ns_b": EQUAL,
            "witness_ratio": seen,
            "witness_low": seen,
            "witness_high": seen,
            "verdict": Speed.AMBIGUOUS,
        }
    )
    record = made_record(with_flags((first.model_copy(update={"timing": forged}), *rest)))
    assert fault(record) is None
    report = check_goal(made_goal(), made_manifest(), record, CANDIDATE)
    assert report.met is False
    assert report.first_failing == ("toy-n8",)
    assert "1.00" in report.unmet[0].sentence


def test_a_pipe_among_the_records_is_passed_over_at_once(tmp_path: Path) -> None:
    path = store(made_record(), tmp_path)
    os.mkfifo(tmp_path / "99999999T000000000-00000000.json")
    problems: list[RefusedRecord] = []
    found: list[Any] = []
    for mention in ("", CANDIDATE):
        reader = threading.Thread(
            target=lambda mention=mention: found.append(
                list(newest_first(tmp_path, problems.append, mention))
            ),
            daemon=True,
        )
        reader.start()
        reader.join(20)
        assert not reader.is_alive()
    assert [[at for at, _ in one] for one in found] == [[path], [path]]
    assert "not a plain file" in str(problems[0])
    with pytest.raises(RefusedRecord, match="not a plain file"):
        read_record(tmp_path / "99999999T000000000-00000000.json")


def test_a_record_under_another_name_is_none(tmp_path: Path) -> None:
    store(made_record(), tmp_path).rename(tmp_path / "99999999T000000000-00000000.json")
    problems: list[RefusedRecord] = []
    assert list(newest_first(tmp_path, problems.append)) == []
    assert "a record is named by its id" in str(problems[0])


def partial(*scenarios: ScenarioRecord) -> Record:
    return made_record(scenarios, scenario_glob="toy-n8")


def test_a_part_of_the_set_speaks_only_where_it_found_something_wrong(tmp_path: Path) -> None:
    whole = store(made_record(), tmp_path, 1)

    def newest() -> Path:
        found = newest_of(tmp_path, CANDIDATE, "demo", "start", owned_only=False)
        assert found is not None
        return found[0]

    store(partial(made_scenario(SCENARIOS[0])), tmp_path, 2)
    assert newest() == whole
    wrong = store(partial(made_scenario(SCENARIOS[0], Status.WRONG)), tmp_path, 3)
    assert newest() == wrong
    again = store(made_record(), tmp_path, 4)
    assert newest() == again


@pytest.mark.parametrize("value", ['"1.8"', "true"])
def test_a_threshold_is_a_number(tmp_path: Path, value: str) -> None:
    path = tmp_path / "goal.toml"
    path.write_text(f'[[clause]]\nid = "a"\nset = "demo"\nstatistic = "ratio_low"\nabove = {value}\n')
    with pytest.raises(GoalError, match="above"):
        read_goal(path)


def test_a_record_of_an_older_judge_is_named_so_and_passed_over(tmp_path: Path) -> None:
    path = store(made_record(), tmp_path)
    said = json.loads(path.read_text())
    path.write_text(json.dumps({**said, "schema_version": 1, "off": "x"}))
    problems: list[RefusedRecord] = []
    assert list(newest_first(tmp_path, problems.append)) == []
    assert "is of an older judge (schema_version 1, this one writes 2); evaluate the candidate again." in str(
        problems[0]
    )
