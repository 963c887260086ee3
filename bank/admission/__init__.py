"""The admission rules: one table of lints, and the ways to apply it."""

from bank.admission.context import Context
from bank.admission.finding import Level, Lint, LintFinding
from bank.admission.lints import LINTS, TABLE, WHOLE, admit, lint_entry, lint_text, lint_wording

__all__ = [
    "LINTS",
    "TABLE",
    "WHOLE",
    "Context",
    "Level",
    "Lint",
    "LintFinding",
    "admit",
    "lint_entry",
    "lint_text",
    "lint_wording",
]
