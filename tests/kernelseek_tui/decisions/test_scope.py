from kernelseek_tui.decisions.scope import Scope
from tests.kernelseek_tui.decisions.told import Told

TASK = "Make this CUDA attention kernel faster than the baseline on every scenario; the benchmark decides."


def test_fires_once_at_the_first_words() -> None:
    told = Told(Scope())
    task = told.human(TASK)
    first = told.says("I'll read the files first.")
    told.says("Then I'll tune the tiles.")
    (finding,) = told.findings
    assert [evidence.event for evidence in finding.evidence] == [first, task]
    assert "no measurement and no kernel edit is recognised" in finding.reason


def test_a_baseline_that_is_quoted_was_measured() -> None:
    told = Told(Scope())
    told.human(TASK)
    told.says("Baseline is 12 to 13.3 ms/tok. Huge headroom.")
    assert "measur" not in told.findings[0].reason
    told = Told(Scope())
    told.run("python run_once.py", "took 13.3 ms")
    told.human(TASK)
    told.says("I'll read the files first.")
    assert "measur" not in told.findings[0].reason


def test_what_opens_by_closing_is_another_moment() -> None:
    told = Told(Scope())
    told.human(TASK)
    told.says("The work is done.")
    told.says("Anything else?")
    assert told.findings == []


def test_a_session_about_something_else_has_no_scope() -> None:
    told = Told(Scope())
    told.human("Please write a landing page with good performance.")
    for _ in range(100):
        told.says("I'll write the page and benchmark nothing.")
    assert told.findings == []


def test_a_measured_start_ends_the_opening() -> None:
    told = Told(Scope())
    told.human(TASK)
    told.evaluation(1.0)
    told.says("The start is slow.")
    assert told.findings == []


def test_an_edited_kernel_ends_the_opening() -> None:
    told = Told(Scope())
    told.human(TASK)
    told.edit()
    told.says("I changed the tiles.")
    assert told.findings == []


def test_words_late_in_a_session_do_not_open_it() -> None:
    told = Told(Scope())
    told.human("Fix the typo.")
    for _ in range(80):
        told.says("Reading.")
    told.human(TASK)
    told.says("On it.")
    assert told.findings == []
