"""What the admission rules say of a draft that stands at the end of a whole bank."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bank.admission import LintFinding, admit, lint_text
from bank.admission.wording import ERROR_TOKENS, tokens
from bank.question import Question

_ID = re.compile(r"kq-[a-z]+-\d{3}")
_REASONS = re.compile(r"\W*(?:why|how come|what makes)\b", re.IGNORECASE)
_ANSWERS = frozenset({"Q11", "Q12"})
"""The rules that find a ready answer or a cure. Numbers and devices leak too, and are taken out before."""


@dataclass(frozen=True, slots=True)
class DraftFinding:
    """A finding, and the entry that asks nearly the same where it is about one."""

    found: LintFinding
    other: Question | None = None


def check_draft(draft: Question, entries: Sequence[Question]) -> list[DraftFinding]:
    """Every finding at the draft, as the last entry of the bank."""
    known = {entry.id: entry for entry in entries}
    findings = [found for found in admit([*entries, draft]) if found.entry == draft.id]
    return [DraftFinding(found, _other(found, known)) for found in findings]


def _other(found: LintFinding, known: dict[str, Question]) -> Question | None:
    if found.lint != "Q17":
        return None
    named = _ID.search(found.message)
    return known.get(named.group()) if named else None


def answers(text: str) -> list[LintFinding]:
    """What in a person's words carries an answer; nothing of such words goes into a draft."""
    return [found for found in lint_text(text) if found.lint in _ANSWERS]


def asks_no_number(question: str) -> bool:
    """It asks for yes or no, or for reasons: a figure that was told afterwards is not what it asks for."""
    opening = any(found.lint == "Q09" for found in lint_text(question))
    return opening or bool(_REASONS.match(question))


def too_long(text: str) -> bool:
    """More tokens than a question may have."""
    return tokens(text) > ERROR_TOKENS


def weight(text: str) -> tuple[int, int]:
    """How far a text is from an admitted question: errors, then warnings."""
    found = lint_text(text)
    errors = sum(one.level == "error" for one in found)
    return errors, len(found) - errors
