import pytest

from kernelseek_tui.decisions.claimed_completion import ClaimedCompletion
from tests.kernelseek_tui.decisions.told import Told

CLAIM = "The work is done."
TASK = "Make this CUDA kernel faster than the baseline."


def test_a_measured_goal_makes_the_claim_true() -> None:
    told = Told(ClaimedCompletion())
    told.evaluation(2.0, ratios={"a": 2.0})
    told.goal(True)
    told.says(CLAIM)
    told.turn_ended()
    assert told.findings == []


def test_an_edit_after_the_verdict_makes_it_open_again() -> None:
    told = Told(ClaimedCompletion())
    told.evaluation(2.0, ratios={"a": 2.0})
    told.goal(True)
    edit = told.edit()
    told.says(CLAIM)
    (finding,) = told.findings
    assert "changed after the last measurement" in finding.reason
    assert finding.evidence[1].event == edit


def test_an_evaluation_that_does_not_count_proves_nothing() -> None:
    told = Told(ClaimedCompletion())
    told.evaluation(2.0, ratios={"a": 2.0}, counts=False)
    told.goal(True)
    told.says(CLAIM)
    assert len(told.findings) == 1


def test_unmet_clauses_make_it_certain() -> None:
    told = Told(ClaimedCompletion())
    told.evaluation(1.4, unmet=("a above 1.8x", "b above 1.8x"))
    told.says(CLAIM)
    (finding,) = told.findings
    assert finding.confidence == 0.95
    assert "2 clauses" in finding.reason
    assert finding.evidence[1].quote == "unmet: a above 1.8x; b above 1.8x"


def test_without_any_measurement_it_says_so() -> None:
    told = Told(ClaimedCompletion())
    told.human(TASK)
    told.says(CLAIM)
    assert "no measurement is recognised" in told.findings[0].reason
    assert told.findings[0].confidence == 0.85


@pytest.mark.parametrize("output", ["correct 40/40  geomean 1.44x", "median 12.3 us", "speedup: 1.3"])
def test_a_printed_score_is_a_measurement(output: str) -> None:
    told = Told(ClaimedCompletion())
    told.human(TASK)
    told.edit()
    told.run("python run_all.py", output)
    told.says(CLAIM)
    (finding,) = told.findings
    assert "no goal verdict" in finding.reason
    assert "changed after" not in finding.reason


def test_a_figure_in_a_file_is_none() -> None:
    told = Told(ClaimedCompletion())
    told.human(TASK)
    told.run("cat old.log", "median 12.3 us")
    told.says(CLAIM)
    assert "no measurement is recognised" in told.findings[0].reason


def test_a_session_about_something_else_is_asked_with_little_confidence() -> None:
    told = Told(ClaimedCompletion())
    told.human("Please remove the triple quotes from the tex files.")
    told.says("Fixed! Removed all triple quotes from tex files.")
    told.says(CLAIM)
    assert [finding.confidence for finding in told.findings] == [0.4, 0.4]
    assert all("not seem to be about speed" in finding.reason for finding in told.findings)


def test_with_an_unknown_goal_a_closing_claim_is_a_moment() -> None:
    told = Told(ClaimedCompletion())
    told.human(TASK)
    told.run("python benchmark.py", "1.3x")
    told.says(CLAIM)
    (finding,) = told.findings
    assert finding.confidence == 0.6
    assert "no goal verdict" in finding.reason


def test_stopping_with_unmet_clauses_is_a_stop_attempt() -> None:
    told = Told(ClaimedCompletion())
    told.evaluation(1.4, unmet=("a above 1.8x",))
    told.says("Here is where things stand.")
    end = told.turn_ended()
    (finding,) = told.findings
    assert finding.evidence[0].event == end
    assert "1 clause of the goal is unmet" in finding.reason


def test_a_claim_and_the_end_of_its_turn_are_one_moment() -> None:
    told = Told(ClaimedCompletion())
    told.evaluation(1.4, unmet=("a above 1.8x",))
    told.says(CLAIM)
    told.turn_ended()
    assert len(told.findings) == 1


def test_stopping_without_a_known_goal_is_nothing() -> None:
    told = Told(ClaimedCompletion())
    told.says("Here is where things stand.")
    told.turn_ended()
    assert told.findings == []


def test_a_measurement_after_the_claim_makes_the_stop_a_moment_of_its_own() -> None:
    told = Told(ClaimedCompletion())
    told.human(TASK)
    told.says(CLAIM)
    told.evaluation(1.4, unmet=("a above 1.8x",))
    told.says("Here is where things stand.")
    told.turn_ended()
    assert len(told.findings) == 2
