"""Right or wrong, in what checks print."""

import pytest

from tests.sessions.recognisers.outputs import SPEEDUPS, VARIANTS, evaluation, evaluations


@pytest.mark.parametrize(
    ("text", "status", "correct", "total"),
    [
        ("PASS", "CORRECT", 0, 0),
        ("=== CORRECTNESS: PASS ===", "CORRECT", 0, 0),
        ("correctness check: passed", "CORRECT", 0, 0),
        ("allclose: True", "CORRECT", 0, 0),
        ("5 passed in 3.21s", "CORRECT", 5, 5),
        ("===== 5 passed, 2 skipped in 3.21s =====", "CORRECT", 5, 5),
        ("Correct: 4/4", "CORRECT", 4, 4),
        ("seed 0: cos=1.0 OK\nseed 1: cos=1.0 OK\nPASS", "CORRECT", 2, 2),
        ("FAIL: shape 0 seed 42: tolerance exceeded", "WRONG", 0, 0),
        ("correctness: FAILED", "WRONG", 0, 0),
        ("allclose: False", "WRONG", 0, 0),
        ("1 failed, 4 passed in 2.0s", "WRONG", 4, 5),
        ("3 of 4 scenarios correct", "WRONG", 3, 4),
        ("AssertionError: Tensor-likes are not close!", "WRONG", 0, 0),
        ("seed 0: cos=1.0 OK\nseed 1: cos=0.2 FAIL", "WRONG", 1, 2),
        ("seed 0: cos=1.0 OK\nseed 1: cos=1.0 OK\nFAIL: seed 2: cos 0.2 < 0.98", "WRONG", 0, 0),
    ],
)
def test_a_check(text: str, status: str, correct: int, total: int) -> None:
    found = evaluation(text, "python check.py")
    assert (found.status, found.correct, found.total, found.geomean) == (status, correct, total, None)


@pytest.mark.parametrize(
    "text",
    [
        "python: can't open file 'check.py': [Errno 2] No such file or directory",
        "it should pass now",
        "if this fails, PASS is not printed",
        "expected: PASS",
        "the test passes when correct = all",
        "0 passed in 0.01s",
        "def check(): return PASS_FLAG",
        "passing arguments to the kernel",
    ],
)
def test_what_is_no_verdict(text: str) -> None:
    assert evaluations(text, "python check.py") == []


def test_a_pass_beside_numbers() -> None:
    found = evaluation("PASS\n" + VARIANTS, "python check.py && python benchmark.py")
    assert (found.status, found.geomean) == ("CORRECT", 0.06)
    assert found.scenario_set == "benchmark.py"
    assert {one.status for one in found.scenarios} == {"CORRECT"}


def test_a_failure_beside_numbers_takes_their_ratios_away() -> None:
    found = evaluation("FAIL: seed 3: wrong\n" + SPEEDUPS, "python check.py; python benchmark.py")
    assert (found.status, found.geomean) == ("WRONG", None)
    assert [one.ratio for one in found.scenarios] == [None, None]
    assert found.scenarios[0].candidate_ns == 2e6
    assert "6x does not count" in found.detail


def test_the_cases_of_a_check_are_no_scenarios_of_the_benchmark_beside_it() -> None:
    found = evaluation("seed 0: OK\nseed 1: OK\nPASS\n" + SPEEDUPS, "python check.py; python benchmark.py")
    assert (found.correct, found.total) == (0, 0)


def test_cases_of_which_some_are_cut_off_are_not_counted() -> None:
    found = evaluation("seed 1: OK\nseed 2: OK\nPASS", "python check.py | tail -3")
    assert (found.status, found.correct, found.total) == ("CORRECT", 0, 0)
