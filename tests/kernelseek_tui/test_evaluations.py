import hashlib
from pathlib import Path

import pytest

from harness.goal import dump_goal
from harness.owner.files import Ask
from harness.owner.server import Served
from harness.record.record import Record
from harness.verdict import Outcome, Status, VerdictCode
from harness.workspace import Workspace
from kernelseek_tui.cli.evaluation_text import evaluation_text
from kernelseek_tui.evaluations import goal_report, served_events
from sessions import events as ev
from tests.made_records import (
    SCENARIOS,
    made_goal,
    made_manifest,
    made_record,
    made_scenario,
    store,
)

TEXT = b"// judged\n"
SHA256 = hashlib.sha256(TEXT).hexdigest()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path, tmp_path / "home", "toy-1", tmp_path / "candidate.cpp", made_manifest())
    made.records.mkdir(parents=True)
    made.goal_path.write_text(dump_goal(made_goal()))
    made.candidate.write_bytes(TEXT)
    return made


def served(workspace: Workspace, record: Record) -> Served:
    path = store(record, workspace.records)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    ask = Ask(candidate_sha256=record.hashes.candidate)
    return Served("r1", "agent", ask, record=record, path=path, record_sha256=sha256)


def slow_record() -> Record:
    parts = [made_scenario(scenario) for scenario in SCENARIOS]
    parts[1] = made_scenario(SCENARIOS[1], interval=(1.0, 1.04))
    return made_record(scenarios=tuple(parts), hashes={"candidate": SHA256})


def test_a_goal_that_cannot_be_read_costs_no_evaluation(workspace: Workspace) -> None:
    one = served(workspace, made_record(hashes={"candidate": SHA256}))
    workspace.goal_path.write_text("[[clause\n")
    evaluation, verdict = served_events(workspace, one)
    assert isinstance(evaluation, ev.Evaluation)
    assert isinstance(verdict, ev.GoalVerdict)
    assert (evaluation.status, evaluation.exit_code, verdict.met) == ("CORRECT", 10, None)
    assert "is not TOML" in verdict.reason


def test_a_record_becomes_an_evaluation_and_a_verdict(workspace: Workspace) -> None:
    record = made_record(hashes={"candidate": SHA256})
    one = served(workspace, record)
    evaluation, verdict = served_events(workspace, one)
    assert isinstance(evaluation, ev.Evaluation)
    assert isinstance(verdict, ev.GoalVerdict)
    assert evaluation.counts
    assert evaluation.owner == "session-1"
    assert evaluation.exit_code == 0
    assert (evaluation.geomean, evaluation.low, evaluation.high, evaluation.noise_floor) == (
        record.aggregate.geomean,
        record.aggregate.low,
        record.aggregate.high,
        record.aggregate.floor,
    )
    assert (evaluation.correct, evaluation.total, evaluation.unmet) == (4, 4, ())
    assert evaluation.record == str(one.path)
    assert evaluation.record_sha256 == one.record_sha256
    assert [scenario.id for scenario in evaluation.scenarios] == [scenario.id for scenario in SCENARIOS]
    assert evaluation.scenarios[0].low == pytest.approx(1.9)
    assert evaluation.scenarios[0].baseline_ns == 2e8
    assert verdict.met is True
    assert verdict.parent == verdict.evaluation == evaluation.evaluation


def test_unmet_clauses_are_carried_with_their_numbers(workspace: Workspace) -> None:
    evaluation, verdict = served_events(workspace, served(workspace, slow_record()))
    assert isinstance(evaluation, ev.Evaluation)
    assert isinstance(verdict, ev.GoalVerdict)
    assert evaluation.exit_code == 10
    assert evaluation.unmet == verdict.unmet
    assert evaluation.unmet == ("faster: 1 of 4 not above 1.8x over start: toy-n16 1.02x (1.00..1.04)",)
    assert verdict.met is False
    assert verdict.first_failing == ("toy-n16",)


def test_a_wrong_scenario_ends_20_and_brings_its_evidence(workspace: Workspace) -> None:
    parts = [made_scenario(s) for s in SCENARIOS[:-1]] + [made_scenario(SCENARIOS[-1], Status.WRONG)]
    record = made_record(scenarios=tuple(parts), hashes={"candidate": SHA256})
    evaluation, _ = served_events(workspace, served(workspace, record))
    assert isinstance(evaluation, ev.Evaluation)
    assert evaluation.exit_code == 20
    assert evaluation.geomean is None
    assert evaluation.scenarios[-1].status == "WRONG"
    assert "off by 0.5" in evaluation.scenarios[-1].detail
    assert evaluation.scenarios[-1].ratio is None


def test_an_evaluation_that_failed_is_a_note(workspace: Workspace) -> None:
    [note] = served_events(workspace, Served("r1", "agent", Ask(candidate_sha256=SHA256), error="No torch."))
    assert isinstance(note, ev.Note)
    assert "No torch." in note.text


def test_a_goal_met_by_another_file_is_not_met(workspace: Workspace) -> None:
    record = made_record(hashes={"candidate": SHA256})
    assert goal_report(workspace, record).met is True
    workspace.candidate.write_bytes(TEXT + b"// edited since\n")
    report = goal_report(workspace, record)
    assert report.met is False
    assert "another version now" in report.reason
    workspace.candidate.unlink()
    assert goal_report(workspace, record).met is False


def test_events_survive_the_journal(workspace: Workspace) -> None:
    for event in served_events(workspace, served(workspace, slow_record())):
        assert ev.parse_event(ev.dump_event(event)) == event


def test_the_text_names_what_is_wrong_and_ends_with_verdict_and_record(workspace: Workspace) -> None:
    record = slow_record()
    report = goal_report(workspace, record)
    lines = evaluation_text(record, Path("r.json"), report, VerdictCode.NOT_MET).splitlines()
    assert lines[0].split() == ["scenario", "status", "ratio", "interval", "verdict", "start", "candidate"]
    assert lines[2].split()[:4] == ["toy-n16", "CORRECT", "1.020x", "1.000..1.040"]
    assert lines[5].startswith("set demo: geomean 1.688x (1.644..1.734) FASTER over start; 4/4 correct")
    assert "A/A floor 1.2%" in lines[5]
    assert lines[6] == (
        "worst: toy-n16, 1.020x, [1.000, 1.040], AMBIGUOUS, 102 ms -> 100 ms, 0% of the bound, "
        "gap not classed"
    )
    assert lines[-3].startswith("unmet faster: 1 of 4")
    assert lines[-2].startswith(
        "VERDICT goal unmet (exit 10): faster fails on 1 of 4, first toy-n16; CORRECT 4/4: 1.69x over start"
    )
    assert lines[-1] == "record r.json (owner session-1)"


def test_escapes_in_a_compilers_words_are_shown_and_not_sent() -> None:
    record = made_record(status=Outcome.BUILD_FAILED, summary="It does not compile: \x1b]0;owned\x07\n[red]")
    record = record.model_copy(
        update={"build": record.build.model_copy(update={"errors": ("a.cpp:1: \x1b[2J[bold]\tx",)})}
    )
    text = evaluation_text(record, Path("r.json"), None, VerdictCode.BUILD)
    assert text.splitlines()[0].startswith("a.cpp:1: ␛[2J[bold]")
    assert all(character.isprintable() or character == "\n" for character in text)


def test_a_rehearsed_record_says_so_first() -> None:
    record = made_record(rehearsed=True)
    assert evaluation_text(record, Path("r.json"), None, VerdictCode.GOAL_MET).startswith("REHEARSED")
