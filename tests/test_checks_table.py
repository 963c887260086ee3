"""The committed table says what each check is for, and that none is decoration."""

from harness.checks import MEANING, Check
from tests.checks_table import ELSEWHERE, PAGE, shown_by, written


def test_the_page_is_what_the_headers_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == written()


def test_every_check_has_a_meaning() -> None:
    assert set(MEANING) == set(Check)


def test_every_check_is_shown_by_a_candidate_or_by_a_test_that_is_named() -> None:
    assert {check for check in Check if not shown_by(check)} == set(ELSEWHERE)
