"""The admission rules: one table of lints, and the three ways to apply it."""

from bank.admission.finding import Level, Lint, LintFinding
from bank.admission.lints import LINTS, WHOLE, admit, lint_entry, lint_text, lint_wording

__all__ = [
    "LINTS",
    "WHOLE",
    "Level",
    "Lint",
    "LintFinding",
    "admit",
    "lint_entry",
    "lint_text",
    "lint_wording",
]
