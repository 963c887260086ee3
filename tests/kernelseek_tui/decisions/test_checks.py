import pytest

from kernelseek_tui.decisions.checks import check_of, large_error
from kernelseek_tui.decisions.checks import tests_run as count_tests

FAILS = [
    "FAIL: shape 0 seed 42: tolerance exceeded: max_abs_diff=6.25",
    "E AssertionError: not equal",
    "3 failed, 9 passed in 2s",
    "allclose: False",
    "seed 0 ctx 2048: out cosine 0.1688 < 0.98",
    "solution contains NaN",
    "batch=1 n=64 max_diff=3.17e-02 FAIL",
    "n=64 max_err=6.7",
    "relerr=nan",
]
PASSES = ["PASS", "12 passed in 3.1s", "correct: True", "all 5 shapes pass", "All tests passed", "ok\nPASSED"]
NEITHER = [
    "0 failed",
    "failures: 0",
    "max_err=1e-4",
    "error handling was added",
    "FAILED = 0",
    "Compiling passes.cpp",
]


@pytest.mark.parametrize("output", FAILS)
def test_fails(output: str) -> None:
    check = check_of(output)
    assert check is not None
    assert check.passed is False
    assert check.quote in output


@pytest.mark.parametrize("output", PASSES)
def test_passes(output: str) -> None:
    check = check_of(output)
    assert check is not None
    assert check.passed is True


@pytest.mark.parametrize("output", NEITHER)
def test_says_neither(output: str) -> None:
    assert check_of(output) is None


def test_counts_tests() -> None:
    assert count_tests("52 of 58 scenarios correct") == 58
    assert count_tests("Ran 12 tests in 0.1s") == 12
    assert count_tests("40/40 ok") == 40
    assert count_tests("nothing here, 3/4 inch") is None


def test_large_errors() -> None:
    assert large_error("a err=0.2\nb err=3.9e+00 x") == "b err=3.9e+00 x"
    assert large_error("max_diff: 0.999") is None


@pytest.mark.parametrize(
    "text", ["1 " * 40_000, "err" * 30_000, "FAIL" * 30_000, "all " * 30_000, "\n" * 60_000]
)
def test_hostile_text_ends(text: str) -> None:
    check_of(text)
    count_tests(text)
