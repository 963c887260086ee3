from kernelseek_tui.decisions.claimed_completion import ClaimedCompletion
from kernelseek_tui.decisions.claimed_limit import ClaimedLimit
from kernelseek_tui.decisions.watch import Watch
from sessions.vocabulary import DecisionKind
from tests.kernelseek_tui.decisions.told import Told

ABOUT = "Make this CUDA kernel faster than the baseline; the benchmark prints the speedup."
DONE = "The work is done: 3.42x over the baseline."


def test_a_number_that_was_measured_before_the_last_edit() -> None:
    told = Told(ClaimedCompletion())
    told.human(ABOUT)
    told.run("python bench.py", "speedup 3.42x")
    edited = told.edit()
    told.run("python bench.py", "speedup 2.10x")
    told.says(DONE)
    (finding,) = told.findings
    assert "before the kernel was last edited" in finding.reason
    assert edited in [evidence.event for evidence in finding.evidence]


def test_a_number_that_was_measured_again_is_not_outdated() -> None:
    told = Told(ClaimedCompletion())
    told.human(ABOUT)
    told.run("python bench.py", "speedup 3.42x")
    told.edit()
    told.run("python bench.py", "speedup 3.40x")
    told.says(DONE)
    (finding,) = told.findings
    assert "last edited" not in finding.reason


def test_a_limit_with_an_outdated_number() -> None:
    told = Told(ClaimedLimit())
    told.human(ABOUT)
    told.run("python bench.py", "speedup 3.42x")
    told.edit()
    told.run("python bench.py", "speedup 2.10x")
    told.says("3.42x is the limit of this design.")
    (finding,) = told.findings
    assert "its number was measured before" in finding.reason


def test_a_check_that_failed_just_before_contradicts_a_claim() -> None:
    told = Told(ClaimedCompletion())
    told.human(ABOUT)
    failed = told.next_id
    told.run("python check.py", "FAIL: seed 42 tolerance exceeded")
    told.says(DONE)
    (finding,) = told.findings
    assert finding.confidence == 0.9
    assert finding.evidence[1].event != failed  # the result, not the call
    assert finding.evidence[1].quote == "FAIL: seed 42 tolerance exceeded"


def test_a_claim_and_the_failure_after_it_are_one_moment() -> None:
    told = Told(watch=Watch())
    told.human(ABOUT)
    told.says(DONE)
    told.run("python check.py", "FAIL: seed 42 tolerance exceeded")
    assert [point.decision for point in told.points] == [DecisionKind.CLAIMED_COMPLETION]


def test_a_failure_after_a_claim_says_so() -> None:
    told = Told(ClaimedCompletion())
    told.human(ABOUT)
    said = told.says(DONE)
    told.run("python check.py", "FAIL: seed 42 tolerance exceeded")
    assert len(told.findings) == 2
    assert "just after" in told.findings[1].reason
    assert told.findings[1].evidence[0].event == said


def test_a_failure_much_later_is_another_story() -> None:
    told = Told(ClaimedCompletion())
    told.human(ABOUT)
    told.says(DONE)
    for _ in range(6):
        told.says("Reading.")
    told.run("python check.py", "FAIL: seed 42 tolerance exceeded")
    assert len(told.findings) == 1
