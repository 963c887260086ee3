"""Where an entry stands with its reviewers."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bank.errors import BankError
from bank.question import Question, text_hash
from bank.reviews.checklist import human_tests
from bank.reviews.record import Review, read_reviews, reviews_file

State = Literal["never", "changed", "incomplete", "failed", "reviewed"]
"""`changed`: every review is of an earlier text. `incomplete`: no verdict on some test, or none any more."""


@dataclass(frozen=True, slots=True)
class Standing:
    """An entry's state; `tests` are those that failed or are missing.

    `reviews`: the newest of each reviewer of the present text. `with_ai_only`: no review was made without AI.
    """

    state: State
    tests: tuple[str, ...] = ()
    reviews: tuple[Review, ...] = ()

    @property
    def with_ai_only(self) -> bool:
        """A model took part in every review that counts."""
        return bool(self.reviews) and all(review.ai_assisted for review in self.reviews)


def standing(entry: Question, reviews: Iterable[Review]) -> Standing:
    """What the reviews, oldest first, say of an entry's present text.

    Of each reviewer the newest review counts; a test that failed for one has failed, whatever others say.
    """
    own = [review for review in reviews if review.entry == entry.id]
    newest = {review.by: review for review in own if review.text == text_hash(entry.question)}
    current = tuple(newest.values())
    if not current:
        return Standing("changed" if own else "never")
    needed = [test.id for test in human_tests(entry)]
    verdicts = [(test, verdict) for review in current for test, verdict in review.tests.items()]
    failed = tuple(test for test in needed if (test, "fail") in verdicts)
    missing = tuple(test for test in needed if (test, "pass") not in verdicts)
    if failed:
        return Standing("failed", failed, current)
    return Standing("incomplete" if missing else "reviewed", missing, current)


def review_line(entry: Question, bank: Path | None = None) -> str:
    """An entry's standing in a few words, for showing; also where the reviews cannot be read."""
    try:
        return words_of(standing(entry, read_reviews(reviews_file(bank))))
    except BankError as error:
        return f"cannot be read ({error})"


def words_of(found: Standing) -> str:
    """A standing in a few words."""
    if found.state == "never":
        return "never reviewed"
    if found.state == "changed":
        return "reviewed in an earlier wording only"
    who = ", ".join(
        f"{review.by} {review.date}{' with AI' if review.ai_assisted else ''}" for review in found.reviews
    )
    if found.state == "reviewed":
        return f"passed every test ({who})"
    return f"{'failed' if found.state == 'failed' else 'no verdict on'} {', '.join(found.tests)} ({who})"
