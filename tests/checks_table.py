"""The table in `docs/checks.md`, made of the judge's checks and the headers in `tests/adversarial`:
`python -m tests.checks_table` writes it.
"""

from pathlib import Path

from harness.checks import MEANING, Check
from tests.cheats import cheats

PAGE = Path(__file__).parents[1] / "docs" / "checks.md"
MARK = "<!-- What follows is made by `python -m tests.checks_table`; a test compares it. -->\n"
ELSEWHERE = {
    Check.TRIVIAL_KERNELS_FAIL: (
        "no candidate: an operator whose inputs are all zero (`test_judge.py`, "
        "`test_a_scenario_that_cannot_tell_work_from_none_is_not_admitted`)"
    ),
    Check.START_PASSES: (
        "no candidate: a start that is wrong (`test_judge.py`, `test_a_start_that_is_wrong_is_no_measure`)"
    ),
}
"""What shows the checks that no candidate can: they hold the operator to account."""


def shown_by(check: Check) -> list[str]:
    """The candidates that a check refuses on its own."""
    return [
        f"`{one.name}{suffix}`" for suffix in (".cpp", ".py") for one in cheats(suffix) if check in one.checks
    ]


def checks() -> str:
    """One line a check."""
    rows = ["| check | what it means | what it refuses on its own |", "| --- | --- | --- |"]
    for check in Check:
        shown = ", ".join(shown_by(check)) or ELSEWHERE[check]
        rows.append(f"| `{check}` | {MEANING[check]} | {shown} |")
    return "\n".join(rows) + "\n"


def candidates() -> str:
    """One line a candidate."""
    rows = ["| candidate | what it does | its checks |", "| --- | --- | --- |"]
    for suffix in (".cpp", ".py"):
        for one in cheats(suffix):
            names = " ".join(f"`{check}`" for check in one.checks) or "none"
            rows.append(f"| `{one.name}{suffix}` | {one.words} | {names} |")
    return "\n".join(rows) + "\n"


def written() -> str:
    """The page as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    head = text[: text.index(MARK) + len(MARK)]
    return f"{head}\n## The checks\n\n{checks()}\n## The candidates\n\n{candidates()}"


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
