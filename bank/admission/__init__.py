"""The admission rules: one table of lints, and the three ways to apply it."""

from bank.admission.finding import Finding, Level, Lint
from bank.admission.lints import LINTS, WHOLE, admit, lint_entry, lint_text, lint_wording

__all__ = ["LINTS", "WHOLE", "Finding", "Level", "Lint", "admit", "lint_entry", "lint_text", "lint_wording"]
