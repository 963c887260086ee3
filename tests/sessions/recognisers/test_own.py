"""Our own `kernelseek evaluate`, printed and recognised again."""

from pathlib import Path

import pytest

from harness.goal_check import GoalReport, check_goal
from harness.record.record import Record
from harness.verdict import Outcome, Status, VerdictCode
from kernelseek_tui.cli.evaluation_text import evaluation_text
from sessions import events as ev
from tests.made_records import CANDIDATE, SCENARIOS, made_goal, made_manifest, made_record, made_scenario
from tests.sessions.recognisers.outputs import evaluation, evaluations

COMMAND = "kernelseek evaluate --workspace w"


def printed(record: Record, code: VerdictCode, report: GoalReport | None = None) -> ev.Evaluation:
    return evaluation(evaluation_text(record, Path("evaluations/r.json"), report, code), COMMAND)


def test_what_was_printed_is_what_is_read() -> None:
    record = made_record()
    found = printed(record, VerdictCode.GOAL_MET)
    assert (found.status, found.exit_code, found.source_kind, found.counts) == ("CORRECT", 0, "parsed", False)
    assert (found.geomean, found.low, found.high) == (1.997, 1.945, 2.052)
    assert (found.scenario_set, found.baseline, found.noise_floor) == ("demo", "start", 0.012)
    assert (found.correct, found.total, found.seconds) == (4, 4, 1.5)
    assert found.record == "evaluations/r.json"
    for row, scenario in zip(found.scenarios, record.scenarios, strict=True):
        assert scenario.timing is not None
        assert (row.id, row.status, row.verdict) == (scenario.id, scenario.status, scenario.timing.verdict)
        assert row.ratio == pytest.approx(scenario.timing.ratio, abs=5e-4)
        assert row.candidate_ns == pytest.approx(scenario.timing.median_ns_b, rel=0.01)
        assert row.baseline_ns == pytest.approx(scenario.timing.median_ns_a, rel=0.01)


def test_an_unmet_goal_keeps_its_clauses() -> None:
    record = made_record()
    report = check_goal(made_goal(3.0), made_manifest(), record, CANDIDATE)
    found = printed(record, VerdictCode.NOT_MET, report)
    assert (found.status, found.exit_code) == ("CORRECT", 10)
    assert any("faster" in clause for clause in found.unmet)
    assert found.geomean == 1.997


def test_what_a_witness_or_an_unread_goal_adds_is_no_row_and_no_clause() -> None:
    said = evaluation_text(
        made_record(), Path("r.json"), None, VerdictCode.GOAL_MET, {"toy-n8": "host"}, unread="It is no TOML."
    )
    worst = "worst: toy-n8"
    assert worst in said
    beside = "witness: toy-n8: 1.040x [0.980, 1.100] by processor time, so it is not called FASTER"
    found = evaluation(said.replace(worst, f"{beside}\n{worst}", 1), COMMAND)
    assert (found.status, found.exit_code, found.unmet) == ("CORRECT", 3, ())
    assert (found.correct, found.total, len(found.scenarios)) == (4, 4, 4)
    assert found.record == "r.json"


def test_a_wrong_scenario_leaves_no_score() -> None:
    rows = [made_scenario(SCENARIOS[0], status=Status.WRONG), *map(made_scenario, SCENARIOS[1:])]
    found = printed(made_record(tuple(rows)), VerdictCode.WRONG)
    assert (found.status, found.geomean, found.correct, found.total) == ("WRONG", None, 3, 4)
    assert [row.status for row in found.scenarios] == ["WRONG", "CORRECT", "CORRECT", "CORRECT"]
    assert all(row.ratio is None for row in found.scenarios)


def test_a_build_that_failed() -> None:
    record = made_record(status=Outcome.BUILD_FAILED, summary="It does not compile.")
    found = printed(record, VerdictCode.BUILD)
    assert (found.status, found.geomean, found.scenarios) == ("BUILD_FAILED", None, ())
    assert "does not compile" in found.detail


def test_of_two_evaluations_in_one_output_the_last_counts() -> None:
    one, other = made_record(), made_record(scenario_set="other")
    text = "\n".join(
        evaluation_text(each, Path("r.json"), None, VerdictCode.GOAL_MET) for each in (one, other)
    )
    assert evaluation(text, COMMAND).scenario_set == "other"


def test_the_word_alone_is_nothing() -> None:
    assert evaluations("VERDICT good (exit 0): because", COMMAND) == []
